import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BoostPackage, BoostPayment } from '@wangian/contracts/boost.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, type Trader } from '../rig/market.ts'
import { type Deaths, moments, prepareDeaths } from './deaths.ts'
import { openReadModels, type ReadModels } from './read-models.ts'

/** The sandbox tells again of a bill some seconds later. */
const SETTLED_WITHIN_MS = 60_000

let system: System
let dataDir: string
let deaths: Deaths
let nats: NatsConnection
let models: ReadModels
let market: Market
let seller: Trader
let single: BoostPackage

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-boosts-'))
  deaths = prepareDeaths(dataDir)
  const { environment: dying } = deaths
  const environment = { identity: { AUTH_MAILER_AUTOCONFIRM: 'true' }, catalogue: dying, boost: dying }
  system = await startSystem({ dataDir, buildsWeb: false, rateLimitFactor: 1_000_000, environment })
  nats = await connectNats({ url: system.natsUrl, name: 'boosts-test' })
  models = await openReadModels(system, nats)
  market = marketAt(system.url)
  seller = await market.register('seller')
  const packages: BoostPackage[] = await market.succeed('GET', '/api/boost/packages')
  single = packages.find((one) => one.item_count === 1) as BoostPackage
})

afterAll(async () => {
  await models?.close()
  await nats?.close()
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

function service(name: 'catalogue' | 'boost') {
  const handle = system.services.get(name)
  if (handle === undefined) throw new Error(`${name} runs`)
  return handle
}

/** Orders a boost; the same product leads to the same order. */
function orderOf(productId: number): () => ReturnType<Market['call']> {
  const order = { boostPackageId: single.id, productIds: [productId], requestKey: randomUUID() }
  return () => market.call('POST', '/api/boost/create-order', seller.token, order)
}

const pay = (paymentUrl: string) => fetch(`${paymentUrl}/pay`, { method: 'POST', redirect: 'manual' })

const CountRow = z.object({ type: z.string(), count: z.number() })

/** One order, paid once, and one boost of its product. */
async function expectBoostedOnce(orderId: string, productId: number): Promise<void> {
  const payment: BoostPayment = await market.succeed('GET', `/api/boost/payments/${orderId}`, seller.token)
  expect([payment.status, payment.products.map(({ state }) => state)]).toEqual(['paid', ['boosted']])
  const product = await market.succeed('GET', `/api/products/${productId}`)
  expect(product).toMatchObject({ isFeatured: true, featuredUntil: payment.products[0]?.boostedUntil })
  const told = await models.pools.boost.any(sql.type(CountRow)`
    select type, count(*) as count from events where stream = ${`boost-order-${orderId}`}
       and type in ('BoostOrderPlaced', 'BoostOrderSettled', 'ProductBoosted') group by 1 order by 1`)
  expect(told.map(({ count }) => count)).toEqual([1, 1, 1])
  const featured = await models.pools.catalogue.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from events where stream = ${`listing-${productId}`} and type = 'ListingFeatured'`)
  expect(featured).toBe(1)
}

it.each([
  { name: 'boost', type: 'BoostOrderSettled' },
  { name: 'catalogue', type: 'ListingFeatured' },
  { name: 'boost', type: 'ProductBoosted' },
] as const)(
  'a payment is settled and its product boosted once when $name dies before and after it commits $type',
  async (death) => {
    const productId = await market.list(seller)
    const { body } = await orderOf(productId)()
    const point = { service: service(death.name), moments, type: death.type }
    await deaths.killAround(point, () => pay(body.paymentUrl))
    await eventually(() => expectBoostedOnce(body.orderId, productId), { timeoutMs: SETTLED_WITHIN_MS })
  },
)

it('an order is placed once when boost dies before and after it commits it', async () => {
  const productId = await market.list(seller)
  const press = orderOf(productId)
  for (const moment of moments)
    await deaths.killAround({ service: service('boost'), moments: [moment], type: 'BoostOrderPlaced' }, press)
  const { body } = await eventually(async () => {
    const answer = await press()
    return answer.status === 201 && answer
  })
  const orders: BoostPayment[] = await market.succeed('GET', '/api/boost/payments', seller.token)
  expect(orders.filter(({ productIds }) => productIds.includes(productId))).toHaveLength(1)
  await pay(body.paymentUrl)
  await eventually(() => expectBoostedOnce(body.orderId, productId), { timeoutMs: SETTLED_WITHIN_MS })
})

it('a payment that is told of while Postgres is away is settled, and its product boosted, when it is back', async () => {
  const productId = await market.list(seller)
  const { body } = await orderOf(productId)()
  const { postgres } = system
  if (postgres === undefined) throw new Error('this system has a Postgres of its own')
  await postgres.stop()
  // The page of the provider waits for the callback, which boost cannot take.
  await pay(body.paymentUrl)
  await postgres.start()
  await eventually(() => expectBoostedOnce(body.orderId, productId), { timeoutMs: SETTLED_WITHIN_MS })
})

it('every table is what the logs say afterwards', async () => {
  await models.untilHeard()
  expect(await models.rebuildAll()).toEqual([])
})
