import { setTimeout as delay } from 'node:timers/promises'
import { identityRequests, REVOCATIONS_PER_PAGE } from '@wangian/contracts/identity-requests.ts'
import {
  REVOCATION_MEMORY_MS,
  type RevocationReason,
  SESSIONS_REVOKED_SUBJECT,
} from '@wangian/contracts/revocations.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectNats, type NatsConnection } from '../bus/nats.ts'
import { serveRequests } from '../bus/requests.ts'
import { Failure } from '../errors.ts'
import { silentLogger } from '../service/logger.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { followRevocations, type Revocations } from './revocations.ts'

/** Reconciling is what most of these tests must not wait for. */
const NEVER_MS = 60_000

let nats: TestNats
let connection: NatsConnection
const stops: (() => Promise<void>)[] = []

/** What identity would answer. */
let table: { id: number; sessionId: string; userId: number; reason: RevocationReason; revokedAt: string }[] = []
let settledId = 0
const asked: number[] = []

beforeAll(async () => {
  nats = await startTestNats()
  connection = await connectNats({ url: nats.url, name: 'follower' })
})

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  table = []
  settledId = 0
  asked.length = 0
  vi.useRealTimers()
})

afterAll(async () => {
  await connection.close()
  await nats.stop()
})

function answerAsIdentity(): void {
  const server = serveRequests(nats.connection, 'identity', identityRequests.listRevocations, ({ afterId }) => {
    asked.push(afterId)
    return { revocations: table.filter(({ id }) => id > afterId).slice(0, REVOCATIONS_PER_PAGE), settledId }
  })
  stops.push(() => server.stop())
}

function follow(options?: { reconcileEveryMs: number }): Revocations {
  const revocations = followRevocations(connection, silentLogger, options)
  stops.push(() => revocations.stop())
  return revocations
}

function ended(id: number, sessionId = `s${id}`) {
  return { id, sessionId, userId: 7, reason: 'signed-out' as const, revokedAt: '2026-11-21T00:00:00.000Z' }
}

function tell(message: unknown): void {
  nats.connection.publish(SESSIONS_REVOKED_SUBJECT, JSON.stringify(message))
}

const known = (revocations: Revocations, sessionId: string) =>
  eventually(() => {
    expect(revocations.reasonOf(sessionId)).not.toBeNull()
  })

describe('a follower of ended sessions', () => {
  it('knows nothing for certain until identity has answered once', async () => {
    const revocations = follow({ reconcileEveryMs: NEVER_MS })
    expect(() => revocations.reasonOf('s1')).toThrow(Failure)
    await delay(50)
    expect(() => revocations.reasonOf('s1')).toThrow(Failure)
    answerAsIdentity()
    await eventually(() => revocations.reasonOf('s1') === null)
  })

  it('asks at the start for all that ended before, page by page', async () => {
    table = Array.from({ length: REVOCATIONS_PER_PAGE + 5 }, (_, index) => ended(index + 1))
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: NEVER_MS })
    await known(revocations, `s${REVOCATIONS_PER_PAGE + 5}`)
    expect(revocations.isRevoked('s1')).toBe(true)
    expect(revocations.isRevoked('another')).toBe(false)
    expect(asked).toEqual([0, REVOCATIONS_PER_PAGE])
  })

  it('applies messages as they come, and tells its listeners once', async () => {
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: 30 })
    const heard: unknown[] = []
    const leave = revocations.onRevoked((...event) => heard.push(event))
    await eventually(() => revocations.reasonOf('s1') === null)
    tell({ userId: 9, sessionIds: ['s1', 's2'], reason: 'banned' })
    tell({ userId: 9, sessionIds: ['s1', 's2'], reason: 'banned' })
    table = [ended(1)]
    await known(revocations, 's2')
    expect(revocations.reasonOf('s1')).toBe('banned')
    await eventually(() => asked.length > 4)
    leave()
    tell({ userId: 9, sessionIds: ['s3'], reason: 'banned' })
    await known(revocations, 's3')
    expect(heard).toEqual([
      ['s1', 'banned', 9],
      ['s2', 'banned', 9],
    ])
  })

  it('reads on after messages that are none, and after a listener that throws', async () => {
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: NEVER_MS })
    const heard: string[] = []
    revocations.onRevoked(() => {
      throw new Error('a bug')
    })
    revocations.onRevoked((sessionId) => heard.push(sessionId))
    await eventually(() => revocations.reasonOf('s1') === null)
    nats.connection.publish(SESSIONS_REVOKED_SUBJECT, 'no JSON')
    tell({ userId: 9, sessionIds: 'no list', reason: 'banned' })
    tell({ userId: 9, sessionIds: ['s1', 's2'], reason: 'closed' })
    await known(revocations, 's2')
    expect(heard).toEqual(['s1', 's2'])
  })

  it('makes up for a lost message at the next round', async () => {
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: 30 })
    await eventually(() => revocations.reasonOf('s1') === null)
    table = [ended(1)]
    await known(revocations, 's1')
  })

  it('asks again for what may have been committed late, and not for what is settled', async () => {
    table = [ended(4), ended(6)]
    settledId = 4
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: 30 })
    await known(revocations, 's6')
    // Number 5 was drawn before 6 and committed after it.
    table = [ended(4), ended(5), ended(6)]
    await known(revocations, 's5')
    expect([...new Set(asked)]).toEqual([0, 4])
  })

  it('asks at once when the bus is back', async () => {
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: NEVER_MS })
    await eventually(() => revocations.reasonOf('s1') === null)
    await nats.kill()
    table = [ended(1)]
    await nats.restart()
    await known(revocations, 's1')
  })

  it('goes on with what it knows while identity is away', async () => {
    table = [ended(1)]
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: 30 })
    await known(revocations, 's1')
    for (const stop of stops.splice(1)) stops.push(stop)
    await stops.shift()?.()
    await delay(100)
    expect(revocations.isRevoked('s1')).toBe(true)
    expect(revocations.isRevoked('s2')).toBe(false)
  })

  it('forgets a session when no token of it can be good any more', async () => {
    table = [ended(1)]
    settledId = 1
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: 30 })
    await known(revocations, 's1')
    const laterMs = performance.now() + REVOCATION_MEMORY_MS + 1000
    // Begins at 0.
    vi.useFakeTimers({ toFake: ['performance'] })
    vi.advanceTimersByTime(laterMs)
    await eventually(() => !revocations.isRevoked('s1'))
  })

  it('remembers a session while the clock is wrong for a moment', async () => {
    table = [ended(1)]
    settledId = 1
    answerAsIdentity()
    const revocations = follow({ reconcileEveryMs: 30 })
    await known(revocations, 's1')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * REVOCATION_MEMORY_MS })
    const before = asked.length
    await eventually(() => asked.length > before + 2)
    expect(revocations.isRevoked('s1')).toBe(true)
  })
})
