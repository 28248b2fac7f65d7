import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import { appendEvents } from '@wangian/kit/log/event-store.ts'
import { rebuild } from '@wangian/kit/log/rebuild.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { startTestLog, type TestLog } from '@wangian/kit/testing/test-log.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveViews } from './analytics/figures-store.ts'
import { projections } from './consumers.ts'
import { addFavorites } from './favorites/favorite-store.ts'
import { productsProjection, projectListing } from './projections.ts'
import { listingFacts } from './testing/fixtures.ts'
import { ordered, reviewed } from './testing/sales.ts'
import { createTestShop, type TestShop } from './testing/test-shop.ts'

const sources = ['identity', 'auction', 'messaging'] as const
const all = [productsProjection, ...projections]
const tables = [...new Set(all.flatMap((projection) => projection.tables.map(({ name }) => `catalogue.${name}`)))]
const [sarah, bala, mei] = [7, 20, 21]
const on = (day: number, hour = 8) => `2026-11-${day}T${String(hour).padStart(2, '0')}:00:00.000Z`

let nats: TestNats
let shop: TestShop
let logs: Record<(typeof sources)[number], TestLog>
let consumers: EventConsumer[]
let lived: Record<string, string[]>

beforeAll(async () => {
  nats = await startTestNats()
  shop = await createTestShop()
  const complete = async (events: readonly { readonly id: string; readonly data: string }[]) =>
    new Map(events.map(({ id, data }) => [id, { person: testPerson(`person-${JSON.parse(data).userId}`) }]))
  const [identity, auction, messaging] = await Promise.all(
    sources.map((service) =>
      startTestLog({ service, nats: nats.connection, ...(service === 'identity' && { complete }) }),
    ),
  )
  if (!identity || !auction || !messaging) throw new Error('a log for each source')
  logs = { identity, auction, messaging }
  consumers = projections.map((projection) =>
    startConsumer<EventSource>({ service: 'catalogue', nats: nats.connection, pool: shop.pool, ...projection }),
  )
  await live()
  lived = await dumpRows(shop.pool, tables)
})
afterAll(async () => {
  await Promise.all(consumers.map((consumer) => consumer.stop()))
  await Promise.all(Object.values(logs).map((log) => log.stop()))
  await shop.stop()
  await nats.stop()
})

/** Some days of a small market, some of which is in no log. */
async function live(): Promise<void> {
  for (const productId of [1, 2, 3]) {
    const event = { type: 'ListingCreated', data: listingFacts({ productId, sellerId: sarah }) } as const
    const metadata = { actorId: sarah, correlationId: 'test', causationId: null, commandId: null }
    const append = { service: 'catalogue', stream: `listing-${productId}`, expectedVersion: 0 } as const
    await shop.pool.transaction(async (transaction) => {
      await appendEvents(transaction, { ...append, events: [event], metadata })
      await projectListing(transaction, event)
    })
  }
  for (const userId of [sarah, bala, mei]) {
    const registered = { userId, isSeller: true, isAdmin: false, registeredAt: on(1) }
    await logs.identity.append(`user-${userId}`, { type: 'UserRegistered', data: registered })
  }
  await logs.identity.append(`user-${bala}`, { type: 'UserBanned', data: { userId: bala, bannedAt: on(2) } })
  await logs.identity.append(`user-${mei}`, { type: 'AccountClosed', data: { userId: mei, closedAt: on(3) } })
  const prices = { startingPriceSen: 100, reserveSen: null, buyNowSen: null, incrementSen: 10 }
  const terms = { auctionId: 5, productId: 1, sellerId: sarah, ...prices, startsAt: on(10), endsAt: on(30) }
  await logs.auction.append('auction-5', { type: 'AuctionOpened', data: { ...terms, openedAt: on(10) } })
  for (const [index, day] of [11, 11, 14].entries()) {
    const bid = { auctionId: 5, seq: index + 1, bidderId: bala, amountSen: 100 + index * 10, bidId: null }
    await logs.auction.append('auction-5', { type: 'BidPlaced', data: { ...bid, placedAt: on(day) } })
  }
  for (const [index, day] of [12, 14].entries()) {
    const message = {
      messageId: index + 1,
      senderId: bala,
      receiverId: sarah,
      productId: 1,
      kind: 'text',
      transactionId: null,
      actionType: null,
    }
    await logs.messaging.append(`conversation-${index}`, { type: 'MessageSent', data: { ...message, sentAt: on(day) } })
  }
  await logs.messaging.append('review-1', reviewed({ reviewId: 1, rating: 4 }).event)
  await logs.messaging.append(
    'order-1',
    ordered({ orderId: 1 }).event,
    ordered({ orderId: 1, status: 'processing' }).event,
  )
  const deal = {
    transactionId: 61,
    productId: 1,
    productName: 'Santal 33',
    sellerId: sarah,
    buyerId: bala,
    auctionId: null,
  }
  await logs.messaging.append('deal-61', {
    type: 'TransactionStepConfirmed',
    data: { ...deal, amountSen: 100, step: 'purchase', confirmedAt: on(14) },
  })
  await eventually(() =>
    expect(consumers.map((consumer) => consumer.stats())).toMatchObject(
      [5, 4, 4, 3, 1, 2].map((handledCount) => ({ handledCount, parkedCount: 0, waitingCount: 0 })),
    ),
  )
  const viewed = (day: number, viewer: bigint) =>
    ({ productId: 1, day: `2026-11-${day}`, viewer, userId: null, at: on(day, 1) }) as const
  await shop.pool.transaction((transaction) => saveViews(transaction, [viewed(13, 1n), viewed(14, 2n)]))
  await shop.pool.transaction((transaction) => addFavorites(transaction, bala, [1, 2]))
}

/** @returns how many rows were otherwise, by projection and table */
async function rebuildAll(): Promise<Record<string, Readonly<Record<string, number>>>> {
  const changed: Record<string, Readonly<Record<string, number>>> = {}
  for (const projection of all) {
    const reading = { databaseUrl: shop.database.url, nats: async () => nats.connection }
    changed[projection.name] = (await rebuild({ service: 'catalogue', projection, ...reading })).changed
  }
  return changed
}

it('changes nothing where everything is as the logs say', async () => {
  expect(lived['catalogue.product_days']?.length).toBeGreaterThan(4)
  expect(await rebuildAll()).toEqual({
    products: { products: 0, bottles: 0, released_lots: 0, search_words: 0, boosts: 0 },
    people: { known_people: 0 },
    auctions: { auction_summaries: 0, product_days: 0, seller_days: 0 },
    bidders: { auction_sellers: 0, bidder_sellers: 0 },
    sales: { orders: 0, reviews: 0 },
    deals: { confirmed_deals: 0 },
    messages: { product_conversations: 0, product_days: 0, seller_days: 0 },
  })
  expect(await dumpRows(shop.pool, tables)).toEqual(lived)
})

it.each([
  ['a figure of a day', sql.unsafe`update product_days set bids = bids + 7`],
  ['two figures of all days', sql.unsafe`update seller_days set bids = 7, messages = 8`],
  ['a name and a ban', sql.unsafe`update known_people set username = 'nobody', is_banned = not is_banned`],
  ['all people', sql.unsafe`delete from known_people`],
  ['what was sold', sql.unsafe`delete from orders`],
  ['what was said of it', sql.unsafe`delete from reviews`],
  ['the figures of sales', sql.unsafe`update products set sales_count = 70, review_count = 70, average_rating = 1`],
  ['the figures of everything else', sql.unsafe`update products set favorite_count = 70, view_count = 70, name = 'x'`],
  ['auctions', sql.unsafe`delete from auction_summaries`],
  ['whose auctions are', sql.unsafe`delete from auction_sellers`],
  ['who bids on whom', sql.unsafe`update bidder_sellers set bid_count = 70, last_bid_at = now()`],
  ['which deals are more than an offer', sql.unsafe`delete from confirmed_deals`],
  ['who wrote about what', sql.unsafe`delete from product_conversations`],
])('brings back %s', async (_what, damage) => {
  await shop.pool.query(damage)
  expect(await dumpRows(shop.pool, tables)).not.toEqual(lived)
  await rebuildAll()
  expect(await dumpRows(shop.pool, tables)).toEqual(lived)
})

it('counts again on the days that the logs have, when they are gone', async () => {
  await shop.pool.query(sql.unsafe`delete from product_days where day < '2026-11-13'`)
  await shop.pool.query(sql.unsafe`delete from seller_days where day < '2026-11-13'`)
  await rebuildAll()
  expect(await dumpRows(shop.pool, tables)).toEqual(lived)
})
