// npm run bench:admin [-- --rows 100000] [--seconds 2] [--only 'a search']
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { untilHeard } from '@wangian/kit/testing/heard.ts'
import { Client } from 'pg'
import { accountsAt } from '../access/accounts.ts'
import { type ServiceHandle, type System, startSystem } from '../local/system.ts'
import { tellFigure } from './figures.ts'
import { requestLoop } from './request-loop.ts'
import { quantile } from './statistics.ts'

/*
 * How soon the tables of administrators are filled from the logs of others, and how long each page, search and order of them takes through the
 * gateway, with very many people, orders and listings.
 */

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
  },
})
const ROWS = Number(flags.rows)
const durationMs = Number(flags.seconds) * 1000
const IN_PARALLEL = 2
const WARM_UP_MS = 300
/** Of fewer answers the 99th percentile is the slowest, whatever slowed it. */
const SAMPLES_MIN = 300
const GOAL_MS = 50
const GOAL_FILLED_S = 60
const CHUNK = 20_000
/** Whose logs are filled. */
const sources = ['identity', 'catalogue', 'messaging'] as const
const HEARD_WITHIN_MS = 20 * 60_000
/** The first ids of the accounts that every demo has are lower. */
const FIRST_ID = 1_000

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-bench-admin-'))
  const system = await startSystem({
    dataDir,
    buildsWeb: false,
    rateLimitFactor: 1_000_000,
    // The accounts are there, the shelf is not.
    environment: { identity: { SEED: 'demo' } },
  })
  const nats = await connectNats({ url: system.natsUrl, name: 'bench-admin' })
  try {
    await measureFilling(system, nats)
    const { token } = await accountsAt(system.url).signIn('admin@wangian.test', 'demo-admin')
    for (const [name, paths] of Object.entries(await questions(system.url, token)).filter(([name]) =>
      name.includes(flags.only),
    ))
      await measurePage(
        name,
        paths.map((path) => system.url + path),
        token,
      )
  } finally {
    await nats.close()
    await system.stop()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measureFilling(system: System, nats: NatsConnection): Promise<void> {
  const admin = system.services.get('admin')
  if (admin === undefined) throw new Error('there is an admin service')
  // The others of them would react to each listing for themselves, which nobody measures here.
  for (const name of ['admin', 'auction-1', 'auction-pages', 'boost']) await system.services.get(name)?.stop()
  const client = new Client({ connectionString: system.adminDatabaseUrl })
  await client.connect()
  try {
    await fillTables(client, admin, nats)
  } finally {
    await client.end()
  }
}

async function fillTables(client: Client, admin: ServiceHandle, nats: NatsConnection): Promise<void> {
  for (const statement of logs) {
    for (let first = 0; first < ROWS; first += CHUNK) {
      await client.query(statement, [first, Math.min(first + CHUNK, ROWS) - 1, FIRST_ID])
    }
  }
  // What others do about it must not be in the way.
  await untilHeard(nats, sources, { sources, timeoutMs: HEARD_WITHIN_MS })
  // As autovacuum does it soon.
  for (const table of ['identity.users', 'identity.people']) await client.query(`vacuum analyze ${table}`)
  const startedAtMs = performance.now()
  await admin.start()
  await untilHeard(nats, ['admin'], { sources, timeoutMs: HEARD_WITHIN_MS })
  const seconds = (performance.now() - startedAtMs) / 1000
  tellFigure({ name: 'admin: filled in', value: seconds, unit: 's', isMore: false })
  const counts = await client.query(`
    select (select count(*) from admin.known_people) as people, (select count(*) from admin.orders) as orders,
           (select count(*) from admin.listings) as listings`)
  console.log(`filled in ${seconds.toFixed(1)} s (goal ${GOAL_FILLED_S}): ${JSON.stringify(counts.rows[0])}`)
  for (const table of ['known_people', 'orders', 'listings']) await client.query(`vacuum analyze admin.${table}`)
}

/** Half of the sellers are sellers; names, prices and states are spread by primes, so that no order is that of the ids. */
const name = `(array['Santal', 'Oud', 'Rose', 'Iris', 'Vétiver', 'Ambre', 'Néroli', 'Cuir', 'Musc', 'Figue'])[1 + n % 10]
  || ' ' || (n * 7919) % ${ROWS}`
const brand = `(array['Le Labo', 'Byredo', 'Diptyque', 'Creed', 'Hermès', 'Amouage', 'Aesop'])[1 + n % 7]`
const day = `to_char(timestamp '2026-01-01' + n * interval '90 seconds', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`
const range = `generate_series($1::int, $2::int) as n`
const insert = (service: string) => `insert into ${service}.events (stream, version, event_id, type, data, metadata)`
const order = `'orderId', n + 1, 'productId', n + 1, 'productName', ${name}, 'sellerId', $3::int + n % 1000,
  'buyerId', $3::int + (n * 31) % ${ROWS}, 'totalSen', 100 + (n::bigint * 104729) % 900000`

/** Each takes the first and the last number of a part, and the id that people begin with. */
const logs: readonly string[] = [
  `insert into identity.people (user_id, auth_id, email, email_confirmed_at, username, first_name, last_name, created_at, updated_at)
   select $3::int + n, gen_random_uuid(), 'person' || n || '@example.com', now(), 'person_' || (n * 7919) % ${ROWS}, 'Nur' || n % 977,
          'Tan' || n % 1009, now(), now() from ${range}`,
  `insert into identity.users (id, is_seller, is_admin, registered_at)
   select $3::int + n, n % 2 = 0, false, timestamp '2026-01-01' + n * interval '90 seconds' from ${range}`,
  `${insert('identity')}
   select 'user-' || $3::int + n, 1, gen_random_uuid(), 'UserRegistered',
          jsonb_build_object('userId', $3::int + n, 'isSeller', n % 2 = 0, 'isAdmin', false, 'registeredAt', ${day}), '{}' from ${range}`,
  `${insert('catalogue')}
   select 'listing-' || n + 1, 1, gen_random_uuid(), 'ListingCreated',
          jsonb_build_object('productId', n + 1, 'sellerId', $3::int + n % 1000, 'name', ${name}, 'brand', ${brand}, 'description', 'x',
            'priceSen', 100 + (n::bigint * 104729) % 900000, 'categoryId', 1 + n % 6, 'listingType', 'fixed', 'stockQuantity', 1,
            'remainingPercentage', 100, 'batchCode', null, 'purchaseYear', null, 'boxCondition', 'Good', 'volumeMl', 100, 'isNew', true,
            'imageUrl', null, 'createdAt', ${day}), '{}' from ${range}`,
  `${insert('catalogue')}
   select 'listing-' || n + 1, 2, gen_random_uuid(), 'ListingRemoved',
          jsonb_build_object('productId', n + 1, 'sellerId', $3::int + n % 1000, 'by', 'seller', 'reason', null, 'removedAt', ${day}), '{}'
     from ${range} where n % 100 = 3`,
  `${insert('messaging')}
   select 'deal-' || n + 1, 1, gen_random_uuid(), 'OrderPlaced', jsonb_build_object(${order}, 'placedAt', ${day}), '{}' from ${range}`,
  `${insert('messaging')}
   select 'deal-' || n + 1, 2, gen_random_uuid(), 'OrderStatusChanged',
          jsonb_build_object(${order}, 'status', (array['processing', 'shipped', 'delivered', 'cancelled'])[1 + n % 4], 'changedAt', ${day}), '{}'
     from ${range} where n % 5 > 0`,
]

/** By what is measured, the paths that are asked in turn. */
async function questions(url: string, token: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const [users, orders, listings] = ['/api/admin/users', '/api/admin/orders', '/api/products/all']
  /** Spread over all rows, whatever their count. */
  const spread = (n: number) => (487 * n) % ROWS
  const some = (count: number, path: (number: number) => string) => Array.from({ length: count }, (_, n) => path(n))
  const table = async (what: string, path: string, statuses: readonly string[], sorts: readonly string[]) => ({
    [`${what}, first page`]: [path],
    [`${what}, page 100`]: [await deep(url, path, token)],
    ...Object.fromEntries(statuses.map((status) => [`${what}, ${status}`, [`${path}?status=${status}`]])),
    ...Object.fromEntries(sorts.map((sort) => [`${what}, by ${sort}`, [`${path}?sort=${sort}`]])),
    [`${what}, a search for one`]: some(200, (n) => `${path}?search=person_${spread(n)}`),
    [`${what}, a search for a part`]: some(50, (n) => `${path}?search=${1_031 + 17 * n}`),
    [`${what}, a search for a letter`]: ['s', 'p', 'n', 'z'].map((letter) => `${path}?search=${letter}`),
    [`${what}, a search for two words`]: some(50, (n) => `${path}?search=person%20${17 * n}`),
    [`${what}, a search for nothing`]: [`${path}?search=xqzzt`, `${path}?search=%25%25`],
  })
  return {
    // What the way to a row costs, whatever the table.
    'an order': some(200, (n) => `${orders}/${1 + spread(n)}`),
    ...(await table('users', users, ['active', 'banned'], ['username-asc', 'email-desc', 'name-asc'])),
    'users, sellers by name': [`${users}?role=seller&sort=name-asc`],
    ...(await table('orders', orders, ['pending', 'shipped'], ['total-asc', 'total-desc'])),
    'orders, a name': ['neroli', 'santal', 'v%C3%A9tiver'].map((word) => `${orders}?search=${word}`),
    'orders, a name by total': [`${orders}?search=cuir&sort=total-desc&status=pending`],
    'orders of somebody': some(200, (n) => `${orders}?userId=${FIRST_ID + 7 * n}`),
    ...(await table('listings', listings, ['active', 'removed'], ['name-asc', 'price-desc'])),
    'listings, a brand': ['byredo', 'hermes', 'labo'].map((word) => `${listings}?search=${word}`),
    'listings of somebody': some(200, (n) => `${listings}?sellerId=${FIRST_ID + n}`),
  }
}

async function deep(url: string, path: string, token: string): Promise<string> {
  let next = path
  for (let page = 1; page < 100; page++) {
    const response = await fetch(url + next, { headers: { authorization: `Bearer ${token}` } })
    const link = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    if (link === undefined) return next
    next = link
  }
  return next
}

async function measurePage(name: string, paths: readonly string[], token: string): Promise<void> {
  const signed = paths.map((path) => ({ url: path, token }))
  await requestLoop(signed, { inParallel: IN_PARALLEL, durationMs: WARM_UP_MS })
  const tookMs = await requestLoop(signed, { inParallel: IN_PARALLEL, durationMs, requestsMin: SAMPLES_MIN })
  const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)]
  tellFigure({ name: `admin: ${name}, p99`, value: p99, unit: 'ms', isMore: false })
  const verdict = p99 < GOAL_MS ? 'reached' : 'missed'
  console.log(`| ${name} | ${tookMs.length} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${GOAL_MS}, ${verdict} |`)
}

await main()
