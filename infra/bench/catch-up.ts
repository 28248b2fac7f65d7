// npm run bench:catch-up [-- --events 300000]
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { type DatabasePool, sql } from '@wangian/kit/database/postgres.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import type { Complete } from '@wangian/kit/log/published-events.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import type { Relay } from '@wangian/kit/log/relay.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { saveConfirmedDeals } from '../../services/catalogue/src/listings/bottle-store.ts'
import { auctionHandlers, identityHandlers, outcomeReactions } from '../../services/catalogue/src/reactions.ts'
import { insertProduct } from '../../services/catalogue/src/store.ts'
import { listingFacts } from '../../services/catalogue/src/testing/fixtures.ts'
import { startNats } from '../local/servers/nats.ts'
import { startPostgres } from '../local/servers/postgres.ts'
import { announceServers } from '../test/config.ts'

/*
 * How fast a consumer reads the logs of others, and whether it comes to the same: the catalogue's own projections of auctions and of people,
 * once as they live through two logs that grow, and once on an empty schema beside the whole logs; and reactions, of which one writes a row and one
 * appends to a stream.
 */

const { values: flags } = parseArgs({ options: { events: { type: 'string', default: '300000' } } })
const TOTAL = Number(flags.events)
const AUCTIONS = Math.floor(TOTAL / 10)
/** The others have no bid. */
const LOTS = Math.min(300, AUCTIONS)
/** Those without a bid are won all the same: that is for their owner to judge. */
const ENDED = AUCTIONS - LOTS
const BIDS = Math.floor(TOTAL / 2) - AUCTIONS - ENDED
/** Each is told of twice: as they register, and as their profile changes. */
const PEOPLE = Math.floor(TOTAL / 4)
const CHUNK = 10_000
const TIMEOUT_MS = 30 * 60 * 1000
const migrationsDirectory = fileURLToPath(new URL('../../services/catalogue/migrations', import.meta.url))
const compared = ['known_people', 'auction_summaries', 'product_days', 'seller_days']

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'wangian-catch-up-'))
  chmodSync(directory, 0o755)
  const postgres = await startPostgres({ dataDir: directory })
  const server = await startNats({ dataDir: directory })
  announceServers({ databaseUrl: postgres.url, natsUrl: server.url }, { binary: '' })
  const nats = await connectNats({ url: server.url, name: 'catch-up' })
  try {
    await measure(nats)
  } finally {
    await nats.close()
    await server.stop()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measure(nats: NatsConnection): Promise<void> {
  const [auction, identity] = await Promise.all([
    createTestDatabase({ service: 'auction' }),
    createTestDatabase({ service: 'identity' }),
  ])
  const publishing = [
    startPublishing({ service: 'auction', databaseUrl: auction.url, nats }),
    startPublishing({ service: 'identity', databaseUrl: identity.url, nats, complete }),
  ]
  const lived = await openCatalogue()
  const living = follow(lived, nats)
  const startedMs = performance.now()
  await fillAuctions(auction.pool, publishing)
  await fillPeople(identity.pool, publishing)
  await eventually(() => sum(living) === 2 * PEOPLE + AUCTIONS + BIDS + ENDED, { timeoutMs: TIMEOUT_MS })
  say('events lived through, with the time to write and publish them', 2 * PEOPLE + AUCTIONS + BIDS + ENDED, startedMs)
  await Promise.all(living.map((consumer) => consumer.stop()))

  const fresh = await openCatalogue()
  for (const [name, start, count] of [
    ['auctions and bids', auctions, AUCTIONS + BIDS + ENDED],
    ['people', people, 2 * PEOPLE],
    ['a reaction that writes a row', noting, AUCTIONS],
    ['a reaction that appends, to the ends of auctions', settling, ENDED],
  ] as const) {
    const fromMs = performance.now()
    const consumer = start(fresh, nats)
    await eventually(() => consumer.stats().isCaughtUp, { timeoutMs: TIMEOUT_MS })
    if (consumer.stats().handledCount !== count) throw new Error(`${consumer.stats().handledCount} of ${count} handled`)
    say(`${name}, from the log`, count, fromMs)
    await consumer.stop()
  }
  const tables = compared.map((table) => `catalogue.${table}`)
  const [before, after] = await Promise.all([lived, fresh].map(({ pool }) => dumpRows(pool, tables)))
  for (const table of tables) {
    const [one, other] = [before?.[table] ?? [], after?.[table] ?? []]
    if (one.join('\n') !== other.join('\n')) throw new Error(`${table} differs`)
    console.log(`${table}: ${one.length} rows, the same in both`)
  }
  await Promise.all(publishing.map((one) => one.stop()))
  await Promise.all([auction, identity, lived, fresh].map((database) => database.drop()))
}

const sum = (consumers: readonly EventConsumer[]) =>
  consumers.reduce((total, consumer) => total + consumer.stats().handledCount, 0)

function say(what: string, count: number, fromMs: number): void {
  const seconds = (performance.now() - fromMs) / 1000
  console.log(`${what}: ${count} in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} a second`)
}

async function openCatalogue(): Promise<TestDatabase> {
  const database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  await database.pool.query(sql.unsafe`
    insert into events (stream, version, event_id, type, data, metadata)
    select 'listing-' || id, 1, gen_random_uuid(), 'ListingCreated',
           ${JSON.stringify(listingFacts({ listingType: 'auction' }))}::jsonb || jsonb_build_object('productId', id), '{}'
      from generate_series(1, ${AUCTIONS}::int) as id`)
  await database.pool.transaction(async (transaction) => {
    for (let productId = 1; productId <= AUCTIONS; productId += 1) {
      await insertProduct(transaction, listingFacts({ productId, listingType: 'auction' }))
    }
  })
  return database
}

function follow(database: TestDatabase, nats: NatsConnection): EventConsumer[] {
  return [auctions(database, nats), people(database, nats)]
}

function auctions({ pool }: TestDatabase, nats: NatsConnection): EventConsumer {
  const handlers = { bulkHandlers: auctionHandlers }
  return startConsumer({ service: 'catalogue', source: 'auction', name: 'auctions', nats, pool, ...handlers })
}

function people({ pool }: TestDatabase, nats: NatsConnection): EventConsumer {
  return startConsumer({
    service: 'catalogue',
    source: 'identity',
    name: 'people',
    nats,
    pool,
    bulkHandlers: identityHandlers,
  })
}

function noting({ pool }: TestDatabase, nats: NatsConnection): EventConsumer {
  const handlers: EventHandlers<'auction'> = {
    AuctionOpened: (executor, { data }) => saveConfirmedDeals(executor, [data.auctionId]),
  }
  return startConsumer({ service: 'catalogue', source: 'auction', name: 'noting', nats, pool, handlers })
}

function settling({ pool }: TestDatabase, nats: NatsConnection): EventConsumer {
  const handlers = outcomeReactions
  return startConsumer({ service: 'catalogue', source: 'auction', name: 'outcomes', nats, pool, handlers })
}

const complete: Complete = async (events) =>
  new Map(events.map(({ id, data }) => [id, { person: testPerson(`person-${JSON.parse(data).userId}`) }]))

async function fillAuctions(pool: DatabasePool, publishing: readonly Relay[]): Promise<void> {
  await pool.query(sql.unsafe`
    insert into events (stream, version, event_id, type, data, metadata)
    select 'auction-' || id, 1, gen_random_uuid(), 'AuctionOpened',
           jsonb_build_object('auctionId', id, 'productId', id, 'sellerId', 7, 'startingPriceSen', 100, 'reserveSen', null,
             'buyNowSen', null, 'incrementSen', 10, 'startsAt', '2026-11-01T00:00:00.000Z', 'endsAt', '2027-11-01T00:00:00.000Z',
             'openedAt', '2026-11-01T00:00:00.000Z'), '{}'
      from generate_series(1, ${AUCTIONS}::int) as id`)
  for (let first = 0; first < BIDS; first += CHUNK) {
    await pool.query(sql.unsafe`
      insert into events (stream, version, event_id, type, data, metadata)
      select 'auction-' || a.id, 2 + n / ${LOTS}::int, gen_random_uuid(), 'BidPlaced',
             jsonb_build_object('auctionId', a.id, 'seq', 1 + n / ${LOTS}::int, 'bidderId', 20 + n % 50,
               'amountSen', 110 + 10 * (n / ${LOTS}::int), 'bidId', null,
               'placedAt', to_char(timestamp '2026-11-02' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')), '{}'
        from generate_series(${first}::int, ${Math.min(first + CHUNK, BIDS) - 1}::int) as n,
             lateral (select 1 + n % ${LOTS}::int as id) as a
       order by n`)
    for (const one of publishing) one.nudge()
  }
  await pool.query(sql.unsafe`
    insert into events (stream, version, event_id, type, schema_version, data, metadata)
    select 'auction-' || id, 2, gen_random_uuid(), 'AuctionEnded', 2,
           jsonb_build_object('auctionId', id, 'productId', id, 'sellerId', 7, 'outcome', 'won', 'winnerId', 20, 'leaderId', 20,
             'amountSen', 110, 'bidCount', 1, 'endedAt', '2026-11-20T00:00:00.000Z'), '{"correlationId": "filled"}'
      from generate_series(${LOTS + 1}::int, ${AUCTIONS}::int) as id`)
  for (const one of publishing) one.nudge()
}

async function fillPeople(pool: DatabasePool, publishing: readonly Relay[]): Promise<void> {
  for (const [version, type, data] of [
    [1, 'UserRegistered', `{"isSeller": true, "isAdmin": false, "registeredAt": "2026-11-01T00:00:00.000Z"}`],
    [2, 'ProfileUpdated', `{"updatedAt": "2026-11-02T00:00:00.000Z"}`],
  ] as const) {
    for (let first = 1; first <= PEOPLE; first += CHUNK) {
      await pool.query(sql.unsafe`
        insert into events (stream, version, event_id, type, data, metadata)
        select 'user-' || id, ${version}, gen_random_uuid(), ${type}, ${data}::jsonb || jsonb_build_object('userId', id), '{}'
          from generate_series(${first}::int, ${Math.min(first + CHUNK - 1, PEOPLE)}::int) as id
         order by id`)
      for (const one of publishing) one.nudge()
    }
  }
}

await main()
