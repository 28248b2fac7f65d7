import { randomUUID } from 'node:crypto'
import { auctionRequests } from '@wangian/contracts/auction.ts'
import { catalogueRequests, Product } from '@wangian/contracts/catalogue.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { type BoostableProduct, DeletionEffects, OwnProduct } from '@wangian/contracts/selling.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import type { TestPerson } from '@wangian/kit/testing/test-app.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { productsProjection } from '../projections.ts'
import { messageHandlers } from '../reactions.ts'
import { serveListings } from '../requests.ts'
import { saveAuctionTerms, saveBids } from '../store.ts'
import { listingForm } from '../testing/fixtures.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { type ListingCommand, listingStream } from './domain.ts'
import { runListing } from './listing-run.ts'
import { writePrices } from './pricing.ts'

const sarah: TestPerson = { id: 7, username: 'sarah' }
const hafiz: TestPerson = { id: 8, username: 'hafiz' }
const bala: TestPerson = { id: 21, username: 'bala', isSeller: false }
const admin: TestPerson = { id: 1, username: 'admin', isSeller: false, isAdmin: true }
const at = '2026-11-22T08:00:00.000Z'
const endsAt = '2026-11-29T08:00:00.000Z'

type Open = z.input<typeof auctionRequests.findOpenAuction.answer>
const nothing: Open = { auction: null, isReserved: false }

let bus: TestNats
let shop: TestShop
let serving: { stop(): Promise<void> }[]
/** What the auction service says of products; the rest has no auction. */
const holds = new Map<number, Open>()
const withdrawn: number[] = []

beforeAll(async () => {
  bus = await startTestNats()
  shop = await createTestShop({ nats: bus.connection })
  serving = [
    serveRequests(bus.connection, 'auction', auctionRequests.findOpenAuction, ({ productId }) => {
      return holds.get(productId) ?? nothing
    }),
    serveRequests(bus.connection, 'auction', auctionRequests.withdrawAuction, ({ productId }) => {
      const { auction, isReserved } = holds.get(productId) ?? nothing
      if (auction !== null && auction.bidCount > 0) throw new Rejection('auction-has-bids')
      if (isReserved) throw new Rejection('product-reserved')
      withdrawn.push(productId)
      return { wasOpen: auction !== null }
    }),
    serveListings({ nats: bus.connection, pool: shop.pool, onAppended: () => {} }),
  ]
})
afterAll(async () => {
  for (const one of serving) await one.stop()
  await shop.stop()
  await bus.stop()
})
beforeEach(async () => {
  holds.clear()
  withdrawn.length = 0
  await emptyTables(
    shop.pool,
    'products, bottles, product_requests, product_conversations, pictures, known_people, auction_summaries, favorites, events',
  )
})

const hold = (productId: number, bidCount: number) =>
  holds.set(productId, { auction: { auctionId: 5, bidCount, endsAt }, isReserved: false })

/** An auction that began at RM 200, as far as its events have come here. */
async function open(productId: number, bidSen: number | null = null): Promise<void> {
  const terms = { auctionId: 5, productId, sellerId: 7, startingPriceSen: 20_000, buyNowSen: null, incrementSen: 500 }
  await saveAuctionTerms(shop.pool, [{ ...terms, startsAt: at, endsAt, termsAt: at }])
  if (bidSen !== null) await saveBids(shop.pool, [{ auctionId: 5, seq: 1, amountSen: bidSen }])
  await writePrices(shop.pool)
}

async function create(form: Record<string, unknown> = {}, by: TestPerson = sarah): Promise<Product> {
  const { status, body } = await shop.call('POST', '/api/products', { by, body: { ...listingForm, ...form } })
  expect(status, JSON.stringify(body)).toBe(201)
  return Product.parse(body)
}

const run = (productId: number, command: ListingCommand) =>
  runListing(
    { pool: shop.pool, onAppended: () => {} },
    { productId, command, actorId: sarah.id ?? 0, requestId: 'test-request' },
  )
const reserve = (productId: number, auctionId = 5) =>
  run(productId, {
    type: 'SettleAuction',
    auctionId,
    end: { outcome: 'won', winnerId: 21, amountSen: 26_000 },
    at,
  })
const feature = (productId: number, featuredUntil = '2100-01-01T00:00:00.000Z') =>
  run(productId, { type: 'FeatureListing', packageId: 5, featuredUntil, commandId: randomUUID(), canBeSeen: true, at })

const own = (productId: number, by: TestPerson = sarah) => shop.call('GET', `/api/seller/products/${productId}`, { by })
const update = (productId: number, body: object, by: TestPerson = sarah) =>
  shop.call('PUT', `/api/products/${productId}`, { by, body })
const remove = (productId: number, by: TestPerson = sarah) => shop.call('DELETE', `/api/products/${productId}`, { by })

function expectRefusal({ body }: { readonly body: unknown }, code: ErrorCode): void {
  expect(body).toMatchObject({ code })
}

const eventTypes = async (productId: number) =>
  (await readStream(shop.pool, 'catalogue', listingStream(productId))).map(({ type }) => type)

describe('POST /api/products with a key of the request', () => {
  const requestKey = randomUUID()
  const post = (body: object, by: TestPerson = sarah) =>
    shop.call('POST', '/api/products', { by, body: { ...listingForm, requestKey, ...body } })

  it('makes one product, however often it is asked for', async () => {
    const first = await post({})
    expect(first.status).toBe(201)
    expect(await post({})).toMatchObject({ status: 201, body: first.body })
    expect(await post({ name: 'Another name' })).toMatchObject({ status: 201, body: first.body })
    expect((await shop.call('GET', '/api/seller/summary', { by: sarah })).body).toMatchObject({ totalProducts: 1 })
  })

  it('makes one product when it is asked for many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({})))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ body }) => (body as Product).id)).size).toBe(1)
    expect((await shop.call('GET', '/api/seller/summary', { by: sarah })).body).toMatchObject({ totalProducts: 1 })
  })

  it('is the own key of each seller', async () => {
    const ofSarah = (await post({})).body as Product
    const ofHafiz = (await post({}, hafiz)).body as Product
    expect(ofHafiz.id).not.toBe(ofSarah.id)
    expect(ofHafiz.sellerId).toBe(8)
  })

  it('makes another one for another key, and without one', async () => {
    const ids = [await post({}), await post({ requestKey: randomUUID() }), await post({ requestKey: undefined })]
    expect(new Set(ids.map(({ body }) => (body as Product).id)).size).toBe(3)
  })

  it('does not count against the limit when it is sent again', async () => {
    const strict = await createTestShop({ nats: bus.connection, rateLimitFactor: 1 / 60 })
    try {
      const body = { ...listingForm, requestKey }
      const statuses = []
      for (const one of [body, body, { ...body, requestKey: randomUUID() }]) {
        statuses.push((await strict.call('POST', '/api/products', { by: sarah, body: one })).status)
      }
      expect(statuses).toEqual([201, 201, 429])
    } finally {
      await strict.stop()
    }
  })

  it('makes nothing that came of a product that is gone', async () => {
    const { id } = (await post({})).body as Product
    await remove(id)
    expectRefusal(await post({}), 'product-not-found')
  })
})

describe('changes of one listing', () => {
  it('are so many a day, its pictures included, and nobody spends those of somebody else', async () => {
    // 100 a day, and 60 listings an hour, in production.
    const strict = await createTestShop({ nats: bus.connection, rateLimitFactor: 1 / 25 })
    try {
      const listed = async () => (await strict.call('POST', '/api/products', { by: sarah, body: listingForm })).body
      const [one, other] = [(await listed()) as Product, (await listed()) as Product]
      const change = async (by: TestPerson, { id }: Product, body: object, part = '') =>
        (await strict.call('PUT', `/api/products/${id}${part}`, { by, body })).status
      for (let time = 0; time < 5; time++) expect(await change(hafiz, one, { name: 'His' })).not.toBe(200)
      expect(await change(sarah, one, { name: 'One' })).toBe(200)
      expect(await change(sarah, one, { name: 'Two' })).toBe(200)
      expect(await change(sarah, one, { imageIds: [] }, '/images')).toBe(200)
      expect((await strict.call('DELETE', `/api/products/${one.id}/images/9`, { by: sarah })).status).toBe(404)
      const refused = await strict.call('PUT', `/api/products/${one.id}`, { by: sarah, body: { name: 'Three' } })
      expectRefusal(refused, 'rate-limited')
      expect(await change(sarah, one, { imageIds: [] }, '/images')).toBe(429)
      expect((await strict.call('DELETE', `/api/products/${one.id}/images/9`, { by: sarah })).status).toBe(429)
      expect(await change(sarah, other, { name: 'Other' })).toBe(200)
    } finally {
      await strict.stop()
    }
  })
})

describe('PUT /api/products/:productId', () => {
  it('changes what is named and nothing else', async () => {
    const product = await create({ imageUrl: 'https://example.com/a.jpg' })
    const { status, body } = await update(product.id, { name: 'Santal 33 (sealed)', price: 700.1, sellerId: 7 })
    expect(status).toBe(200)
    const changed = OwnProduct.parse(body)
    expect(changed).toMatchObject({
      ...product,
      name: 'Santal 33 (sealed)',
      price: 700.1,
      updatedAt: changed.updatedAt,
    })
    expect(Date.parse(changed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(product.createdAt))
    expect(await eventTypes(product.id)).toEqual(['ListingCreated', 'ListingUpdated'])
    expect((await shop.call('GET', `/api/products/${product.id}`)).body).toMatchObject({ name: 'Santal 33 (sealed)' })
  })

  it('empties what may be empty', async () => {
    const { id } = await create({ imageUrl: 'https://example.com/a.jpg' })
    const { body } = await update(id, { batchCode: '', purchaseYear: null, imageUrl: '' })
    expect(body).toMatchObject({ batchCode: null, purchaseYear: null, imageUrl: null })
  })

  it('takes the name of a picture of the own ones only', async () => {
    const { id } = await create()
    const announce = async (by: TestPerson, productId: number, imageUrl: string) => {
      const { status } = await shop.call('POST', '/api/product-images', { by, body: { productId, imageUrl } })
      expect(status).toBe(201)
    }
    await announce(sarah, id, 'picture-of-sarah')
    const ofHafiz = await shop.call('POST', '/api/products', { by: hafiz, body: listingForm })
    await announce(hafiz, Product.parse(ofHafiz.body).id, 'picture-of-hafiz')
    expect(await update(id, { imageUrl: 'picture-of-sarah' })).toMatchObject({ body: { imageUrl: 'picture-of-sarah' } })
    for (const imageUrl of ['picture-of-hafiz', 'picture-of-nobody']) {
      expect(await update(id, { imageUrl })).toMatchObject({
        status: 400,
        body: { message: 'Please enter a valid image URL' },
      })
    }
    // What was kept before that was asked stays.
    await shop.pool.query(sql.unsafe`update products set image_url = 'picture-of-before' where id = ${id}`)
    expect((await update(id, { imageUrl: 'picture-of-before' })).status).toBe(200)
  })

  it('tells nobody when nothing changes', async () => {
    const { id } = await create()
    expect((await update(id, { ...listingForm })).status).toBe(200)
    expect((await update(id, {})).status).toBe(200)
    expect(await eventTypes(id)).toEqual(['ListingCreated'])
  })

  it.each([
    [{ name: 'No' }, 'Name must be at least 3 characters'],
    [{ brand: 'X' }, 'Brand must be at least 2 characters'],
    [{ description: 'Too short' }, 'Description must be at least 10 characters'],
    [{ price: 0 }, 'Price must be greater than 0'],
    [{ stockQuantity: -1 }, 'Stock quantity must be 0 or greater'],
    [{ categoryId: 9 }, 'Please select a category'],
    [{ volume: 0 }, 'Please enter a valid volume (e.g. 50ml, 100ml)'],
    [{ imageUrl: 'http://example.com/a.jpg' }, 'Please enter a valid image URL'],
    [{ listingType: 'auction' }, 'A listing can change between fixed and negotiable only'],
  ])('refuses %j', async (changes, message) => {
    const { id } = await create()
    expect(await update(id, changes)).toMatchObject({ status: 400, body: { message } })
    expect(await eventTypes(id)).toEqual(['ListingCreated'])
  })

  it('is free before the first bid', async () => {
    const { id } = await create({ listingType: 'auction' })
    hold(id, 0)
    expect((await update(id, { name: 'Another name' })).status).toBe(200)
    expectRefusal(await update(id, { stockQuantity: 0 }), 'bad-request')
  })

  it('keeps a bottle for whoever wins an auction that is just being opened', async () => {
    const { id } = await create({ listingType: 'auction', stockQuantity: 2 })
    const deal = { transactionId: 61, sellerId: 7, buyerId: 21, amountSen: 68_050 }
    await run(id, { type: 'ReserveBottle', ...deal, hold: 'none', at })
    holds.set(id, { ...nothing, isBeingOpened: true })
    expectRefusal(await update(id, { stockQuantity: 1 }), 'product-reserved')
    expect((await update(id, { stockQuantity: 3 })).status).toBe(200)
  })

  it('only adds to the description once there is a bid', async () => {
    const { id, description } = await create({ listingType: 'auction' })
    hold(id, 1)
    const refused = await update(id, { name: 'Another name' })
    expect(refused).toMatchObject({ status: 409, body: { message: 'Auction already has bids' } })
    expectRefusal(await update(id, { description: 'Something else.' }), 'auction-has-bids')
    const longer = `${description} One scratch.`
    // The form sends all fields; those that stay are no change.
    const form = { ...listingForm, listingType: 'auction', description: longer }
    expect(await update(id, form)).toMatchObject({ status: 200, body: { description: longer } })
  })

  it('waits for the winner, also before we have heard of the end', async () => {
    const early = await create({ listingType: 'auction' })
    holds.set(early.id, { auction: null, isReserved: true })
    expectRefusal(await update(early.id, { name: 'Another name' }), 'product-reserved')
    const late = await create({ listingType: 'auction' })
    await reserve(late.id)
    expectRefusal(await update(late.id, { name: 'Another name' }), 'product-reserved')
  })

  it('only adds to the description of what is sold', async () => {
    const { id, description } = await create()
    await run(id, { type: 'SellBottle', transactionId: 61, buyerId: 21, amountSen: 68_050, at })
    for (const changes of [{ name: 'Another name' }, { price: 1 }, { stockQuantity: 5 }]) {
      expect(await update(id, changes)).toMatchObject({ status: 409, body: { message: 'This product is sold' } })
    }
    const longer = `${description} One scratch.`
    expect(await update(id, { description: longer })).toMatchObject({
      status: 200,
      body: { description: longer, status: 'sold' },
    })
  })

  it('changes nothing that it cannot ask about', async () => {
    const alone = await startTestNats()
    const unasked = await createTestShop({ nats: alone.connection })
    try {
      const by = sarah
      const body = { ...listingForm, listingType: 'auction' }
      const { id } = (await unasked.call('POST', '/api/products', { by, body })).body as Product
      for (const answer of [
        await unasked.call('PUT', `/api/products/${id}`, { by, body: { name: 'Another name' } }),
        await unasked.call('DELETE', `/api/products/${id}`, { by }),
      ]) {
        expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      }
      expect((await unasked.call('GET', `/api/products/${id}`)).body).toMatchObject({ name: listingForm.name })
    } finally {
      await unasked.stop()
      await alone.stop()
    }
  })
})

describe('DELETE /api/products/:productId', () => {
  it('takes it away for everybody', async () => {
    const { id } = await create()
    await shop.call('PUT', `/api/favorites/${id}`, { by: bala })
    expect(await remove(id)).toMatchObject({ status: 204, body: null })
    for (const by of [sarah, hafiz, bala, admin, undefined]) {
      const as = by === undefined ? {} : { by }
      expectRefusal(await shop.call('GET', `/api/products/${id}`, as), 'product-not-found')
      expectRefusal(await shop.call('GET', `/api/product-images/${id}`, as), 'product-not-found')
    }
    expect((await shop.call('GET', '/api/products')).body).toEqual([])
    expect((await shop.call('GET', '/api/products/facets')).body).toMatchObject({ total: 0 })
    expect((await shop.call('GET', '/api/favorites', { by: bala })).body).toEqual([])
    expect((await shop.call('GET', '/api/seller/products?sellerId=7', { by: sarah })).body).toEqual([])
    expect((await shop.call('GET', '/api/seller/products', { by: sarah })).body).toEqual([])
    expectRefusal(await own(id), 'product-not-found')
    expectRefusal(await update(id, { name: 'Back' }), 'product-not-found')
    expect(await request(bus.connection, 'catalogue', catalogueRequests.getListing, { productId: id })).toEqual({
      listing: null,
    })
    expect(await request(bus.connection, 'catalogue', catalogueRequests.getProduct, { productId: id })).toEqual({
      product: null,
    })
  })

  it('is the same again', async () => {
    const { id } = await create()
    expect((await remove(id)).status).toBe(204)
    expect((await remove(id)).status).toBe(204)
    expectRefusal(await remove(id, hafiz), 'product-not-found')
    expect(await eventTypes(id)).toEqual(['ListingCreated', 'ListingRemoved'])
  })

  it('stays so when everything is made again from the log', async () => {
    const { id } = await create()
    await remove(id)
    await rebuildTables(shop.pool, 'catalogue', productsProjection)
    expect((await remove(id)).status).toBe(204)
    expectRefusal(await own(id), 'product-not-found')
  })

  it('withdraws the auction first', async () => {
    const { id } = await create({ listingType: 'auction' })
    hold(id, 0)
    expect((await remove(id)).status).toBe(204)
    expect(withdrawn).toEqual([id])
  })

  it('asks no auction about a fixed price', async () => {
    const { id } = await create()
    await remove(id)
    expect(withdrawn).toEqual([])
  })

  it('is refused once there is a bid', async () => {
    const { id } = await create({ listingType: 'auction' })
    hold(id, 1)
    expect(await remove(id)).toMatchObject({ status: 409, body: { message: 'Auction already has bids' } })
    expect(await eventTypes(id)).toEqual(['ListingCreated'])
  })

  it('is refused while it is kept for the winner, also before we have heard of the end', async () => {
    const { id } = await create({ listingType: 'auction' })
    holds.set(id, { auction: null, isReserved: true })
    expectRefusal(await remove(id), 'product-reserved')
    holds.clear()
    await reserve(id)
    expectRefusal(await remove(id), 'product-reserved')
    expect(withdrawn).toEqual([])
  })
})

describe('GET /api/seller/products', () => {
  const list = async (query = '', by: TestPerson = sarah) => {
    const answer = await shop.call('GET', `/api/seller/products?sellerId=${by.id}${query}`, { by })
    expect(answer.status).toBe(200)
    const products = OwnProduct.array().parse(answer.body)
    return { ...answer, products, names: products.map(({ name }) => name) }
  }

  async function fill(): Promise<void> {
    const names = [
      'Active one',
      'Featured one',
      'Reserved one',
      'Sold one',
      'Archived one',
      'Active two',
      'Featured two',
    ]
    for (const name of names) {
      const { id } = await create({ name, listingType: name.startsWith('Reserved') ? 'auction' : 'fixed' })
      if (name.startsWith('Featured')) await feature(id)
      if (name.startsWith('Reserved')) await reserve(id)
      for (const status of ['sold', 'archived']) {
        if (!name.toLowerCase().startsWith(status)) continue
        await shop.pool.query(sql.unsafe`update products set status = ${status} where id = ${id}`)
      }
    }
    await create({ name: 'Of another' }, hafiz)
    await remove((await create({ name: 'Gone' })).id)
  }
  const inOrder = [
    'Featured two',
    'Featured one',
    'Active two',
    'Active one',
    'Reserved one',
    'Sold one',
    'Archived one',
  ]

  it('has the featured ones first, then by status, the newest first', async () => {
    await fill()
    const { names, headers } = await list()
    expect(names).toEqual(inOrder)
    expect(headers['x-total-count']).toBe('7')
    expect(headers.link).toBeUndefined()
  })

  it.each([
    ['sellerId=7', 1],
    ['sellerId=7', 2],
    ['sellerId=7', 3],
    ['sellerId=7', 6],
    ['sellerId=7', 7],
    ['', 2],
    ['', 7],
  ])('with "%s" leads through all of them in pages of %i', async (query, limit) => {
    await fill()
    const found: string[] = []
    let url: string | undefined = `/api/seller/products?${query}&limit=${limit}`
    while (url !== undefined) {
      const { body, headers } = await shop.call('GET', url, { by: sarah })
      expect(headers['x-total-count']).toBe('7')
      found.push(...(body as OwnProduct[]).map(({ name }) => name))
      url = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1]
    }
    expect(found).toEqual(inOrder)
  })

  it.each([
    ['featured', ['Featured two', 'Featured one']],
    ['active', ['Featured two', 'Featured one', 'Active two', 'Active one']],
    ['pending', ['Reserved one']],
    ['sold', ['Sold one']],
    ['archived', ['Archived one']],
  ])('narrows to %s', async (status, expected) => {
    await fill()
    const { names, headers } = await list(`&status=${status}`)
    expect(names).toEqual(expected)
    expect(headers['x-total-count']).toBe(String(expected.length))
  })

  it.each([
    ['santal', ['Santal 33']],
    ['LE labo', ['Thé Noir 29', 'Santal 33']],
    ['the noir', ['Thé Noir 29']],
    ['33 labo', ['Santal 33']],
    ['anta', ['Santal 33']],
    ['santal33', ['Santal 33']],
    ['%', []],
    ['...', []],
    ['nothing like it', []],
  ])('finds %s', async (search, expected) => {
    await create({ name: 'Santal 33', brand: 'Le Labo' })
    await create({ name: 'Thé Noir 29', brand: 'Le Labo' })
    await create({ name: 'Oud Wood', brand: 'Tom Ford' })
    const { names, headers } = await list(`&search=${encodeURIComponent(search)}`)
    expect(names).toEqual(expected)
    expect(headers['x-total-count']).toBe(String(expected.length))
  })

  it('says who has won, and what they owe', async () => {
    await tellOfPerson(shop.pool, registeredAs(21, 'bala', false))
    const { id } = await create({ listingType: 'auction' })
    await reserve(id)
    const { products } = await list()
    expect(products[0]).toMatchObject({
      status: 'pending',
      reservation: { buyerId: 21, username: 'bala', amount: 260 },
    })
    expect((await own(id)).body).toEqual(products[0])
  })

  it('counts who keeps it', async () => {
    const { id } = await create()
    await shop.call('PUT', `/api/favorites/${id}`, { by: bala })
    expect((await list()).products[0]).toMatchObject({ favoriteCount: 1, viewCount: 0, reservation: null })
  })

  it('is what the boost flow reads when nobody is named', async () => {
    await fill()
    const { status, body, headers } = await shop.call('GET', '/api/seller/products', { by: sarah })
    expect(status).toBe(200)
    const products = body as BoostableProduct[]
    expect(products.map(({ name }) => name)).toEqual(inOrder)
    expect(products[0]).toEqual({
      id: expect.any(Number),
      name: 'Featured two',
      price: 68_050,
      status: 'active',
      image_url: null,
      is_featured: true,
    })
    expect(headers['x-total-count']).toBe('7')
  })

  it('has an auction at the price that it has now, which its form does not have', async () => {
    const { id } = await create({ price: 9999, listingType: 'auction' })
    const prices = async () => {
      const { body } = await shop.call('GET', '/api/seller/products', { by: sarah })
      const [own] = (await list()).products
      return [(body as BoostableProduct[])[0]?.price, own?.price, own?.auction?.currentBid]
    }
    expect(await prices()).toEqual([999_900, 9999, undefined])
    await open(id)
    expect(await prices()).toEqual([20_000, 9999, null])
    await open(id, 30_000)
    expect(await prices()).toEqual([30_000, 9999, 300])
  })

  it('gives those that are named, and none of others', async () => {
    await fill()
    const { products } = await list('&status=sold')
    const { products: ofHafiz } = await list('', hafiz)
    const named = [...products, ...ofHafiz].map(({ id }) => `productId=${id}`).join('&')
    const { body, headers } = await shop.call('GET', `/api/seller/products?${named}`, { by: sarah })
    expect([(body as BoostableProduct[]).map(({ name }) => name), headers['x-total-count']]).toEqual([
      ['Sold one'],
      '1',
    ])
  })

  it.each(['?sellerId=7', ''])('gives 100 at once when no limit is asked for (%s)', async (query) => {
    await shop.list(...Array.from({ length: 101 }, (_, index) => ({ productId: 1_000 + index })))
    const { body, headers } = await shop.call('GET', `/api/seller/products${query}`, { by: sarah })
    expect([(body as unknown[]).length, headers['x-total-count']]).toEqual([100, '101'])
    expect(headers['link']).toContain('rel="next"')
  })

  it.each(['limit=0', 'limit=501', 'cursor=nonsense', 'status=gone', 'productId=0', `search=${'a'.repeat(101)}`])(
    'refuses %s',
    async (query) => {
      expectRefusal(await shop.call('GET', `/api/seller/products?sellerId=7&${query}`, { by: sarah }), 'bad-request')
    },
  )
})

describe('GET /api/seller/summary', () => {
  const summary = async (by: TestPerson = sarah) => (await shop.call('GET', '/api/seller/summary', { by })).body

  it('is empty for who sells nothing', async () => {
    expect(await summary()).toEqual({ totalProducts: 0, totalUnits: 0, averagePrice: null, boostedCount: 0 })
  })

  it('counts everything that is listed', async () => {
    const first = await create({ price: 100, stockQuantity: 3 })
    await create({ price: 50.01, stockQuantity: 4 })
    const sold = await create({ price: 0.5, stockQuantity: 2 })
    await shop.pool.query(sql.unsafe`update products set status = 'sold' where id = ${sold.id}`)
    await remove((await create({ price: 9999 })).id)
    await create({ price: 9999 }, hafiz)
    await feature(first.id)
    expect(await summary()).toEqual({ totalProducts: 3, totalUnits: 7, averagePrice: 50.17, boostedCount: 1 })
  })

  it('averages the price that an auction has now, and not the one of the form', async () => {
    await create({ price: 100 })
    await open((await create({ price: 9999, listingType: 'auction' })).id, 30_000)
    expect(await summary()).toMatchObject({ averagePrice: 200 })
  })
})

describe('GET /api/seller/products/:productId/deletion', () => {
  const effects = async (productId: number) => {
    const { status, body } = await shop.call('GET', `/api/seller/products/${productId}/deletion`, { by: sarah })
    expect(status).toBe(200)
    return DeletionEffects.parse(body)
  }

  it('is nothing for something that nobody has looked at', async () => {
    expect(await effects((await create()).id)).toEqual({
      favoriteCount: 0,
      conversationCount: 0,
      featuredUntil: null,
      auction: null,
      isReserved: false,
    })
  })

  it('names those who keep it, and the rest of a boost', async () => {
    const { id } = await create()
    await shop.call('PUT', `/api/favorites/${id}`, { by: bala })
    await shop.call('PUT', `/api/favorites/${id}`, { by: hafiz })
    await feature(id)
    expect(await effects(id)).toMatchObject({ favoriteCount: 2, featuredUntil: '2100-01-01T00:00:00.000Z' })
  })

  it('counts the conversations about it, however much is written in each', async () => {
    const { id } = await create()
    const sent = (messageId: number, senderId: number, receiverId: number, productId: number | null = id) => ({
      type: 'MessageSent',
      data: { messageId, senderId, receiverId, productId, kind: 'text', sentAt: at },
    })
    const messages = [sent(1, 21, 7), sent(2, 7, 21), sent(3, 22, 7), sent(4, 23, 7, null), sent(5, 24, 7, id + 1)]
    for (const events of [messages, messages]) {
      await shop.pool.transaction(async (transaction) => messageHandlers.MessageSent?.(transaction, events as never))
    }
    expect(await effects(id)).toMatchObject({ conversationCount: 2 })
  })

  it('names the auction that runs, and who has won it', async () => {
    const { id } = await create({ listingType: 'auction' })
    hold(id, 3)
    expect(await effects(id)).toMatchObject({ auction: { id: 5, bidCount: 3, endsAt }, isReserved: false })
    holds.set(id, { auction: null, isReserved: true })
    expect(await effects(id)).toMatchObject({ auction: null, isReserved: true })
    holds.clear()
    await reserve(id)
    expect(await effects(id)).toMatchObject({ auction: null, isReserved: true })
  })
})
