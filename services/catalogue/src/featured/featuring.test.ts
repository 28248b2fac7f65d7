import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { holdLocks } from '@wangian/kit/database/exclusive-session.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { type ListingCommand, listingStream } from '../listings/domain.ts'
import { runListing } from '../listings/listing-run.ts'
import { listingForm } from '../testing/fixtures.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { endFeatured, serveFeaturing, startFeatureExpiry } from './featuring.ts'

const KEY = 'f2b1a6c0-0000-4000-8000-00000000000'
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const HOUR_MS = 60 * 60 * 1000
/** How soon it is answered is not what is tested here. */
const ANSWER_WITHIN_MS = 20_000

let nats: TestNats
let shop: TestShop
let serving: { stop(): Promise<void> }
let appendedCount = 0
beforeAll(async () => {
  nats = await startTestNats()
  shop = await createTestShop()
  serving = serveFeaturing({ nats: nats.connection, pool: shop.pool, onAppended: () => (appendedCount += 1) })
})
afterAll(async () => {
  await serving.stop()
  await shop.stop()
  await nats.stop()
})
beforeEach(() => emptyTables(shop.pool, 'products, bottles, events, known_people'))

async function list(): Promise<number> {
  const { body } = await shop.call('POST', '/api/products', { by: { id: 7 }, body: listingForm })
  return (body as { id: number }).id
}
const order = (command: z.input<typeof catalogueRequests.featureListing.body>) =>
  request(nats.connection, 'catalogue', catalogueRequests.featureListing, command, { timeoutMs: ANSWER_WITHIN_MS })
const feature = (productId: number, featuredUntil: string, number = 1) =>
  order({ productId, packageId: null, featuredUntil, commandId: KEY + number })
const featured = async () =>
  ((await shop.call('GET', '/api/products/featured')).body as { id: number }[]).map(({ id }) => id)
const eventsOf = async (productId: number) =>
  (await readStream(shop.pool, 'catalogue', listingStream(productId))).map(({ type }) => type)
const run = (productId: number, command: ListingCommand) =>
  runListing({ pool: shop.pool, onAppended: () => {} }, { productId, command, actorId: 7, requestId: 'test-request' })
/** As if the time until the end had passed, here and in the log. */
const letItEnd = async (productId: number) => {
  const past = inMs(-1000)
  await shop.pool.query(sql.unsafe`update products set featured_until = ${past} where id = ${productId}`)
  await shop.pool.query(sql.unsafe`
    update events set data = data || jsonb_build_object('featuredUntil', ${past}::text)
     where stream = ${listingStream(productId)} and type = 'ListingFeatured'`)
}

describe('featuring a product', () => {
  it('shows it in the first places, the last one first, once for a command', async () => {
    const [one, other] = [await list(), await list()]
    const until = inMs(HOUR_MS)
    const before = appendedCount
    for (const _ of [1, 2]) expect(await feature(one, until)).toEqual({ featuredUntil: until })
    expect(appendedCount).toBe(before + 1)
    await feature(other, until)
    expect(await featured()).toEqual([other, one])
    expect((await shop.call('GET', '/api/products/featured?limit=1')).body).toMatchObject([
      { id: other, isFeatured: true, featuredUntil: until, featured_until: until, status: 'active' },
    ])
    expect(await eventsOf(one)).toEqual(['ListingCreated', 'ListingFeatured'])
  })

  it('is longer with a later end, and never shorter', async () => {
    const id = await list()
    const [sooner, later] = [inMs(HOUR_MS), inMs(2 * HOUR_MS)]
    await feature(id, later, 1)
    expect(await feature(id, sooner, 2)).toEqual({ featuredUntil: later })
    const latest = inMs(3 * HOUR_MS)
    expect(await feature(id, latest, 3)).toEqual({ featuredUntil: latest })
  })

  it('is longer by what was bought, from now or from its end, once for a command', async () => {
    const id = await list()
    const longer = (number: number) => order({ productId: id, packageId: 5, durationHours: 2, commandId: KEY + number })
    const before = Date.now()
    const { featuredUntil } = await longer(1)
    expect(Date.parse(featuredUntil) - 2 * HOUR_MS).toBeGreaterThanOrEqual(before)
    expect(Date.parse(featuredUntil) - 2 * HOUR_MS).toBeLessThanOrEqual(Date.now())
    expect(await longer(1)).toEqual({ featuredUntil })
    const both = await Promise.all([longer(2), longer(3)])
    const ends = both.map((answer) => Date.parse(answer.featuredUntil) - Date.parse(featuredUntil))
    expect(Math.max(...ends)).toBe(4 * HOUR_MS)
    expect((await eventsOf(id)).filter((type) => type === 'ListingFeatured')).toHaveLength(3)
    await expect(
      order({ productId: id, packageId: 5, durationHours: 2, featuredUntil, commandId: KEY + 4 }),
    ).rejects.toThrow()
  })

  it('is refused for what is not there or not for sale', async () => {
    await expect(feature(999, inMs(HOUR_MS))).rejects.toMatchObject({ code: 'product-not-found' })
    const id = await list()
    await expect(feature(id, inMs(-HOUR_MS))).rejects.toMatchObject({ code: 'bad-request' })
    await tellOfPerson(shop.pool, {
      type: 'UserBanned',
      data: { userId: 7, bannedAt: '2026-11-22T08:00:00.000Z' },
    })
    await expect(feature(id, inMs(HOUR_MS))).rejects.toMatchObject({ code: 'product-not-found' })
  })

  it('is answered as the first time though the seller was banned or the product removed since', async () => {
    const [banned, removed] = [await list(), await list()]
    const longer = (productId: number, number: number) =>
      order({ productId, packageId: 5, durationHours: 2, commandId: KEY + number })
    const first = await longer(banned, 1)
    await longer(removed, 2)
    await run(removed, { type: 'RemoveListing', reason: 'A fake', at: inMs(0) })
    await tellOfPerson(shop.pool, { type: 'UserBanned', data: { userId: 7, bannedAt: '2026-11-22T08:00:00.000Z' } })
    expect(await longer(banned, 1)).toEqual(first)
    expect(await longer(removed, 2)).toMatchObject({ featuredUntil: expect.any(String) })
    for (const id of [banned, removed]) await expect(longer(id, 3)).rejects.toMatchObject({ code: 'product-not-found' })
  })

  it('shows nothing of a seller who is hidden', async () => {
    const id = await list()
    await feature(id, inMs(HOUR_MS))
    await tellOfPerson(shop.pool, { type: 'UserBanned', data: { userId: 7, bannedAt: '2026-11-22T08:00:00.000Z' } })
    expect(await featured()).toEqual([])
  })
})

describe('a boost of what is kept for somebody', () => {
  const at = '2026-11-22T08:00:00.000Z'
  const deal = { transactionId: 61, sellerId: 7, buyerId: 20, amountSen: 68_050, at }
  const reserve = (productId: number, transactionId = 61) =>
    run(productId, { type: 'ReserveBottle', ...deal, transactionId, hold: 'none' })
  const release = (productId: number) =>
    run(productId, { type: 'ReleaseBottle', transactionId: 61, auctionId: null, by: 'buyer', at })
  const sell = (productId: number, transactionId: number) =>
    run(productId, { type: 'SellBottle', ...deal, transactionId })

  /** In the first places, by everybody and by its seller. */
  async function boosted() {
    const idsOf = (products: unknown) => (products as { id: number }[]).map(({ id }) => id)
    const get = async (url: string) => (await shop.call('GET', url, { by: { id: 7 } })).body
    const { products } = (await get('/api/sellers/7/products?status=featured&sort=price-asc')) as { products: unknown }
    const { boostedCount } = (await get('/api/seller/summary')) as { boostedCount: number }
    const own = idsOf(await get('/api/seller/products?sellerId=7&status=featured'))
    return { first: await featured(), inShop: idsOf(products), own, boostedCount }
  }

  it('is shown again in the place that it had, when that is free again in time', async () => {
    await tellOfPerson(shop.pool, registeredAs(7, 'sarah'))
    const [one, other] = [await list(), await list()]
    for (const id of [one, other]) await feature(id, inMs(HOUR_MS))
    const before = { first: [other, one], inShop: [one, other], own: [other, one], boostedCount: 2 }
    expect(await boosted()).toEqual(before)
    await reserve(other)
    expect(await boosted()).toEqual({ ...before, first: [one], inShop: [one] })
    expect(await endFeatured(shop.pool)).toMatchObject({ ended: 0 })
    await release(other)
    expect(await boosted()).toEqual(before)
    await reserve(other, 62)
    await sell(other, 62)
    expect(await boosted()).toEqual({ first: [one], inShop: [one], own: [one], boostedCount: 1 })
    expect((await eventsOf(other)).slice(-2)).toEqual(['ListingSold', 'ListingUnfeatured'])
  })

  it('ends in its time', async () => {
    const id = await list()
    await feature(id, inMs(HOUR_MS))
    await reserve(id)
    await letItEnd(id)
    expect(await endFeatured(shop.pool)).toMatchObject({ ended: 1 })
    await release(id)
    expect(await featured()).toEqual([])
  })
})

const locks = () => holdLocks({ url: shop.database.url, applicationName: 'expiry' })

describe('the end of featuring', () => {
  it('comes when the time is over, though nobody was there, and for nobody else', async () => {
    const [over, goesOn] = [await list(), await list()]
    await feature(over, inMs(HOUR_MS))
    await feature(goesOn, inMs(HOUR_MS))
    await letItEnd(over)
    // Not shown from its end on, whoever is late.
    expect(await featured()).toEqual([goesOn])
    const expiry = startFeatureExpiry({ locks: locks(), pool: shop.pool, onAppended: () => {} })
    await eventually(async () => expect(await eventsOf(over)).toContain('ListingUnfeatured'))
    await expiry.stop()
    expect(await eventsOf(goesOn)).not.toContain('ListingUnfeatured')
    expect((await shop.call('GET', `/api/products/${over}`)).body).toMatchObject({
      isFeatured: false,
      featuredUntil: null,
    })
    expect(await endFeatured(shop.pool)).toMatchObject({ ended: 0 })
  })

  it('comes whatever is wrong with what ended before', async () => {
    const [broken, other] = [await list(), await list()]
    for (const id of [broken, other]) {
      await feature(id, inMs(HOUR_MS))
      await letItEnd(id)
    }
    await shop.pool.query(sql.unsafe`
      update events set type = 'Unknown' where stream = ${listingStream(broken)} and type = 'ListingFeatured'`)
    await expect(endFeatured(shop.pool)).rejects.toThrow()
    expect(await eventsOf(other)).toContain('ListingUnfeatured')
  })

  it('comes once, whoever looks', async () => {
    const id = await list()
    await feature(id, inMs(HOUR_MS))
    await letItEnd(id)
    await Promise.all([endFeatured(shop.pool), endFeatured(shop.pool)])
    expect(await eventsOf(id)).toEqual(['ListingCreated', 'ListingFeatured', 'ListingUnfeatured'])
  })

  it('comes within a moment of its time', async () => {
    const id = await list()
    const expiry = startFeatureExpiry({ locks: locks(), pool: shop.pool, onAppended: () => {} })
    const endsAtMs = Date.now() + 2000
    await feature(id, new Date(endsAtMs).toISOString())
    await eventually(async () => expect(await eventsOf(id)).toContain('ListingUnfeatured'))
    expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs)
    await expiry.stop()
  })
})
