import { fileURLToPath } from 'node:url'
import { auctionRequests } from '@wangian/contracts/auction.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runListing } from './listings/listing-run.ts'
import { projectListing } from './projections.ts'
import { serveListings } from './requests.ts'
import { listingFacts } from './testing/fixtures.ts'

const migrationsDirectory = fileURLToPath(new URL('../migrations', import.meta.url))
const images = [{ id: 3, imageUrl: 'front-picture', imageOrder: 0 }]

let database: TestDatabase
let nats: TestNats
let serving: { stop(): Promise<void> }
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  nats = await startTestNats()
  serving = serveListings({ nats: nats.connection, pool: database.pool, onAppended: () => {} })
  await rememberPerson(database.pool, 7, 'sarah')
  await database.pool.transaction(async (transaction) => {
    for (const productId of [1, 2]) {
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts({ productId }) })
    }
    await projectListing(transaction, {
      type: 'ListingPicturesChanged',
      data: { productId: 1, imageUrls: ['front-picture'], images },
    })
  })
  await database.pool.query(sql.unsafe`update products set status = 'archived' where id = 2`)
})
afterAll(async () => {
  await serving.stop()
  await nats.stop()
  await database.drop()
})

const getListing = (productId: number) =>
  request(nats.connection, 'catalogue', catalogueRequests.getListing, { productId })
const getProduct = (productId: number) =>
  request(nats.connection, 'catalogue', catalogueRequests.getProduct, { productId })

it('tells the facts of a listing', async () => {
  const { productId, sellerId, name, priceSen, listingType, imageUrl } = listingFacts()
  const facts = { productId, sellerId, name, priceSen, listingType, imageUrl }
  const listing = { ...facts, imageUrls: ['front-picture'], status: 'active' }
  expect(await getListing(1)).toEqual({ listing })
})

it('tells the product as everybody sees it', async () => {
  expect((await getProduct(1)).product).toMatchObject({
    id: 1,
    price: 680.5,
    imageUrl: 'front-picture',
    images,
    seller: { id: 7, username: 'sarah' },
  })
})

it('tells of a lot whether its sale did not come about, also when the product has another auction since', async () => {
  await database.pool.query(sql.unsafe`insert into released_lots (auction_id) values (5)`)
  const isReleased = async (auctionId?: number) =>
    (await request(nats.connection, 'catalogue', catalogueRequests.getProduct, { productId: 1, auctionId }))
      .isLotReleased
  expect(await isReleased(5)).toBe(true)
  expect(await isReleased(6)).toBe(false)
  expect(await isReleased()).toBeUndefined()
})

it('changes a listing for its seller, and for nobody else', async () => {
  await runListing(
    { pool: database.pool, onAppended: () => {} },
    {
      productId: 3,
      command: { type: 'CreateListing', facts: listingFacts({ productId: 3 }) },
      actorId: 7,
      requestId: 'r',
    },
  )
  const change = (actorId: number) =>
    request(nats.connection, 'catalogue', catalogueRequests.changeListing, {
      productId: 3,
      actorId,
      changes: { price: 700 },
      requestId: 'r',
    })
  await expect(change(8)).rejects.toMatchObject({ code: 'forbidden' })
  await change(7)
  expect(await getListing(3)).toMatchObject({ listing: { priceSen: 70_000 } })
})

it('says what it would refuse without changing anything, and asks no auction about what it said before', async () => {
  let bidCount = 0
  const auction = serveRequests(nats.connection, 'auction', auctionRequests.findOpenAuction, () => ({
    auction: { auctionId: 5, bidCount, endsAt: '2100-01-01T08:00:00.000Z' },
    isReserved: false,
  }))
  const facts = listingFacts({ productId: 4, listingType: 'auction' })
  await runListing(
    { pool: database.pool, onAppended: () => {} },
    { productId: 4, command: { type: 'CreateListing', facts }, actorId: 7, requestId: 'r' },
  )
  const change = (step: 'check' | 'checked' | undefined, changes: object, actorId = 7) =>
    request(nats.connection, 'catalogue', catalogueRequests.changeListing, {
      productId: 4,
      actorId,
      changes,
      requestId: 'r',
      step,
    })
  const nameNow = async () => (await getListing(4)).listing?.name
  await expect(change('check', { name: 'Other' }, 8)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(change('check', { stockQuantity: 0 })).rejects.toMatchObject({ code: 'bad-request' })
  await change('check', { name: 'Other' })
  expect(await nameNow()).toBe(facts.name)
  bidCount = 1
  for (const step of ['check', undefined] as const)
    await expect(change(step, { name: 'Other' })).rejects.toMatchObject({ code: 'auction-has-bids' })
  await change('checked', { name: 'Other' })
  expect(await nameNow()).toBe('Other')
  await auction.stop()
})

it('knows neither archived listings nor those that never were', async () => {
  for (const productId of [2, 999]) {
    expect(await getListing(productId)).toEqual({ listing: null })
    expect(await getProduct(productId)).toEqual({ product: null })
  }
})
