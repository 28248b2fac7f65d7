import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { refreshToken } from '../sessions/refresh-token.ts'
import type { Session } from '../sessions/session-store.ts'
import { openSession } from '../sessions/sessions.ts'
import { createTestIdentity, currentVersion, type TestIdentity } from '../testing/test-identity.ts'
import { createUser } from '../testing/test-people.ts'

let identity: TestIdentity

beforeAll(async () => {
  // Nothing is given back meanwhile, however long the machine takes.
  vi.useFakeTimers({ toFake: ['performance'] })
  identity = await createTestIdentity({ rateLimitFactor: 1, isAutoconfirmed: false })
})
afterAll(() => {
  vi.useRealTimers()
  return identity.stop()
})

describe('one address of the network', () => {
  // What is refused counts as well, so the requests need not be good.
  it.each([
    ['POST', '/signup', 30],
    ['POST', '/recover', 30],
    ['POST', '/resend', 30],
    ['POST', '/verify', 30],
    ['PUT', '/user', 30],
    ['POST', '/factors', 30],
    ['POST', '/factors/x/verify', 60],
    ['POST', '/token?grant_type=password', 150],
    ['POST', '/token?grant_type=refresh_token', 150],
  ] as const)('may %s %s so often in five minutes, and another one still may', async (method, path, limit) => {
    const ask = (remoteAddress: string) =>
      identity.app.inject({ method, url: `/auth/v1${path}`, headers: currentVersion, remoteAddress, payload: {} })
    const answers = await Promise.all(Array.from({ length: limit + 2 }, () => ask('192.0.2.1')))
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(2)
    expect(refused[0]?.json()).toEqual({ code: 'over_request_rate_limit', message: 'Request rate limit reached' })
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask('192.0.2.2')).statusCode).not.toBe(429)
  })

  it('may GET /verify as often as POST it, both counted together', async () => {
    const ask = (remoteAddress: string) =>
      identity.app.inject({ url: '/auth/v1/verify', headers: currentVersion, remoteAddress })
    expect((await ask('192.0.2.1')).statusCode).toBe(429)
    expect((await ask('192.0.2.3')).statusCode).toBe(400)
  })

  it('may refresh the sessions of all its people, and each of them only so often', async () => {
    const { id: userId } = await createUser(identity, 'commuter')
    const openOne = () =>
      openSession(identity.database.pool, { userId, method: 'password', provider: 'email' }, new Date())
    // Of tabs that refresh at once all get the next token.
    const refresh = async (session: Session, times: number) => {
      const request = {
        method: 'POST',
        url: '/auth/v1/token?grant_type=refresh_token',
        headers: currentVersion,
        remoteAddress: '192.0.2.4',
        payload: { refresh_token: refreshToken(session) },
      } as const
      const answers = await Promise.all(Array.from({ length: times }, () => identity.app.inject(request)))
      return new Set(answers.map(({ statusCode }) => statusCode))
    }
    const [one, other] = [await openOne(), await openOne()]
    expect(await refresh(one, 100)).toEqual(new Set([200]))
    expect(await refresh(other, 100)).toEqual(new Set([200]))
    expect(await refresh(one, 100)).toEqual(new Set([200, 429]))
    expect(await refresh(other, 1)).toEqual(new Set([200]))
  })

  it('refreshes the sessions of its people whatever one among them sends', async () => {
    const { id: userId } = await createUser(identity, 'neighbour')
    const session = await openSession(
      identity.database.pool,
      { userId, method: 'password', provider: 'email' },
      new Date(),
    )
    const refresh = async (token: string) => {
      const response = await identity.app.inject({
        method: 'POST',
        url: '/auth/v1/token?grant_type=refresh_token',
        headers: currentVersion,
        remoteAddress: '192.0.2.5',
        payload: { refresh_token: token },
      })
      return response.statusCode
    }
    const refused = await Promise.all(Array.from({ length: 160 }, (_, count) => refresh(`no token ${count}`)))
    expect(refused.filter((status) => status === 429)).toHaveLength(10)
    expect(await refresh(refreshToken(session))).toBe(200)
  })
})
