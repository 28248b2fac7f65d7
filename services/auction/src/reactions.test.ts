import { testPerson } from '@wangian/kit/testing/people.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { onListingCreated, onUserRegistered } from './reactions.ts'
import { findListing, listBids } from './store.ts'
import { bidPlaced, opened } from './testing/fixtures.ts'
import { batchOf, createAuctionDatabase, emptyAuctionTables, leaseTtlMs, takePartitions } from './testing/writer-rig.ts'
import { WriterStore } from './writer-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(() => emptyAuctionTables(database.pool))

describe('ListingCreated', () => {
  const listing = {
    productId: 31,
    sellerId: 7,
    name: 'Santal 33',
    brand: 'Le Labo',
    description: 'Cardamom, iris and a lot of sandalwood.',
    priceSen: 68_050,
    categoryId: 4,
    listingType: 'auction' as const,
    stockQuantity: 1,
    remainingPercentage: 85,
    batchCode: null,
    purchaseYear: null,
    boxCondition: 'Good' as const,
    volumeMl: 100,
    isNew: false,
    imageUrl: null,
    createdAt: '2026-11-21T08:00:00.000Z',
  }

  it('says who may open an auction for a product', async () => {
    await database.pool.transaction((transaction) => onListingCreated(transaction, listing))
    expect(await findListing(database.pool, 31)).toEqual({ productId: 31, sellerId: 7, listingType: 'auction' })
    expect(await findListing(database.pool, 32)).toBeNull()
  })

  it('counts once', async () => {
    for (const _ of [1, 2]) await database.pool.transaction((transaction) => onListingCreated(transaction, listing))
    expect(await findListing(database.pool, 31)).toEqual({ productId: 31, sellerId: 7, listingType: 'auction' })
  })
})

describe('UserRegistered', () => {
  const register = (username: string) =>
    database.pool.transaction((transaction) =>
      onUserRegistered(transaction, {
        userId: 21,
        person: testPerson(username),
        isSeller: false,
        isAdmin: false,
        registeredAt: '2026-11-21T08:00:00.000Z',
      }),
    )

  it('gives bids the name of their bidder, however often it comes', async () => {
    const writer = new WriterStore({ url: database.url, instance: 'auction-1', leaseTtlMs })
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await writer.commit([5], epochs, batchOf(new Map(), [opened(), bidPlaced(1, 21, 20_500)]))
    await writer.close()
    const names = async () => (await listBids(database.pool, 5, 10, null)).map(({ bidderName }) => bidderName)
    expect(await names()).toEqual([null])
    await register('amira')
    await register('amira')
    expect(await names()).toEqual(['amira'])
  })
})
