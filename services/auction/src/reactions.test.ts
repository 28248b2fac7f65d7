import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { putAside } from '@wangian/kit/testing/letters.ts'
import { tellOfPerson, testPerson } from '@wangian/kit/testing/people.ts'
import { react } from '@wangian/kit/testing/react.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { presentBid } from './api/presenter.ts'
import { WriterStore } from './log/writer-store.ts'
import { listingHandlers } from './reactions.ts'
import { findAuction, findListing, isListingDeleted, isReserved, listBids } from './store.ts'
import { bidPlaced, opened } from './testing/fixtures.ts'
import { batchOf, createAuctionDatabase, emptyAuctionTables, leaseTtlMs, takePartitions } from './testing/writer-rig.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(() => emptyAuctionTables(database.pool))

describe('a listing', () => {
  const facts = {
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
  }
  const at = '2026-11-21T08:00:00.000Z'
  const created: CatalogueEvent = { type: 'ListingCreated', data: { ...facts, createdAt: at } }
  const updated: CatalogueEvent = { type: 'ListingUpdated', data: { ...facts, listingType: 'fixed', updatedAt: at } }
  const deleted: CatalogueEvent = {
    type: 'ListingRemoved',
    data: { productId: 31, sellerId: 7, by: 'seller', reason: null, removedAt: at },
  }
  const dealt = { productId: 31, sellerId: 7, name: facts.name, buyerId: 21, transactionId: 61, stockQuantity: 1 }
  const released = (auctionId: number | null, isKept: boolean): CatalogueEvent => ({
    type: 'ListingReleased',
    data: { ...dealt, auctionId, isKept, wasSold: false, reason: 'cancelled', releasedAt: at },
  })
  const sold = (auctionId: number | null): CatalogueEvent => ({
    type: 'ListingSold',
    data: { ...dealt, auctionId, amountSen: 100, soldAt: at },
  })
  const returned = (auctionId: number): CatalogueEvent => ({
    type: 'ListingReturned',
    data: {
      productId: 31,
      sellerId: 7,
      name: facts.name,
      auctionId,
      reason: 'no-bids',
      leaderId: null,
      returnedAt: at,
    },
  })

  /** Each twice, in this order. */
  async function tell(...events: CatalogueEvent[]): Promise<void> {
    for (const event of events.flatMap((one) => [one, one])) {
      const envelope = { id: '0193a000-0000-7000-8000-000000000001', stream: 'listing-31', version: 1, at }
      const metadata = { actorId: 7, correlationId: 'test', causationId: null, commandId: null }
      await react(database.pool, { bulkHandlers: listingHandlers }, { ...envelope, ...event, metadata })
    }
  }

  it('says who may open an auction for a product', async () => {
    await tell(created)
    expect(await findListing(database.pool, 31)).toEqual({
      productId: 31,
      sellerId: 7,
      listingType: 'auction',
      isDeleted: false,
    })
    expect(await findListing(database.pool, 32)).toBeNull()
  })

  it('may become of another type', async () => {
    await tell(created, updated)
    expect(await findListing(database.pool, 31)).toMatchObject({ listingType: 'fixed' })
  })

  it('is gone for good, whatever is told again', async () => {
    await tell(created, updated, deleted, created)
    expect(await findListing(database.pool, 31)).toMatchObject({ isDeleted: true })
    expect(await isListingDeleted(database.pool, 31)).toBe(true)
    expect(await isListingDeleted(database.pool, 32)).toBe(false)
  })

  it('is reserved from a won auction on until it comes back from that one', async () => {
    await tell(created)
    const won = (auctionId: number) => sql.unsafe`
      insert into auction_terms (id, part, product_id, seller_id, starting_price_sen, increment_sen, starts_at, ends_at, status, version, outcome,
                            winner_id, opened_at, updated_at)
      values (${auctionId}, 0, 31, 7, 100, 10, now(), now(), 'ended', 1, 'won', 21, now(), now())`
    expect(await isReserved(database.pool, 31)).toBe(false)
    await database.pool.query(won(5))
    expect(await isReserved(database.pool, 31)).toBe(true)
    await tell(returned(4))
    expect(await isReserved(database.pool, 31)).toBe(true)
    await tell(returned(5), returned(4))
    expect(await isReserved(database.pool, 31)).toBe(false)
    await database.pool.query(won(6))
    expect(await isReserved(database.pool, 31)).toBe(true)
    // A deal about a bottle that was not won, and one that the seller has called off.
    await tell(released(null, false), sold(null), released(6, true))
    expect(await isReserved(database.pool, 31)).toBe(true)
    await tell(released(6, false))
    expect(await isReserved(database.pool, 31)).toBe(false)
    await database.pool.query(won(7))
    expect(await isReserved(database.pool, 31)).toBe(true)
    await tell(sold(7))
    expect(await isReserved(database.pool, 31)).toBe(false)
  })
})

describe('a bidder', () => {
  const at = '2026-11-21T08:00:00.000Z'
  const registered = (username: string | null): PublishedIdentityEvent => ({
    type: 'UserRegistered',
    data: {
      userId: 21,
      person: username === null ? null : testPerson(username),
      isSeller: false,
      isAdmin: false,
      registeredAt: at,
    },
  })
  const updated = (username: string | null): PublishedIdentityEvent => ({
    type: 'ProfileUpdated',
    data: { userId: 21, updatedAt: at, person: username === null ? null : testPerson(username) },
  })
  const reopened = (username: string): PublishedIdentityEvent => ({
    type: 'AccountReopened',
    data: { userId: 21, reopenedAt: at, person: testPerson(username) },
  })
  const closed: PublishedIdentityEvent = { type: 'AccountClosed', data: { userId: 21, closedAt: at } }
  const erased: PublishedIdentityEvent = { type: 'UserErased', data: { userId: 21, erasedAt: at } }

  /** Delivers events of one person in this order, each twice. */
  async function tell(...events: readonly PublishedIdentityEvent[]): Promise<void> {
    for (const event of events.flatMap((one) => [one, one])) await tellOfPerson(database.pool, event)
  }

  async function bid(): Promise<void> {
    const writer = new WriterStore({ url: database.url, instance: 'auction-1', leaseTtlMs })
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await writer.commit([5], epochs, batchOf(new Map(), [opened(), bidPlaced(1, 21, 20_500)]))
    await writer.close()
  }
  const listed = async () => {
    const auction = await findAuction(database.pool, 5)
    return auction === null ? [] : listBids(database.pool, auction, 10)
  }
  const shown = async () => (await listed()).map(({ bidderName }) => bidderName)

  it.each<readonly [string, readonly PublishedIdentityEvent[], string | null]>([
    ['is called by a number until the name is here', [], 'Bidder 21'],
    ['registers', [registered('amira')], 'amira'],
    ['changes the name', [registered('amira'), updated('amira-z')], 'amira-z'],
    ['closes the account', [registered('amira'), closed], null],
    ['comes back', [registered('amira'), closed, reopened('amira')], 'amira'],
    ['is erased', [registered('amira'), closed, erased], null],
    ['had gone when it was told of them', [registered(null), updated(null), closed], null],
    ['goes before anything else was told', [erased], null],
  ])('%s', async (_what, events, expected) => {
    await bid()
    await tell(...events)
    expect(await shown()).toEqual([expected])
  })

  it('who has gone is in the history without a name, and the bid stays', async () => {
    await bid()
    await tell(registered('amira'), closed)
    const [row] = await listed()
    if (row === undefined) throw new Error('no bid')
    expect(presentBid(row, 5, 1)).toMatchObject({ bidderId: 21, bidder: { name: null }, amount: 205, isWinning: true })
  })

  it('who is erased is in no event that was put aside', async () => {
    const [, left] = await Promise.all(
      [21, 211].map((userId) => putAside(database.pool, 'identity-people', { stream: `user-${userId}` })),
    )
    await tell(erased)
    expect(await database.pool.anyFirst(sql.unsafe`select event_id from dead_letters`)).toEqual([left])
  })
})
