import { fileURLToPath } from 'node:url'
import type { AuctionOutcome } from '@wangian/contracts/catalogue.ts'
import { auctionEvents, type PublishedAuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { runCommandIn } from '@wangian/kit/log/command.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { putAside } from '@wangian/kit/testing/letters.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listingDecider } from './listings/domain.ts'
import { findOwnProduct } from './listings/selling-store.ts'
import { projectListing } from './projections.ts'
import { auctionHandlers, bidderHandlers, identityHandlers, outcomeReactions } from './reactions.ts'
import { findProduct } from './store.ts'
import { listingFacts } from './testing/fixtures.ts'

const migrationsDirectory = fileURLToPath(new URL('../migrations', import.meta.url))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(database.pool, 'products, bottles, known_people, auction_summaries, dead_letters')
  await database.pool.transaction((transaction) =>
    projectListing(transaction, { type: 'ListingCreated', data: listingFacts({ listingType: 'auction' }) }),
  )
})

const envelope = { id: '0193a000-0000-7000-8000-000000000001', version: 1, at: '2024-11-21T08:00:00.000Z' }
const metadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }

const received = (event: PublishedAuctionEvent) =>
  ({ ...envelope, ...event, stream: `auction-${event.data.auctionId}`, metadata }) as never

/** Delivers events in this order, each as the consumer does. */
async function deliver(...events: PublishedAuctionEvent[]): Promise<void> {
  for (const event of events) {
    await react(database.pool, { bulkHandlers: auctionHandlers }, received(event))
  }
}

/** Delivers events of one person in this order, each twice. */
async function tell(...events: PublishedIdentityEvent[]): Promise<void> {
  for (const event of events.flatMap((one) => [one, one])) {
    const stream = `user-${event.data.userId}`
    await react(database.pool, { bulkHandlers: identityHandlers }, { ...envelope, ...event, stream, metadata })
  }
}

const registered = (userId: number, username: string | null): PublishedIdentityEvent =>
  ({
    type: 'UserRegistered',
    data: {
      userId,
      isSeller: true,
      isAdmin: false,
      registeredAt: envelope.at,
      person: username && testPerson(username),
    },
  }) as PublishedIdentityEvent

const terms = {
  auctionId: 5,
  productId: 1,
  sellerId: 7,
  startingPriceSen: 20_000,
  buyNowSen: null,
  incrementSen: 500,
  startsAt: '2024-11-21T08:00:00.000Z',
  endsAt: '2100-01-01T00:00:00.000Z',
}
const opened: PublishedAuctionEvent = {
  type: 'AuctionOpened',
  data: { ...terms, openedAt: '2024-11-21T08:00:00.000Z' },
}
const revised: PublishedAuctionEvent = {
  type: 'AuctionRevised',
  data: { ...terms, startingPriceSen: 25_000, revisedAt: '2024-11-21T09:00:00.000Z' },
}
const bid = (seq: number, amountSen: number): PublishedAuctionEvent => ({
  type: 'BidPlaced',
  data: { auctionId: 5, seq, bidderId: 20 + seq, amountSen, bidId: null, placedAt: '2024-11-21T10:00:00.000Z' },
})
const ended = {
  type: 'AuctionEnded',
  data: {
    auctionId: 5,
    productId: 1,
    sellerId: 7,
    outcome: 'won',
    winnerId: 22,
    leaderId: 22,
    amountSen: 26_000,
    bidCount: 2,
    endedAt: '2024-11-22T08:00:00.000Z',
  },
} satisfies PublishedAuctionEvent
const cancelled: PublishedAuctionEvent = {
  type: 'AuctionCancelled',
  data: { auctionId: 5, productId: 1, sellerId: 7, cancelledAt: '2024-11-22T08:00:00.000Z' },
}

const shownAuction = async () => (await findProduct(database.pool, 1))?.auction

it('reacts to every event of an auction, in one way', () => {
  expect(Object.keys(outcomeReactions)).toEqual(['AuctionEnded'])
  expect(Object.keys(auctionHandlers).sort()).toEqual(Object.keys(auctionEvents).sort())
  expect(Object.keys(bidderHandlers)).toEqual(['AuctionOpened', 'BidPlaced'])
})

describe('the end of an auction', () => {
  const productStream = () => readStream(database.pool, 'catalogue', 'listing-1')
  const listed = { ...listingFacts({ listingType: 'auction' }), stockQuantity: 6 }

  beforeEach(async () => {
    await emptyTables(database.pool, 'events')
    await database.pool.transaction((transaction) =>
      runCommandIn(transaction, {
        decider: listingDecider,
        stream: 'listing-1',
        command: { type: 'CreateListing', facts: listed },
        metadata,
      }),
    )
    await database.pool.query(sql.unsafe`update products set stock_quantity = 6, is_featured = false where id = 1`)
  })

  const settle = (event: PublishedAuctionEvent) => react(database.pool, { handlers: outcomeReactions }, received(event))
  const unsold = (auctionId: number, outcome: Exclude<AuctionOutcome, 'won'>): PublishedAuctionEvent => ({
    type: 'AuctionEnded',
    data: { ...ended.data, auctionId, outcome, winnerId: null, leaderId: 22 },
  })

  it('keeps the listing for the winner, once, and tells that few are left', async () => {
    await settle(ended)
    await settle(ended)
    const events = await productStream()
    expect(events.map(({ type }) => type)).toEqual(['ListingCreated', 'ListingReserved', 'StockLow'])
    expect(events[1]).toMatchObject({
      data: {
        productId: 1,
        sellerId: 7,
        buyerId: 22,
        amountSen: 26_000,
        auctionId: 5,
        reservedAt: '2024-11-22T08:00:00.000Z',
      },
      metadata: { actorId: null, correlationId: 'test', causationId: envelope.id },
    })
    expect(events[2]).toMatchObject({ data: { stockQuantity: 5 } })
    expect(await findProduct(database.pool, 1)).toMatchObject({ status: 'pending' })
    expect(await findOwnProduct(database.pool, 1)).toMatchObject({ lot: { buyerId: 22, amountSen: 26_000 } })
  })

  it.each(['no-bids', 'reserve-not-met', 'winner-unavailable'] as const)(
    'gives it back after %s, once',
    async (outcome) => {
      await settle(unsold(5, outcome))
      await settle(unsold(5, outcome))
      const events = await productStream()
      expect(events.map(({ type }) => type)).toEqual(['ListingCreated', 'ListingReturned'])
      expect(events[1]).toMatchObject({ data: { auctionId: 5, reason: outcome } })
      expect(await findProduct(database.pool, 1)).toMatchObject({ status: 'active' })
    },
  )

  it('is the end of each auction in its turn', async () => {
    await settle(unsold(5, 'no-bids'))
    await settle({ type: 'AuctionEnded', data: { ...ended.data, auctionId: 6 } })
    expect((await productStream()).map(({ type }) => type).slice(1, 3)).toEqual(['ListingReturned', 'ListingReserved'])
  })

  it('means nothing to a listing that is gone', async () => {
    await settle({ type: 'AuctionEnded', data: { ...ended.data, productId: 99 } })
    expect(await readStream(database.pool, 'catalogue', 'listing-99')).toEqual([])
  })
})

describe('a seller', () => {
  const shown = async () => {
    const product = await findProduct(database.pool, 1)
    return [product?.sellerName, product?.sellerProfileImage]
  }
  const updated = (username: string, profileImage: string | null): PublishedIdentityEvent => ({
    type: 'ProfileUpdated',
    data: { userId: 7, updatedAt: envelope.at, person: { ...testPerson(username), profileImage } },
  })
  const closed: PublishedIdentityEvent = { type: 'AccountClosed', data: { userId: 7, closedAt: envelope.at } }
  const reopened: PublishedIdentityEvent = {
    type: 'AccountReopened',
    data: { userId: 7, reopenedAt: envelope.at, person: testPerson('sarah') },
  }
  const erased: PublishedIdentityEvent = { type: 'UserErased', data: { userId: 7, erasedAt: envelope.at } }
  const nobodyUpdated: PublishedIdentityEvent = {
    type: 'ProfileUpdated',
    data: { userId: 7, updatedAt: envelope.at, person: null },
  }

  it('is called by a number until the name is here', async () => {
    expect(await shown()).toEqual(['Seller 7', null])
  })

  it.each<readonly [string, readonly PublishedIdentityEvent[], readonly (string | null)[]]>([
    ['registers', [registered(7, 'sarah')], ['sarah', null]],
    [
      'changes name and picture',
      [registered(7, 'sarah'), updated('sarah-lim', 'face.webp')],
      ['sarah-lim', 'face.webp'],
    ],
    ['takes the picture away', [updated('sarah', 'face.webp'), updated('sarah', null)], ['sarah', null]],
    ['closes the account', [updated('sarah', 'face.webp'), closed], [null, null]],
    ['comes back', [registered(7, 'sarah'), closed, reopened], ['sarah', null]],
    ['is erased', [updated('sarah', 'face.webp'), closed, erased], [null, null]],
    ['had gone when it was told of them', [registered(7, null), nobodyUpdated], [null, null]],
    [
      'goes, and another does not',
      [registered(7, 'sarah'), { ...closed, data: { userId: 8, closedAt: envelope.at } }],
      ['sarah', null],
    ],
  ])('%s', async (_what, events, expected) => {
    await tell(...(events as PublishedIdentityEvent[]))
    expect(await shown()).toEqual(expected)
  })

  it('has the name of a token corrected', async () => {
    await rememberPerson(database.pool, 7, 'old-name')
    await tell(registered(7, 'sarah'))
    await rememberPerson(database.pool, 7, 'old-name')
    expect(await shown()).toEqual(['sarah', null])
  })

  it('who has gone does not come back by a token that is still good', async () => {
    await tell(registered(7, 'sarah'), closed)
    await rememberPerson(database.pool, 7, 'sarah')
    expect(await shown()).toEqual([null, null])
  })

  it('who is erased is in no event that was put aside', async () => {
    const [, kept] = await Promise.all(
      [7, 77].map((userId) => putAside(database.pool, 'identity-people', { stream: `user-${userId}` })),
    )
    await tell(erased)
    const left = await database.pool.anyFirst(sql.unsafe`select event_id from dead_letters`)
    expect(left).toEqual([kept])
  })
})

describe('an auction that opens', () => {
  it('is shown with its terms', async () => {
    await deliver(opened)
    expect(await shownAuction()).toEqual({
      id: 5,
      status: 'active',
      startsAtMs: Date.parse(terms.startsAt),
      endsAtMs: Date.parse(terms.endsAt),
      startingPriceSen: 20_000,
      currentBidSen: null,
      bidCount: 0,
      outcome: null,
      winner: null,
      isReleased: false,
    })
  })

  it('is scheduled before its start', async () => {
    await deliver({ type: 'AuctionOpened', data: { ...opened.data, startsAt: '2099-01-01T00:00:00.000Z' } as never })
    expect(await shownAuction()).toMatchObject({ status: 'scheduled' })
  })

  it('has ended when its time is over, whether or not the event is here', async () => {
    await deliver({ type: 'AuctionOpened', data: { ...opened.data, endsAt: '2024-11-21T09:00:00.000Z' } as never })
    expect(await shownAuction()).toMatchObject({ status: 'ended' })
  })

  it('replaces the one before', async () => {
    await deliver(opened, ended, { type: 'AuctionOpened', data: { ...opened.data, auctionId: 6 } as never })
    expect(await shownAuction()).toMatchObject({ id: 6, status: 'active', bidCount: 0 })
  })

  it('is not shown on a product that is not for auction', async () => {
    await database.pool.query(sql.unsafe`update products set listing_type = 'fixed'`)
    await deliver(opened)
    expect(await shownAuction()).toBeNull()
  })
})

describe('events in any order and twice', () => {
  const story = [opened, revised, bid(1, 25_500), bid(2, 26_000), ended]

  it.each(permutations(story.length).map((order) => [order.join(' '), order]))('%s', async (_name, order) => {
    await deliver(
      ...order.flatMap((index) => [story[index] as PublishedAuctionEvent, story[index] as PublishedAuctionEvent]),
    )
    expect(await shownAuction()).toEqual({
      id: 5,
      status: 'ended',
      startsAtMs: Date.parse(terms.startsAt),
      endsAtMs: Date.parse(terms.endsAt),
      startingPriceSen: 25_000,
      currentBidSen: 26_000,
      bidCount: 2,
      outcome: 'won',
      winner: { id: 22, username: null },
      isReleased: false,
    })
  })

  it('takes many bids of several auctions at once', async () => {
    await deliver(opened)
    const bids = [bid(2, 21_000), bid(1, 20_500), bid(3, 21_500), bid(2, 21_000)]
    const elsewhere = { ...bid(9, 99_000), data: { ...bid(9, 99_000).data, auctionId: 6 } } as PublishedAuctionEvent
    await database.pool.transaction(async (transaction) =>
      auctionHandlers.BidPlaced?.(transaction, [...bids, elsewhere].map(received)),
    )
    expect(await shownAuction()).toMatchObject({ id: 5, bidCount: 3, currentBidSen: 21_500 })
    await database.pool.transaction(async (transaction) =>
      auctionHandlers.BidPlaced?.(transaction, [received(bid(2, 21_000))]),
    )
    expect(await shownAuction()).toMatchObject({ bidCount: 3, currentBidSen: 21_500 })
  })

  it('shows nothing of an auction whose terms are not here yet', async () => {
    await deliver(bid(3, 30_000))
    expect(await shownAuction()).toBeNull()
  })

  it('cancels, before or after the terms', async () => {
    await deliver(cancelled, opened)
    expect(await shownAuction()).toMatchObject({ status: 'cancelled' })
    await deliver(cancelled)
    expect(await shownAuction()).toMatchObject({ status: 'cancelled' })
  })
})

/** Every order of `count` things; 120 for five, each a few milliseconds. */
function permutations(count: number): number[][] {
  if (count === 0) return [[]]
  return permutations(count - 1).flatMap((shorter) =>
    Array.from({ length: count }, (_, place) => [...shorter.slice(0, place), count - 1, ...shorter.slice(place)]),
  )
}
