import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import {
  findRecordedAfter,
  hasRowsAfter,
  type LogClient,
  readHorizon,
  readRows,
  readRowsOfTypes,
} from './log-reader.ts'

/** So long that Postgres weighs an index against reading it all. */
const LOG_LENGTH = 20_000
/** More often than Postgres plans a prepared statement for its values. */
const ASKED_TIMES = 10
const BEYOND_ALL = Number.MAX_SAFE_INTEGER

let database: TestDatabase
let client: Client
let last: readonly [tx: number, position: number]
beforeAll(async () => {
  database = await createTestDatabase({ service: 'auction' })
  client = new Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ tx: string; position: string }>(
    `insert into events (stream, version, tx, event_id, type, data, metadata)
     select 'a/' || i / 10, i % 10 + 1, i::text::xid8, gen_random_uuid(), 'BidPlaced', '{}', '{}' from generate_series(1, $1::int) i
     returning tx::text, position::text`,
    [LOG_LENGTH],
  )
  last = [Number(rows.at(-1)?.tx), Number(rows.at(-1)?.position)]
  await client.query('vacuum analyze events')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** How many events were read, and how many of them by walking through the whole table, over many calls on one connection. */
async function eventsReadBy(ask: () => Promise<unknown>): Promise<{ readonly all: number; readonly walked: number }> {
  await client.query('begin')
  const before = await eventsRead()
  for (let times = 0; times < ASKED_TIMES; times += 1) await ask()
  const after = await eventsRead()
  await client.query('commit')
  return { all: after.all - before.all, walked: after.walked - before.walked }
}

/** What this connection has read, and not told the server's statistics yet. */
async function eventsRead(): Promise<{ readonly all: number; readonly walked: number }> {
  const { rows } = await client.query<{ all: number; walked: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as all, seq_tup_read::int as walked
       from pg_stat_xact_user_tables where relname = 'events'`,
  )
  return rows[0] ?? { all: 0, walked: 0 }
}

it('tells whether something follows a position', async () => {
  const [tx, position] = last
  expect(await hasRowsAfter(client, [0, 0])).toBe(true)
  expect(await hasRowsAfter(client, [tx, position - 1])).toBe(true)
  expect(await hasRowsAfter(client, [tx, position])).toBe(false)
  expect(await hasRowsAfter(client, [tx + 1, 0])).toBe(false)
})

it('tells since when something follows a position', async () => {
  const [tx, position] = last
  const { rows } = await client.query<{ at: Date }>('select recorded_at as at from events where position = $1', [
    position,
  ])
  expect(await findRecordedAfter(client, [tx, position - 1])).toEqual(rows[0]?.at)
  expect(await findRecordedAfter(client, [tx, position])).toBeUndefined()
})

describe('a long log is read from where it is asked for, and not as a whole', () => {
  const options = { horizon: BEYOND_ALL, limit: 100 }
  const ofTypes = { ...options, types: ['BidPlaced', 'AuctionEnded'], scannedMax: 500 }
  it.each([
    ['for something new', () => hasRowsAfter(client, last)],
    ['for what waits to be published', () => findRecordedAfter(client, last)],
    ['for its end', () => readRows(client, { ...options, after: last })],
    ['for its beginning', () => readRows(client, { ...options, after: [0, 0] })],
    ['for types at its end', () => readRowsOfTypes(client, { ...ofTypes, after: last })],
    ['for types that it has', () => readRowsOfTypes(client, { ...ofTypes, after: [0, 0] })],
    ['for types that it has not', () => readRowsOfTypes(client, { ...ofTypes, types: ['Nothing'], after: [0, 0] })],
  ])('%s', async (_name, ask) => {
    const { all, walked } = await eventsReadBy(ask)
    expect(walked).toBe(0)
    expect(all).toBeLessThan(LOG_LENGTH)
  })
})

describe('the horizon of a log', () => {
  /** Running transactions are known by the lower 32 bits of their numbers, which begin anew after so many. */
  const ROUND = 2 ** 32
  /** No test can wait until Postgres has given that many. */
  const saying = (next: number, running: readonly number[]) => {
    const row = { next: String(next), running: running.map(String), offset: '0' }
    return { query: async () => ({ rows: [row] }) } as unknown as LogClient
  }

  it.each([
    ['the next number while nothing runs', 1000, [], 1000],
    ['the oldest that runs', 1000, [995, 990], 990],
    ['the oldest that runs in a later round', 3 * ROUND + 5, [2], 3 * ROUND + 2],
    ['the oldest that runs since the round before', 3 * ROUND + 5, [ROUND - 10, 2], 3 * ROUND - 10],
    ['the next number while only later ones run, of the round that follows', 3 * ROUND - 5, [3], 3 * ROUND - 5],
  ])('is %s', async (_what, next, running, below) => {
    expect(await readHorizon(saying(next, running))).toEqual({ below, isHeld: below < next })
  })
})
