import { fileURLToPath } from 'node:url'
import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ListingCommand, listingDecider, listingStream } from './listings/domain.ts'
import { runListing } from './listings/listing-run.ts'
import { findOwnership, findOwnProduct } from './listings/selling-store.ts'
import { productsProjection, projectListing, projectListings } from './projections.ts'
import { findListing, findProduct } from './store.ts'
import { createdAt, listingFacts } from './testing/fixtures.ts'

const migrationsDirectory = fileURLToPath(new URL('../migrations', import.meta.url))
const metadata = { actorId: 7, correlationId: 'test', causationId: null, commandId: null }
const images = [
  { id: 3, imageUrl: 'front-picture', imageOrder: 0 },
  { id: 9, imageUrl: 'back-picture', imageOrder: 1 },
]

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(() => emptyTables(database.pool, 'boosts, products, bottles, known_people, auction_summaries, events'))

const project = (...events: CatalogueEvent[]) =>
  database.pool.transaction(async (transaction) => {
    for (const event of events) await projectListing(transaction, event)
  })

describe('ListingCreated', () => {
  const created: CatalogueEvent = {
    type: 'ListingCreated',
    data: listingFacts({ imageUrl: 'https://example.com/a.jpg' }),
  }

  it('makes a product that is active and has no picture yet', async () => {
    await project(created)
    expect(await findListing(database.pool, 1)).toEqual({
      ...created.data,
      images: [],
      status: 'active',
      isSellerHidden: false,
    })
  })

  it('counts once', async () => {
    await project(created, created)
    expect(await findListing(database.pool, 1)).toEqual({
      ...created.data,
      images: [],
      status: 'active',
      isSellerHidden: false,
    })
  })

  it('is shown with the category by name and the seller by name', async () => {
    await tellOfPerson(database.pool, registeredAs(7, 'sarah'))
    await project(created)
    expect(await findProduct(database.pool, 1)).toMatchObject({
      category: 'Niche',
      sellerName: 'sarah',
      isFeatured: false,
      featuredUntil: null,
      createdAt,
      auction: null,
    })
  })
})

describe('ListingPicturesChanged', () => {
  const changed: CatalogueEvent = {
    type: 'ListingPicturesChanged',
    data: { productId: 1, imageUrls: images.map(({ imageUrl }) => imageUrl), images },
  }

  it('replaces the pictures', async () => {
    await project({ type: 'ListingCreated', data: listingFacts() }, changed)
    expect((await findProduct(database.pool, 1))?.images).toEqual(images)
  })

  it('counts once', async () => {
    await project({ type: 'ListingCreated', data: listingFacts() }, changed, changed)
    expect((await findProduct(database.pool, 1))?.images).toEqual(images)
  })
})

describe('what happens to a listing later', () => {
  const listed: CatalogueEvent = { type: 'ListingCreated', data: listingFacts({ listingType: 'auction' }) }
  const { createdAt: _, ...facts } = listingFacts({ listingType: 'auction' })
  const updatedAt = '2026-11-22T08:00:00.000Z'
  const reserved: CatalogueEvent = {
    type: 'ListingReserved',
    data: {
      productId: 1,
      sellerId: 7,
      name: facts.name,
      buyerId: 21,
      amountSen: 26_000,
      transactionId: null,
      auctionId: 5,
      reservedAt: updatedAt,
    },
  }
  const returned: CatalogueEvent = {
    type: 'ListingReturned',
    data: {
      productId: 1,
      sellerId: 7,
      name: facts.name,
      auctionId: 5,
      reason: 'no-bids',
      leaderId: null,
      returnedAt: updatedAt,
    },
  }

  it('ListingUpdated changes what it tells, and can be searched for by it', async () => {
    const updated: CatalogueEvent = {
      type: 'ListingUpdated',
      data: { ...facts, name: 'Rose 31', priceSen: 100, batchCode: null, updatedAt },
    }
    await project(listed, updated, updated)
    expect(await findListing(database.pool, 1)).toMatchObject({
      name: 'Rose 31',
      priceSen: 100,
      batchCode: null,
      createdAt,
    })
    expect(await findProduct(database.pool, 1)).toMatchObject({ updatedAt })
    expect(
      await database.pool.exists(sql.unsafe`select from products where search @@ to_tsquery('simple', 'rose')`),
    ).toBe(true)
  })

  it('ListingReserved keeps it for the winner, until ListingReturned', async () => {
    await project(listed, reserved, reserved)
    expect(await findOwnProduct(database.pool, 1)).toMatchObject({
      status: 'pending',
      reservedQuantity: 1,
      lot: { buyerId: 21, amountSen: 26_000 },
    })
    await project(returned, returned)
    expect(await findOwnProduct(database.pool, 1)).toMatchObject({
      status: 'active',
      reservedQuantity: 0,
      lot: null,
    })
  })

  const deal = { productId: 1, sellerId: 7, name: facts.name, buyerId: 21, transactionId: 61, auctionId: null }
  const standing = async () => {
    const product = await findProduct(database.pool, 1)
    return [product?.status, product?.stockQuantity, product?.reservedQuantity]
  }
  const dealt = (transactionId: number, auctionId: number | null = null): CatalogueEvent => ({
    type: 'ListingReserved',
    data: { ...deal, transactionId, auctionId, amountSen: 26_000, reservedAt: updatedAt },
  })
  const released = (what: Partial<Extract<CatalogueEvent, { type: 'ListingReleased' }>['data']>): CatalogueEvent => ({
    type: 'ListingReleased',
    data: {
      ...deal,
      isKept: false,
      wasSold: false,
      reason: 'cancelled',
      stockQuantity: 2,
      releasedAt: updatedAt,
      ...what,
    },
  })
  const sold = (stockQuantity: number, transactionId = 61, auctionId: number | null = null): CatalogueEvent => ({
    type: 'ListingSold',
    data: { ...deal, transactionId, auctionId, amountSen: 26_000, stockQuantity, soldAt: updatedAt },
  })

  it('ListingSold takes a bottle from the stock, and ListingReleased brings it back', async () => {
    await project({ type: 'ListingCreated', data: listingFacts({ stockQuantity: 2 }) })
    await project(dealt(61), dealt(61))
    expect(await standing()).toEqual(['active', 2, 1])
    await project(dealt(62), dealt(62))
    expect(await standing()).toEqual(['pending', 2, 2])
    await project(sold(1), sold(1))
    expect(await standing()).toEqual(['pending', 1, 1])
    await project(sold(0, 62), sold(0, 62))
    expect(await standing()).toEqual(['sold', 0, 0])
    const back = released({ wasSold: true, stockQuantity: 1 })
    await project(back, back)
    expect(await standing()).toEqual(['active', 1, 0])
  })

  it('ListingReleased leaves a lot with its winner, or gives it up', async () => {
    await project(listed, reserved, dealt(61, 5))
    expect(await standing()).toEqual(['pending', 1, 1])
    const kept = released({ auctionId: 5, isKept: true, stockQuantity: 1 })
    await project(kept, kept)
    expect(await standing()).toEqual(['pending', 1, 1])
    const free = released({ auctionId: 5, stockQuantity: 1 })
    await project(free, free)
    expect(await standing()).toEqual(['active', 1, 0])
  })

  it('keeps what was taken away out of sight, whatever becomes of its bottles', async () => {
    const removed: CatalogueEvent = {
      type: 'ListingRemoved',
      data: { productId: 1, sellerId: 7, by: 'admin', reason: 'A copy.', removedAt: updatedAt },
    }
    await project({ type: 'ListingCreated', data: listingFacts() }, dealt(61), removed, sold(0))
    expect(await findOwnership(database.pool, 1)).toMatchObject({ isDeleted: true, reservedQuantity: 0 })
    expect(await database.pool.exists(sql.unsafe`select from products where status = 'archived'`)).toBe(true)
  })

  it('ListingUpdated says how many there are now', async () => {
    const updated = (stockQuantity: number): CatalogueEvent => {
      const { createdAt: __, ...known } = listingFacts({ stockQuantity })
      return { type: 'ListingUpdated', data: { ...known, updatedAt } }
    }
    await project({ type: 'ListingCreated', data: listingFacts() }, dealt(61))
    expect(await standing()).toEqual(['pending', 1, 1])
    await project(updated(3))
    expect(await standing()).toEqual(['active', 3, 1])
    await project(updated(1))
    expect(await standing()).toEqual(['pending', 1, 1])
  })

  it('StockLow says nothing that is not known', async () => {
    await project(listed)
    const before = await findProduct(database.pool, 1)
    await project({
      type: 'StockLow',
      data: { productId: 1, sellerId: 7, name: facts.name, stockQuantity: 5, at: updatedAt },
    })
    expect(await findProduct(database.pool, 1)).toEqual(before)
  })

  it('PriceLowered says nothing that is not known', async () => {
    await project(listed)
    const before = await findProduct(database.pool, 1)
    await project({
      type: 'PriceLowered',
      data: { productId: 1, sellerId: 7, name: facts.name, priceSen: 1, formerPriceSen: 2, loweredAt: updatedAt },
    })
    expect(await findProduct(database.pool, 1)).toEqual(before)
  })

  it('ListingRemoved hides it from everybody, and keeps whose it was', async () => {
    const deleted: CatalogueEvent = {
      type: 'ListingRemoved',
      data: { productId: 1, sellerId: 7, by: 'seller', reason: null, removedAt: updatedAt },
    }
    await project(listed, deleted, deleted)
    expect(await findProduct(database.pool, 1)).toBeNull()
    expect(await findListing(database.pool, 1)).toBeNull()
    expect(await findOwnProduct(database.pool, 1)).toBeNull()
    expect(await findOwnership(database.pool, 1)).toMatchObject({ sellerId: 7, isDeleted: true })
  })
})

describe('ListingFeatured', () => {
  const featured: CatalogueEvent = {
    type: 'ListingFeatured',
    data: {
      productId: 1,
      sellerId: 7,
      packageId: 5,
      commandId: '0193a000-0000-7000-8000-000000000009',
      featuredAt: createdAt,
      featuredUntil: '2026-11-28T08:00:00.000Z',
    },
  }
  const shown = async () => await findProduct(database.pool, 1)

  it('says by which package, and until when', async () => {
    await project({ type: 'ListingCreated', data: listingFacts() }, featured, featured)
    expect(await shown()).toMatchObject({
      isFeatured: true,
      featuredUntil: '2026-11-28T08:00:00.000Z',
      boostPackageId: 5,
    })
  })

  it('ends', async () => {
    const end: CatalogueEvent = {
      type: 'ListingUnfeatured',
      data: { productId: 1, sellerId: 7, unfeaturedAt: createdAt },
    }
    await project({ type: 'ListingCreated', data: listingFacts() }, featured, end, end)
    expect(await shown()).toMatchObject({ isFeatured: false, featuredUntil: null, boostPackageId: null })
  })

  it('is one boost while it goes on, and another one after its end', async () => {
    const at = (day: number) => `2026-11-${day}T08:00:00.000Z`
    const feature = (featuredAt: string, featuredUntil: string): CatalogueEvent => ({
      ...featured,
      data: { ...featured.data, featuredAt, featuredUntil },
    })
    const end = (unfeaturedAt: string): CatalogueEvent => ({
      type: 'ListingUnfeatured',
      data: { productId: 1, sellerId: 7, unfeaturedAt },
    })
    const removed: CatalogueEvent = {
      type: 'ListingRemoved',
      data: { productId: 1, sellerId: 7, by: 'admin', reason: 'Fake', removedAt: at(28) },
    }
    await project(
      { type: 'ListingCreated', data: listingFacts() },
      feature(at(22), at(23)),
      feature(at(22), at(24)),
      end(at(24)),
      feature(at(26), at(30)),
      removed,
    )
    const boosts = await database.pool.any(sql.unsafe`
      select began_at as "beganAt", ends_at as "endsAt", is_over as "isOver" from boosts where product_id = 1 order by 1`)
    expect(boosts).toEqual([
      { beganAt: at(22), endsAt: at(24), isOver: true },
      { beganAt: at(26), endsAt: at(28), isOver: true },
    ])
  })
})

describe('events of many listings', () => {
  it('come to the same together as one by one', async () => {
    const at = '2026-11-22T08:00:00.000Z'
    const whose = (productId: number) => ({ productId, sellerId: 7, name: 'Santal 33' })
    const wonBy = (productId: number, buyerId: number, transactionId: number | null = null): CatalogueEvent => ({
      type: 'ListingReserved',
      data: { ...whose(productId), auctionId: productId, buyerId, amountSen: 100, transactionId, reservedAt: at },
    })
    const returned = (productId: number): CatalogueEvent => ({
      type: 'ListingReturned',
      data: { ...whose(productId), auctionId: productId, reason: 'no-bids', leaderId: null, returnedAt: at },
    })
    const stockLow: CatalogueEvent = { type: 'StockLow', data: { ...whose(1), stockQuantity: 0, at } }
    const events: CatalogueEvent[] = [
      ...[10, 9, 1, 2, 3].map((productId): CatalogueEvent => {
        return { type: 'ListingCreated', data: listingFacts({ productId, listingType: 'auction' }) }
      }),
      wonBy(10, 21),
      wonBy(9, 22),
      wonBy(9, 22, 62),
      wonBy(1, 23),
      stockLow,
      // A deal has the lot, and then nobody has.
      wonBy(1, 23, 61),
      wonBy(2, 24),
      returned(3),
      returned(2),
      returned(1),
      wonBy(2, 25),
    ]
    const rows = () =>
      database.pool.any(sql.unsafe`
        select to_jsonb(p) - 'updated_at' as row from products p
        union all select to_jsonb(b) from bottles b
        order by 1`)
    await project(...events)
    const oneByOne = await rows()
    await emptyTables(database.pool, 'products, bottles')
    const recorded = events.map((event) => ({ ...event, stream: listingStream(event.data.productId) }))
    await database.pool.transaction((transaction) => projectListings(transaction, recorded))
    expect(await rows()).toEqual(oneByOne)
    expect((await findListing(database.pool, 2))?.status).toBe('pending')
  })
})

describe('a rebuild', () => {
  it('makes the same products from the log alone', async () => {
    const { pool } = database
    for (const productId of [1, 2, 3]) {
      await runCommand({
        pool,
        decider: listingDecider,
        stream: listingStream(productId),
        command: { type: 'CreateListing', facts: listingFacts({ productId, priceSen: productId * 100 }) },
        metadata,
        project: projectListings,
      })
    }
    for (const image of images) {
      await runCommand({
        pool,
        decider: listingDecider,
        stream: listingStream(2),
        command: { type: 'AddPicture', actorId: 7, image, hold: 'none' },
        metadata,
        project: projectListings,
      })
    }
    const at = '2026-11-22T08:00:00.000Z'
    const commandId = '0193a000-0000-7000-8000-000000000009'
    const later: readonly (readonly [number, ListingCommand])[] = [
      [1, { type: 'UpdateListing', actorId: 7, changes: { name: 'Rose 31', priceSen: 5 }, hold: 'none', at }],
      [
        1,
        {
          type: 'FeatureListing',
          packageId: 5,
          featuredUntil: '2100-01-01T00:00:00.000Z',
          commandId,
          canBeSeen: true,
          at,
        },
      ],
      [2, { type: 'OrderPictures', actorId: 7, imageIds: [9, 3], hold: 'none' }],
      [2, { type: 'SettleAuction', auctionId: 4, end: { outcome: 'no-bids', leaderId: null }, at }],
      [2, { type: 'SettleAuction', auctionId: 5, end: { outcome: 'won', winnerId: 21, amountSen: 26_000 }, at }],
      [3, { type: 'ReserveBottle', transactionId: 61, buyerId: 21, sellerId: 7, amountSen: 300, hold: 'none', at }],
      [3, { type: 'SellBottle', transactionId: 61, buyerId: 21, amountSen: 300, at }],
      [2, { type: 'ReserveBottle', transactionId: 62, buyerId: 21, sellerId: 7, amountSen: 300, hold: 'none', at }],
      [4, { type: 'CreateListing', facts: listingFacts({ productId: 4 }) }],
      [4, { type: 'DeleteListing', actorId: 7, at }],
    ]
    for (const [productId, command] of later) {
      await runListing({ pool, onAppended: () => {} }, { productId, command, actorId: 7, requestId: 'test' })
    }
    const readAll = () => Promise.all([1, 2, 3, 4].map((id) => findOwnProduct(pool, id)))
    const before = await readAll()
    expect(before[1]?.images.map(({ id }) => id)).toEqual([9, 3])
    expect(before.map((product) => product?.status)).toEqual(['active', 'pending', 'sold', undefined])
    const rows = () => dumpRows(pool, ['catalogue.products', 'catalogue.bottles', 'catalogue.search_words'])
    const rowsBefore = await rows()

    await pool.query(sql.unsafe`update products set name = 'lost', images = '[]' where id = 2`)
    await pool.query(sql.unsafe`delete from products where id = 3`)
    await pool.query(sql.unsafe`delete from search_words`)
    await pool.query(sql.unsafe`delete from bottles`)
    expect(await rebuildTables(pool, 'catalogue', productsProjection)).toBe(16)
    expect(await readAll()).toEqual(before)
    expect(await rows()).toEqual(rowsBefore)
  })
})
