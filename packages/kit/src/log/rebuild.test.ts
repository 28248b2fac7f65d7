import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { sql, type Transaction } from '../database/postgres.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestLog, type TestLog } from '../testing/test-log.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { type EventConsumer, startConsumer } from './consumer.ts'
import { releaseDeadLetters } from './dead-letters.ts'
import { dataOf } from './event-handlers.ts'
import { type ConsumedProjection, rebuild } from './rebuild.ts'

/*
 * Catalogue keeps who was banned from identity's log: how often, and when at last. `note` is not from the log.
 */

const at = (second: number) => `2026-11-21T08:00:${String(second).padStart(2, '0')}.000Z`

let nats: TestNats
let database: TestDatabase
let source: TestLog
let consumer: EventConsumer
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`
    create table bans (user_id bigint primary key, count integer not null, last_at timestamptz not null,
                       is_often boolean generated always as (count > 1) stored, note text)`)
  source = await startTestLog({ service: 'identity', nats: nats.connection })
  consumer = startConsumer({ service: 'catalogue', nats: nats.connection, pool: database.pool, ...counting })
})
afterEach(async () => {
  await consumer.stop()
  await source.stop()
  await database.drop()
})

let isRefusing = false
const counting = {
  source: 'identity',
  name: 'bans',
  bulkHandlers: {
    UserUnbanned: async (
      transaction: Transaction,
      events: readonly { readonly data: { readonly userId: number; readonly unbannedAt: string } }[],
    ) => {
      if (isRefusing) throw new Error('refused')
      for (const { userId, unbannedAt } of events.map(dataOf)) {
        await transaction.query(sql.unsafe`
          insert into bans as known (user_id, count, last_at) values (${userId}, 1, ${unbannedAt})
          on conflict (user_id) do update set count = known.count + 1, last_at = excluded.last_at`)
      }
    },
  },
  tables: [{ name: 'bans', except: ['note'] }],
} as const satisfies ConsumedProjection

const unban = (userId: number, second: number) =>
  source.append(`user-${userId}`, { type: 'UserUnbanned', data: { userId, unbannedAt: at(second) } })
const handled = (count: number) => eventually(() => consumer.stats().handledCount === count)

const Row = z.object({ userId: z.number(), count: z.number(), note: z.string().nullable() })
const rows = () => database.pool.any(sql.type(Row)`select user_id as "userId", count, note from bans order by user_id`)
const rebuildBans = () =>
  rebuild({ service: 'catalogue', projection: counting, databaseUrl: database.url, nats: async () => nats.connection })

it('changes nothing where everything is as the log says', async () => {
  for (const [index, userId] of [1, 2, 1].entries()) await unban(userId, index)
  await handled(3)
  const before = await rows()
  expect(await rebuildBans()).toEqual({ eventCount: 3, changed: { bans: 0 } })
  expect(await rows()).toEqual(before)
})

it('mends what is missing, wrong or too much, and leaves alone what is not from the log', async () => {
  for (const [index, userId] of [1, 2, 1, 3].entries()) await unban(userId, index)
  await handled(4)
  await database.pool.query(sql.unsafe`update bans set count = 7, note = 'kept' where user_id = 1`)
  await database.pool.query(sql.unsafe`delete from bans where user_id = 2`)
  await database.pool.query(sql.unsafe`insert into bans (user_id, count, last_at) values (9, 1, now())`)
  expect(await rebuildBans()).toEqual({ eventCount: 4, changed: { bans: 3 } })
  expect(await rows()).toEqual([
    { userId: 1, count: 2, note: 'kept' },
    { userId: 2, count: 1, note: null },
    { userId: 3, count: 1, note: null },
  ])
})

it('counts each event once while they go on coming', async () => {
  const total = 60
  const coming = (async () => {
    for (let n = 0; n < total; n += 1) await unban(1 + (n % 3), n % 60)
  })()
  for (let round = 0; round < 5; round += 1) await rebuildBans()
  await coming
  await handled(total)
  expect((await rows()).map(({ count }) => count)).toEqual([20, 20, 20])
  expect((await rebuildBans()).changed).toEqual({ bans: 0 })
})

it('does not count what the consumer has not handled yet', async () => {
  await unban(1, 1)
  await handled(1)
  await consumer.stop()
  await unban(1, 2)
  expect(await rebuildBans()).toEqual({ eventCount: 1, changed: { bans: 0 } })
})

it('does not count what waits for another try, which is counted then', async () => {
  await consumer.stop()
  const options = { service: 'catalogue', nats: nats.connection, pool: database.pool, retryDelaysMs: [60_000] } as const
  consumer = startConsumer({ ...options, ...counting })
  await unban(1, 1)
  await handled(1)
  isRefusing = true
  await unban(1, 2)
  await unban(1, 3)
  await eventually(() => consumer.stats().waitingCount === 2)
  isRefusing = false
  expect(await rebuildBans()).toEqual({ eventCount: 1, changed: { bans: 0 } })
  await releaseDeadLetters(database.pool, null)
  await consumer.stop()
  consumer = startConsumer({ ...options, ...counting })
  await handled(2)
  expect(await rows()).toEqual([{ userId: 1, count: 3, note: null }])
  expect(await rebuildBans()).toEqual({ eventCount: 3, changed: { bans: 0 } })
})

it('lets whoever has locked a row write it', async () => {
  for (const userId of [1, 2]) await unban(userId, userId)
  await handled(2)
  await database.pool.query(sql.unsafe`update bans set count = 7`)
  const isWaiting = sql.unsafe`
    select from pg_stat_activity where application_name = 'rebuild-bans' and wait_event_type = 'Lock'`
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query('begin')
  await client.query('select from bans where user_id = 1 for no key update')
  const rebuilding = rebuildBans()
  await eventually(() => database.pool.exists(isWaiting))
  await client.query(`update bans set note = 'kept' where user_id = 1`)
  await client.query('commit')
  await client.end()
  expect((await rebuilding).changed).toEqual({ bans: 2 })
  expect(await rows()).toEqual([
    { userId: 1, count: 1, note: 'kept' },
    { userId: 2, count: 1, note: null },
  ])
})
