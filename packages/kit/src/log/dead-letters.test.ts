import { jetstreamManager } from '@nats-io/jetstream'
import { eventStreamName, eventSubject } from '@wangian/contracts/subjects.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sql } from '../database/postgres.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestLog, type TestLog } from '../testing/test-log.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { type EventConsumer, startConsumer } from './consumer.ts'
import { insertLetter } from './dead-letters.ts'
import { answer } from './dead-letters-command.ts'
import { newEventId } from './event-store.ts'
import { startPublishing } from './publishing.ts'

/*
 * Bans are consumed, and the consumer writes whom they concern to a list. While it is broken it can take none of user 7.
 */

let nats: TestNats
let database: TestDatabase
let source: TestLog
let isBroken: boolean
/** When they were banned, as the handler was told. */
let times: string[]
let running: EventConsumer | undefined
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`create table bans (number bigint generated always as identity, user_id int)`)
  source = await startTestLog({ service: 'identity', nats: nats.connection })
  isBroken = true
  times = []
})
afterEach(async () => {
  await stop()
  await source.stop()
  await database.drop()
  await (await jetstreamManager(nats.connection)).streams.delete(eventStreamName('identity')).catch(() => {})
})

function start(): EventConsumer {
  running = startConsumer({
    service: 'catalogue',
    source: 'identity',
    name: 'bans',
    nats: nats.connection,
    pool: database.pool,
    handlers: {
      UserBanned: async (transaction, { data: { userId, bannedAt } }) => {
        if (isBroken && userId === 7) throw new Error('cannot swallow this\nand says why at length')
        times.push(bannedAt)
        await transaction.query(sql.unsafe`insert into bans (user_id) values (${userId})`)
      },
    },
    retryDelaysMs: [10, 10, 10, 10],
    lettersIntervalMs: 50,
    // Some take the log away, or events out of it: a look at it meanwhile would begin anew until it is as it was.
    checkIntervalMs: 60_000,
  })
  return running
}

async function stop(): Promise<void> {
  await running?.stop()
  running = undefined
}

const at = '2026-11-21T08:00:00.000Z'
const later = '2026-11-22T08:00:00.000Z'
const subject = eventSubject('identity', 'UserBanned')
/** @returns the ids of the events */
async function ban(...userIds: readonly number[]): Promise<string[]> {
  const ids: string[] = []
  for (const userId of userIds) {
    const data = { userId, reason: 'no reason', bannedAt: at }
    for (const { id } of await source.append(`user-${userId}`, { type: 'UserBanned', data })) ids.push(id)
  }
  return ids
}

const run = (...args: string[]) => answer(database.pool, args)
const bans = () =>
  database.pool.anyFirst(sql.type(z.object({ user_id: z.number() }))`select user_id from bans order by number`)
const letters = () =>
  database.pool.anyFirst(
    sql.type(z.object({ event_id: z.string() }))`select event_id from dead_letters order by parked_at`,
  )
const payloads = () =>
  database.pool.anyFirst(sql.type(z.object({ payload: z.string() }))`select payload from dead_letters`)
const parked = (count: number) => eventually(() => running?.stats().parkedCount === count)
const nothing = { text: 'nothing is put aside\n', exitCode: 0 }

const letter = {
  subject,
  event: {
    id: newEventId(),
    type: 'UserBanned',
    stream: 'user-8',
    version: 1,
    at,
    schemaVersion: 1,
    position: [1, 1],
    previous: null,
    data: { userId: 8, reason: 'no reason', bannedAt: at },
    metadata: { actorId: null, correlationId: 'request-1', causationId: null, commandId: null },
  },
  position: [1, 1],
  error: 'Error: no',
  tries: 1,
  dueInMs: null,
} as const

describe('events that were put aside', () => {
  it('are listed with the reason, and without what they say', async () => {
    expect(await run()).toEqual(nothing)
    start()
    const [id] = await ban(7)
    await parked(1)
    const { text, exitCode } = await run()
    expect(exitCode).toBe(0)
    expect(text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'AT')).toBe(
      `${id}  ${subject}  user-7  put aside by identity-bans at AT after 5 tries\n` +
        '    Error: cannot swallow this and says why at length\n',
    )
    expect(await run('list')).toEqual({ text, exitCode })
  })

  it('are handled when a person says so, once, and are gone then', async () => {
    start()
    const [first = '', , second = ''] = await ban(7, 8, 7)
    await parked(2)
    isBroken = false
    expect(await run('retry', first)).toEqual({
      text: '1 event is tried again: at once where the service runs, or when it starts\n',
      exitCode: 0,
    })
    await eventually(async () => (await letters()).length === 1)
    expect(await bans()).toEqual([8, 7])
    expect(await letters()).toEqual([second])
    await ban(9)
    await eventually(async () => (await bans()).includes(9))
    expect(await bans()).toEqual([8, 7, 9])
    expect(await letters()).toEqual([second])
  })

  it('are handled as soon where nothing was put aside when the service began', async () => {
    start()
    await eventually(() => running?.stats().isCaughtUp)
    await ban(7)
    await parked(1)
    isBroken = false
    await run('retry', '--all')
    await eventually(async () => (await letters()).length === 0)
    expect(await bans()).toEqual([7])
  })

  it('are all handled, in their order, when a person says that', async () => {
    start()
    await ban(7, 7, 7)
    await parked(3)
    isBroken = false
    expect((await run('retry', '--all')).text).toMatch(/^3 events are tried again/)
    await eventually(async () => (await letters()).length === 0)
    expect(await bans()).toEqual([7, 7, 7])
    expect(await run()).toEqual(nothing)
  })

  it('are handled when the service starts, if it does not run', async () => {
    start()
    const [id = ''] = await ban(7)
    await parked(1)
    await stop()
    isBroken = false
    await run('retry', id)
    expect((await run()).text).toContain('to be tried again')
    start()
    await eventually(async () => (await letters()).length === 0)
    expect(await bans()).toEqual([7])
  })

  it('are put aside again when that does not help', async () => {
    start()
    const [id = ''] = await ban(7)
    await parked(1)
    await run('retry', id)
    await parked(2)
    expect(await letters()).toEqual([id])
    expect((await run()).text).not.toContain('to be tried again')
    isBroken = false
    await run('retry', id)
    await eventually(async () => (await letters()).length === 0)
    expect(await bans()).toEqual([7])
  })

  it('keep nothing of what they say, which is asked of their log when they are tried again', async () => {
    start()
    const [first = '', second = ''] = await ban(7, 7)
    await parked(2)
    for (const payload of await payloads())
      expect(JSON.parse(payload)).toMatchObject({ type: 'UserBanned', data: null })
    await source.database.pool.query(sql.unsafe`
      update events set data = data || jsonb_build_object('bannedAt', ${later}::text) where event_id = ${first}`)
    isBroken = false
    await run('retry', first)
    await eventually(async () => expect(await letters()).toEqual([second]))
    await run('retry', second)
    await eventually(async () => expect(await letters()).toEqual([]))
    expect(times).toEqual([later, at])
  })

  it('wait for their log to answer, which is not held against them', async () => {
    start()
    const [id = ''] = await ban(7)
    await parked(1)
    isBroken = false
    await source.stopPublishing()
    await run('retry', id)
    await eventually(async () => expect((await run()).text).toContain('nobody answers'))
    expect((await run()).text).toContain('after 0 tries')
    const relay = startPublishing({ service: 'identity', databaseUrl: source.database.url, nats: nats.connection })
    await eventually(async () => expect(await letters()).toEqual([]))
    expect(await bans()).toEqual([7])
    await relay.stop()
  })

  it('are put aside again when their log does not have them any more', async () => {
    start()
    const [id = ''] = await ban(7)
    await parked(1)
    await source.database.pool.query(sql.unsafe`delete from events`)
    isBroken = false
    await run('retry', id)
    await parked(2)
    expect((await run()).text).toContain('is not in the log of identity')
    expect([await letters(), await bans()]).toEqual([[id], []])
  })

  it('are not tried by the consumer of another', async () => {
    await insertLetter(database.pool, { ...letter, consumer: 'identity-others' })
    await run('retry', '--all')
    start()
    await ban(9)
    await eventually(async () => (await bans()).length === 1)
    expect((await run()).text).toContain('put aside by identity-others')
    expect(await bans()).toEqual([9])
  })

  it('stay when they cannot be published, or when nobody knows their id', async () => {
    await insertLetter(database.pool, { ...letter, consumer: 'relay' })
    const refusal = { text: expect.stringContaining('nothing of that id'), exitCode: 1 }
    expect(await run('retry', letter.event.id)).toEqual(refusal)
    expect(await run('retry', newEventId())).toEqual(refusal)
    expect(await letters()).toEqual([letter.event.id])
  })
})

it.each([[['retry']], [['list', 'more']], [['help']], [['remove', 'x']]])('%j is told how it is done', async (args) => {
  expect(await run(...args)).toEqual({ text: expect.stringContaining('retry --all'), exitCode: 2 })
})
