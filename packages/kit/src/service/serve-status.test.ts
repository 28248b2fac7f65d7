import { eventsBehind, serviceStatusRequests } from '@wangian/contracts/service-status.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { request } from '../bus/requests.ts'
import { type DatabasePool, sql } from '../database/postgres.ts'
import { type EventConsumer, startConsumer } from '../log/consumer.ts'
import { newEventId } from '../log/event-store.ts'
import { eventually } from '../testing/eventually.ts'
import { putAside } from '../testing/letters.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestLog, type TestLog } from '../testing/test-log.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { silentLogger } from './logger.ts'
import { type RunningConsumer, serveStatus } from './serve-status.ts'

/*
 * Catalogue hears of bans at identity and writes whom they concern to a list; while it is broken it can take none of user 7. Both answer how
 * they are.
 */

const { getStatus, listParked, retryParked, discardParked, readStream } = serviceStatusRequests
const at = '2026-11-21T08:00:00.000Z'
const startedAt = new Date(at)
const complete = async (events: readonly { readonly id: string; readonly type: string }[]) =>
  new Map(events.filter(({ type }) => type === 'UserRegistered').map(({ id }) => [id, { username: 'bala' }]))

let nats: TestNats
let database: TestDatabase
let identity: TestLog
let isBroken: boolean
/** Within the transaction that handles a ban. */
let onWritten: () => Promise<void>
const open: { stop(): Promise<void> }[] = []
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`create table bans (number bigint generated always as identity, user_id int)`)
  identity = await startTestLog({ service: 'identity', nats: nats.connection, complete })
  isBroken = false
  onWritten = async () => {}
})
afterEach(async () => {
  for (const { stop } of open.splice(0)) await stop()
  await identity.stop()
  await database.drop()
})

function startBans(): EventConsumer {
  const consumer = startConsumer({
    service: 'catalogue',
    source: 'identity',
    name: 'bans',
    nats: nats.connection,
    pool: database.pool,
    handlers: {
      UserBanned: async (transaction, { data: { userId } }) => {
        if (isBroken && userId === 7) throw new Error('cannot swallow this')
        await transaction.query(sql.unsafe`insert into bans (user_id) values (${userId})`)
        await onWritten()
      },
    },
    retryDelaysMs: [10],
  })
  open.push(consumer)
  return consumer
}

/** Has a service answer; `bans` is its consumer, where it has one. */
function answer(service: 'catalogue' | 'identity', pool: DatabasePool, bans?: EventConsumer): void {
  const consumers: RunningConsumer[] =
    bans === undefined ? [] : [{ source: 'identity', name: 'bans', types: ['UserBanned'], stats: bans.stats }]
  const context = {
    nats: nats.connection,
    pool,
    log: silentLogger,
    config: { instanceId: `${service}-1` },
  } as Parameters<typeof serveStatus>[0]['context']
  open.unshift(serveStatus({ service, startedAt, consumers, complete, context }))
}

const status = (service: 'catalogue' | 'identity') => request(nats.connection, service, getStatus, {})
const list = (after: { consumer: string; eventId: string } | null = null, limit = 100) =>
  request(nats.connection, 'catalogue', listParked, { limit, after })
const retry = (key: { consumer: string; eventId: string }) => request(nats.connection, 'catalogue', retryParked, key)
const discard = (key: { consumer: string; eventId: string }) =>
  request(nats.connection, 'catalogue', discardParked, key)
const stream = (name: string, rest: { limit?: number; before?: number } = {}) =>
  request(nats.connection, 'identity', readStream, { stream: name, limit: 50, ...rest })

async function ban(userId: number): Promise<string> {
  const data = { userId, reason: 'no reason', bannedAt: at }
  const [event] = await identity.append(`user-${userId}`, { type: 'UserBanned', data })
  return event?.id ?? ''
}
const register = (userId: number) =>
  identity.append(`user-${userId}`, {
    type: 'UserRegistered',
    data: { userId, isSeller: true, isAdmin: false, registeredAt: at },
  })
const bans = () =>
  database.pool.anyFirst(sql.type(z.object({ user_id: z.number() }))`select user_id from bans order by number`)

describe('the status of a service', () => {
  it('says who answers, what its consumers have handled, and what its relay has published', async () => {
    const consumer = startBans()
    answer('catalogue', database.pool, consumer)
    answer('identity', identity.database.pool)
    await ban(6)
    await ban(8)
    await eventually(async () => expect(await bans()).toEqual([6, 8]))
    // The relay notes what it has published after it has.
    await eventually(async () =>
      expect((await status('identity')).relay).toMatchObject({ unpublishedCount: 0, oldestUnpublishedMs: null }),
    )
    const source = await status('identity')
    const heads = source.relay?.heads ?? []
    expect(source).toMatchObject({ instanceId: 'identity-1', startedAt: at, isDatabaseUp: true, parkedCount: 0 })
    expect(heads).toEqual([{ type: 'UserBanned', position: [expect.any(Number), 2] }])
    await eventually(async () => expect((await status('catalogue')).consumers[0]).toMatchObject({ isCaughtUp: true }))
    const { consumers } = await status('catalogue')
    expect(consumers).toEqual([
      {
        consumer: 'identity-bans',
        source: 'identity',
        positions: heads,
        isActive: true,
        isCaughtUp: true,
        handledCount: 2,
        parkedCount: 0,
        waitingCount: 0,
      },
    ])
    expect(consumers.map((one) => eventsBehind(one, heads))).toEqual([0])
  })

  it('tells by the database alone how far a consumer is behind that another process has', async () => {
    const consumer = startBans()
    await ban(6)
    await eventually(async () => expect(await bans()).toEqual([6]))
    await consumer.stop()
    answer('catalogue', database.pool, consumer)
    answer('identity', identity.database.pool)
    await ban(7)
    await ban(8)
    await eventually(async () => {
      const heads = (await status('identity')).relay?.heads ?? []
      const { consumers } = await status('catalogue')
      expect(consumers.map((one) => eventsBehind(one, heads))).toEqual([2])
    })
  })

  it('has the events that wait to be published, and how long the oldest has waited', async () => {
    answer('identity', identity.database.pool)
    await identity.stopPublishing()
    await ban(6)
    await ban(7)
    const { relay } = await status('identity')
    expect(relay).toMatchObject({ unpublishedCount: 2, heads: [] })
    expect(relay?.oldestUnpublishedMs).toBeGreaterThanOrEqual(0)
    expect(relay?.oldestUnpublishedMs).toBeLessThan(60_000)
  })

  it('counts what a consumer has put aside, for all processes', async () => {
    isBroken = true
    const consumer = startBans()
    answer('catalogue', database.pool, consumer)
    await ban(7)
    await eventually(async () => expect((await list()).parked).toHaveLength(1))
    await eventually(async () =>
      expect(await status('catalogue')).toMatchObject({
        parkedCount: 1,
        consumers: [{ parkedCount: 1, waitingCount: 0 }],
      }),
    )
  })

  it('says that the database is down, in time', async () => {
    const hanging = { connect: () => new Promise(() => {}) } as unknown as DatabasePool
    answer('catalogue', hanging)
    expect(await status('catalogue')).toEqual({
      instanceId: 'catalogue-1',
      startedAt: at,
      isDatabaseUp: false,
      relay: null,
      consumers: [],
      parkedCount: null,
    })
  })
})

describe('a parked event', () => {
  it('is listed without what it says, and page by page', async () => {
    answer('catalogue', database.pool)
    const aside = (consumer: string) => putAside(database.pool, consumer, { stream: 'user-7' })
    // Two ids of one millisecond are in no order.
    const bans = [await aside('identity-bans'), await aside('identity-bans')].sort()
    const ids = [
      { consumer: 'auction-ends', eventId: await aside('auction-ends') },
      ...bans.map((eventId) => ({ consumer: 'identity-bans', eventId })),
    ]
    const { parked } = await list()
    expect(parked.map(({ consumer, eventId }) => ({ consumer, eventId }))).toEqual(ids)
    expect(parked[0]).toEqual({
      ...ids[0],
      type: 'test',
      stream: 'user-7',
      error: 'poison',
      tries: 5,
      parkedAt: expect.any(String),
      dueAt: null,
    })
    const first = await list(null, 2)
    expect(first.parked).toEqual(parked.slice(0, 2))
    expect((await list(first.parked.at(-1), 2)).parked).toEqual(parked.slice(2))
  })

  it('is listed before those that are tried again by themselves, on one page or on several', async () => {
    answer('catalogue', database.pool)
    const aside = async (consumer: string) => ({
      consumer,
      eventId: await putAside(database.pool, consumer, { stream: 'user-7' }),
    })
    const due = [await aside('auction-bids'), await aside('auction-ends')]
    await database.pool.query(sql.unsafe`update dead_letters set due_at = now() + interval '1 hour'`)
    const keys = [await aside('auction-terms'), await aside('identity-bans'), ...due]
    expect((await list()).parked).toMatchObject(keys)
    for (const [index, key] of keys.entries())
      expect((await list(keys[index - 1], 1)).parked, String(index)).toMatchObject([key])
    expect((await list(keys.at(-1))).parked).toEqual([])
  })

  it('is handled when it is tried again, once', async () => {
    isBroken = true
    answer('catalogue', database.pool, startBans())
    const key = { consumer: 'identity-bans', eventId: await ban(7) }
    await eventually(async () => expect((await list()).parked).toMatchObject([{ ...key, dueAt: null }]))
    isBroken = false
    const answers = await Promise.allSettled([retry(key), retry(key)])
    // The other one changes nothing, or finds it handled already.
    const changes = answers.flatMap((each) => (each.status === 'fulfilled' && each.value.hasChanged ? each.value : []))
    expect(changes).toMatchObject([{ parked: { ...key, type: 'UserBanned', stream: 'user-7', tries: 0 } }])
    for (const each of answers) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'not-found' })
    await eventually(async () => expect(await bans()).toEqual([7]))
    expect((await list()).parked).toEqual([])
    await expect(retry(key)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('is shown to who had it tried again also when it is handled before they are answered', async () => {
    const { pool } = database
    await pool.query(sql.unsafe`
      create function handle_at_once() returns trigger language plpgsql as
      'begin delete from dead_letters where event_id = new.event_id; return null; end'`)
    await pool.query(sql.unsafe`
      create trigger handled_at_once after update on dead_letters for each row execute function handle_at_once()`)
    answer('catalogue', pool)
    const key = { consumer: 'identity-bans', eventId: await putAside(pool, 'identity-bans', { stream: 'user-7' }) }
    expect(await retry(key)).toMatchObject({ hasChanged: true, parked: { ...key, tries: 0 } })
    await expect(retry(key)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('is gone once it is given up, by one of two who do so, and what comes behind it goes on', async () => {
    isBroken = true
    answer('catalogue', database.pool, startBans())
    const key = { consumer: 'identity-bans', eventId: await ban(7) }
    await eventually(async () => expect((await list()).parked).toMatchObject([{ ...key, dueAt: null }]))
    const answers = await Promise.allSettled([discard(key), discard(key)])
    expect(answers.filter(({ status: fate }) => fate === 'fulfilled')).toHaveLength(1)
    await expect(discard(key)).rejects.toMatchObject({ code: 'not-found' })
    isBroken = false
    await ban(7)
    await eventually(async () => expect(await bans()).toEqual([7]))
    expect((await list()).parked).toEqual([])
  })

  it('gives way to those behind it when it is given up before its last try', async () => {
    const consumer = { consumer: 'identity-bans' }
    const later = { type: 'UserBanned', data: { userId: 7, reason: 'no reason', bannedAt: at } }
    const [one, two] = await identity.append('user-7', later, later)
    answer('catalogue', database.pool)
    const bans = startBans()
    await eventually(() => bans.stats().handledCount === 2)
    await bans.stop()
    await database.pool.query(sql.unsafe`delete from bans`)
    for (const [event, position] of [
      [one, 1],
      [two, 2],
    ] as const) {
      await database.pool.query(sql.unsafe`
        insert into dead_letters (consumer, event_id, subject, stream, tx, position, payload, error, tries, due_at)
        values ('identity-bans', ${event?.id ?? ''}, 'events.identity.UserBanned', 'user-7', 1, ${position},
                ${JSON.stringify({ ...event, position: [1, position] })}, 'failed', 1, clock_timestamp())`)
    }
    expect(await discard({ ...consumer, eventId: one?.id ?? '' })).toMatchObject({ parked: { tries: 1 } })
    startBans()
    await eventually(async () => expect((await list()).parked).toEqual([]))
    expect(await database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from bans`)).toBe(1)
  })

  it('that is given up while it is tried again is given up, and nothing of the try is left', async () => {
    isBroken = true
    answer('catalogue', database.pool, startBans())
    const key = { consumer: 'identity-bans', eventId: await ban(7) }
    await eventually(async () => expect((await list()).parked).toMatchObject([{ ...key, dueAt: null }]))
    isBroken = false
    const [trying, givenUp] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    onWritten = () => {
      trying.resolve()
      return givenUp.promise
    }
    expect(await retry(key)).toMatchObject({ hasChanged: true })
    await trying.promise
    expect(await discard(key)).toMatchObject({ parked: key })
    givenUp.resolve()
    onWritten = async () => {}
    // What comes behind it goes on, and so the try is over.
    await identity.append('user-7', { type: 'UserBanned', data: { userId: 8, reason: 'no reason', bannedAt: at } })
    await eventually(async () => expect(await bans()).toContain(8))
    expect(await bans()).toEqual([8])
    expect((await list()).parked).toEqual([])
  })

  it('of the relay can be given up, and not be tried again', async () => {
    answer('catalogue', database.pool)
    const key = { consumer: 'relay', eventId: await putAside(database.pool, 'relay', { stream: 'listing-1' }) }
    await expect(retry(key)).rejects.toMatchObject({ code: 'conflict' })
    expect(await discard(key)).toMatchObject({ parked: key })
  })

  it('that nobody knows is not found', async () => {
    answer('catalogue', database.pool)
    const key = { consumer: 'identity-bans', eventId: newEventId() }
    await expect(retry(key)).rejects.toMatchObject({ code: 'not-found' })
    await expect(discard(key)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a stream', () => {
  it('is read as others get it, newest first, page by page', async () => {
    answer('identity', identity.database.pool)
    await register(7)
    await ban(7)
    await ban(7)
    const { events, next } = await stream('user-7')
    expect(events.map(({ type, version }) => [type, version])).toEqual([
      ['UserBanned', 3],
      ['UserBanned', 2],
      ['UserRegistered', 1],
    ])
    expect(events[2]).toMatchObject({ stream: 'user-7', data: { userId: 7, username: 'bala' } })
    expect(next).toBeNull()
    const first = await stream('user-7', { limit: 2 })
    expect(first).toMatchObject({ events: [{ version: 3 }, { version: 2 }], next: 2 })
    expect(await stream('user-7', { limit: 2, before: 2 })).toMatchObject({ events: [{ version: 1 }], next: null })
  })

  it('that is not there has no events', async () => {
    answer('identity', identity.database.pool)
    expect(await stream('user-999')).toEqual({ events: [], next: null })
  })
})
