import { auctionRequests } from '@wangian/contracts/auction.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasPicture, insertPicture } from '../pictures/picture-store.ts'
import { serveListings } from '../requests.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import type { ListingCommand } from './domain.ts'
import { runListing } from './listing-run.ts'

const seller = 7
const admin = 1
const at = '2026-11-22T08:00:00.000Z'

let bus: TestNats
let shop: TestShop
let serving: { stop(): Promise<void> }
let lastId = 100
const withdrawn: object[] = []
let answers: { stop(): Promise<void> } | undefined

beforeAll(async () => {
  bus = await startTestNats()
  shop = await createTestShop({ nats: bus.connection })
  serving = serveListings({ nats: bus.connection, pool: shop.pool, onAppended: () => {} })
})
afterAll(async () => {
  await serving.stop()
  await shop.stop()
  await bus.stop()
})
beforeEach(async () => {
  withdrawn.splice(0)
  await answers?.stop()
  answers = serveRequests(bus.connection, 'auction', auctionRequests.withdrawAuction, (asked) => {
    withdrawn.push(asked)
    return { wasOpen: true }
  })
  return () => answers?.stop()
})

const run = (productId: number, command: ListingCommand) =>
  runListing({ pool: shop.pool, onAppended: () => {} }, { productId, command, actorId: seller, requestId: 'r' })

async function list(facts: Partial<ReturnType<typeof listingFacts>> = {}): Promise<number> {
  lastId += 1
  await run(lastId, { type: 'CreateListing', facts: listingFacts({ productId: lastId, ...facts }) })
  return lastId
}

const remove = (productId: number, reason = 'A copy.') =>
  request(bus.connection, 'catalogue', catalogueRequests.removeListing, {
    productId,
    actorId: admin,
    reason,
    requestId: 'removal',
  })
const events = (productId: number) => readStream(shop.pool, 'catalogue', `listing-${productId}`)

describe('remove-listing', () => {
  it('takes a listing away for everybody, and says by whom and why', async () => {
    const id = await list()
    expect(await remove(id, '  A copy.  ')).toEqual({ hasChanged: true })
    expect((await events(id)).at(-1)).toMatchObject({
      type: 'ListingRemoved',
      data: { productId: id, sellerId: seller, name: listingFacts().name, by: 'admin', reason: 'A copy.' },
      metadata: { actorId: admin, correlationId: 'removal' },
    })
    expect(withdrawn).toEqual([])
    expect((await shop.call('GET', `/api/products/${id}`)).status).toBe(404)
    const { listing } = await request(bus.connection, 'catalogue', catalogueRequests.getListing, { productId: id })
    expect(listing).toBeNull()
  })

  it('finds nothing that is gone, and of two at once one is the one', async () => {
    const id = await list()
    const both = await Promise.allSettled([remove(id), remove(id)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(remove(id)).rejects.toMatchObject({ code: 'product-not-found' })
    await expect(remove(999_999)).rejects.toMatchObject({ code: 'product-not-found' })
    expect((await events(id)).map(({ type }) => type)).toEqual(['ListingCreated', 'ListingRemoved'])
  })

  it('wants a reason of at most 500 characters', async () => {
    const id = await list()
    for (const reason of ['', '  ', 'x'.repeat(501)]) await expect(remove(id, reason)).rejects.toThrow()
    expect(await remove(id, 'x'.repeat(500))).toEqual({ hasChanged: true })
  })

  it('has its auction cancelled first, by its owner and whatever is bid', async () => {
    const id = await list({ listingType: 'auction' })
    await remove(id)
    expect(withdrawn).toEqual([
      {
        productId: id,
        actorId: admin,
        by: 'admin',
        reason: 'The listing was removed by an administrator.',
        requestId: 'removal',
      },
    ])
  })

  it('removes nothing as long as its auction cannot be cancelled', async () => {
    const id = await list({ listingType: 'auction' })
    await answers?.stop()
    await expect(remove(id)).rejects.toThrow(Failure)
    expect((await events(id)).map(({ type }) => type)).toEqual(['ListingCreated'])
  })

  it('takes its picture along that came with another listing of its seller, and nobody else’s', async () => {
    const others = 8
    const first = await list()
    const second = await list({ imageUrl: 'lent' })
    const copy = await list({ imageUrl: 'of another' })
    const of = { productId: first, sellerId: seller, imageOrder: 0, imageName: null }
    for (const name of ['lent', 'kept']) await insertPicture(shop.pool, { ...of, name })
    const theirs = await list({ sellerId: others })
    await insertPicture(shop.pool, { ...of, productId: theirs, sellerId: others, name: 'of another' })
    for (const id of [second, copy]) await remove(id)
    expect(await hasPicture(shop.pool, seller, 'lent')).toBe(false)
    expect(await hasPicture(shop.pool, seller, 'kept')).toBe(true)
    expect(await hasPicture(shop.pool, others, 'of another')).toBe(true)
  })

  it('ends a boost', async () => {
    const id = await list()
    const featuredUntil = new Date(Date.now() + 3_600_000).toISOString()
    await run(id, { type: 'FeatureListing', packageId: 5, featuredUntil, commandId: 'boost', canBeSeen: true, at })
    await remove(id)
    expect((await events(id)).slice(-2).map(({ type }) => type)).toEqual(['ListingUnfeatured', 'ListingRemoved'])
    expect((await shop.call('GET', '/api/products/featured')).body).toEqual([])
  })

  it('waits for no deal: an unpaid one gives its bottle back afterwards, a paid one goes on', async () => {
    const id = await list({ stockQuantity: 2 })
    const deal = (transactionId: number) => ({
      transactionId,
      sellerId: seller,
      buyerId: transactionId,
      amountSen: 100,
    })
    for (const transactionId of [21, 22])
      await run(id, { type: 'ReserveBottle', ...deal(transactionId), hold: 'none', at })
    await remove(id)
    await run(id, { type: 'ReleaseBottle', transactionId: 21, auctionId: null, by: 'removal', at })
    await run(id, { type: 'SellBottle', ...deal(22), at })
    expect((await events(id)).slice(-3)).toMatchObject([
      { type: 'ListingRemoved' },
      { type: 'ListingReleased', data: { transactionId: 21, wasSold: false } },
      { type: 'ListingSold', data: { transactionId: 22, stockQuantity: 1 } },
    ])
  })
})
