import { AMOUNT_MAX_SEN } from '@wangian/contracts/money.ts'
import { BoostResult, SellerAnalytics } from '@wangian/contracts/selling.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { projectListing } from '../projections.ts'
import { auctionHandlers, messageHandlers } from '../reactions.ts'
import { ordered, receiveSales, reviewed } from '../testing/sales.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { Views } from './views.ts'

// Half past eight in the evening of the 22nd in Malaysia.
const noon = Date.parse('2026-11-22T12:30:00.000Z')
const sarah = { id: 7 }
const bala = { id: 20 }

let shop: TestShop
let views: Views
let nowMs = noon
beforeAll(async () => {
  shop = await createTestShop({ nowMs: () => nowMs, rateLimitFactor: 1 })
})
afterAll(() => shop.stop())
beforeEach(async () => {
  nowMs = noon
  views = new Views({ pool: shop.pool, nowMs: () => nowMs })
  await emptyTables(
    shop.pool,
    'products, favorites, reviews, orders, product_days, seller_days, product_viewers, auction_summaries, known_people',
  )
  await shop.list({ productId: 1 }, { productId: 2, name: 'Iris' }, { productId: 3, sellerId: 8 })
})

async function figures(days: 7 | 30 | 90 = 7, by = sarah): Promise<SellerAnalytics> {
  const { body } = await shop.call('GET', `/api/seller/analytics?days=${days}`, { by })
  expect(SellerAnalytics.parse(body)).toEqual(body)
  return body as SellerAnalytics
}
const viewCount = (productId: number) =>
  shop.pool.oneFirst(sql.unsafe`select view_count from products where id = ${productId}`)

describe('views', () => {
  it('count once for a person or an address, a product and a day', async () => {
    for (const _ of [1, 2]) {
      views.record(1, { userId: 20 })
      views.record(1, { address: '203.0.113.1' })
      views.record(2, { userId: 20 })
      await views.flush()
    }
    views.record(1, { address: '203.0.113.2' })
    await views.flush()
    expect((await figures()).totals.views).toBe(4)
    expect([await viewCount(1), await viewCount(2)]).toEqual([3, 1])
    nowMs += 4 * 60 * 60 * 1000
    views.record(1, { userId: 20 })
    await views.flush()
    const { series } = await figures()
    expect(series.slice(-2)).toMatchObject([
      { date: '2026-11-22', views: 4 },
      { date: '2026-11-23', views: 1 },
    ])
  })

  it('count once when two processes gather them', async () => {
    const elsewhere = new Views({ pool: shop.pool, nowMs: () => nowMs })
    for (const gathering of [views, elsewhere])
      for (const productId of [1, 2]) gathering.record(productId, { userId: 20 })
    await Promise.all([views.flush(), elsewhere.flush()])
    expect((await figures()).totals.views).toBe(2)
  })

  it('of the owner, and of what cannot be seen, count nothing', async () => {
    await shop.pool.query(sql.unsafe`update products set status = 'archived' where id = 2`)
    for (const productId of [1, 2, 999]) views.record(productId, { userId: 7 })
    views.record(2, { userId: 20 })
    await views.flush()
    expect((await figures()).totals.views).toBe(0)
    expect(await viewCount(1)).toBe(0)
  })

  it('leave nothing of who it was when the day is over', async () => {
    views.record(1, { userId: 20 })
    await views.flush()
    nowMs += 24 * 60 * 60 * 1000
    views.record(2, { userId: 21 })
    await views.flush()
    expect(await shop.pool.anyFirst(sql.unsafe`select product_id from product_viewers`)).toEqual([2])
  })

  it('leave nothing of a busy day, with no statement that takes long', async () => {
    const insert = sql.unsafe`
      insert into product_viewers (day, product_id, viewer) select '2026-11-21', n % 3, n from generate_series(1, 20001) as n`
    await shop.pool.query(insert)
    views.record(2, { userId: 21 })
    const statements = await statementsOf(() => views.flush())
    expect(statements.filter((text) => text.startsWith('delete from product_viewers'))).toHaveLength(3)
    expect(await shop.pool.anyFirst(sql.unsafe`select product_id from product_viewers`)).toEqual([2])
  })

  it('wait while the database is away', async () => {
    await shop.pool.query(sql.unsafe`alter table product_viewers rename to elsewhere`)
    views.record(1, { userId: 20 })
    await views.flush()
    await shop.pool.query(sql.unsafe`alter table elsewhere rename to product_viewers`)
    await views.stop()
    expect(await viewCount(1)).toBe(1)
  })

  it('are taken from everybody, within limits', async () => {
    const from = '203.0.113.9'
    const look = () => shop.call('POST', '/api/products/1/views', { from })
    expect(await look()).toMatchObject({ status: 204, body: null })
    expect((await shop.call('POST', '/api/products/1/views', { by: bala, from })).status).toBe(204)
    expect((await shop.call('POST', '/api/products/999/views', { by: bala })).status).toBe(204)
    expect((await shop.call('POST', '/api/products/x/views')).status).toBe(400)
    for (let count = 1; count < 300; count += 1) await look()
    expect(await look()).toMatchObject({ status: 429, body: { code: 'rate-limited' } })
    for (const neighbour of ['2001:db8:0:1::1', '2001:db8:0:1::2']) {
      expect((await shop.call('POST', '/api/products/1/views', { from: neighbour })).status).toBe(204)
    }
    expect((await shop.call('POST', '/api/products/1/views', { by: bala, from })).status).toBe(204)
    // What the service has gathered is written a moment later, and is not to count in the tests that follow.
    expect((await shop.call('POST', '/api/products/1/views', { by: { id: 21 } })).status).toBe(204)
    // A household has many addresses of one network.
    await eventually(async () => expect(await viewCount(1)).toBe(4))
  })
})

describe('what a boost brought', () => {
  const at = (day: number) => `2026-11-${day}T04:00:00.000Z`
  const boost = (productId: number, first: number, last: number) =>
    shop.pool.transaction((transaction) =>
      projectListing(transaction, {
        type: 'ListingFeatured',
        data: { productId, sellerId: 7, packageId: 1, commandId: 'b', featuredAt: at(first), featuredUntil: at(last) },
      }),
    )
  const results = async (by = sarah) => {
    const { status, body } = await shop.call('GET', '/api/seller/boosts', { by })
    expect([status, BoostResult.array().parse(body)]).toEqual([200, body])
    return body as BoostResult[]
  }
  /** Running totals, as views and messages are kept. */
  const upTo = (productId: number, day: number, views: number, messages: number) =>
    shop.pool.query(sql.unsafe`
      insert into product_days (day, product_id, views, favorites, messages, bids)
      values (${`2026-11-${day}`}::date, ${productId}, ${views}, 0, ${messages}, 0)`)

  beforeEach(() => emptyTables(shop.pool, 'boosts'))

  it('is counted on its days, and on as many before them', async () => {
    await upTo(1, 14, 100, 50)
    await upTo(1, 17, 103, 51)
    await upTo(1, 19, 110, 51)
    await upTo(1, 20, 130, 60)
    await upTo(1, 22, 150, 61)
    await boost(1, 19, 21)
    const [result] = await results()
    expect(result).toMatchObject({ productId: 1, beganAt: at(19), endsAt: at(21), days: 3 })
    expect([result?.before, result?.during]).toEqual([
      { views: 3, contacts: 1 },
      { views: 27, contacts: 9 },
    ])
  })

  it('is counted until today while it goes on, and is nothing without a view', async () => {
    await boost(1, 22, 30)
    await boost(2, 21, 30)
    await upTo(2, 22, 5, 0)
    expect(await results()).toMatchObject([
      { productId: 1, days: 1, before: { views: 0 }, during: { views: 0 } },
      { productId: 2, days: 2, before: { views: 0 }, during: { views: 5 } },
    ])
  })

  it('says that its listing is gone', async () => {
    await boost(1, 22, 30)
    await boost(2, 21, 30)
    await shop.pool.query(sql.unsafe`update products set status = 'archived', deleted_at = now() where id = 1`)
    expect((await results()).map(({ isRemoved }) => isRemoved)).toEqual([true, false])
  })

  it('is told to the seller alone', async () => {
    await boost(1, 22, 30)
    expect(await results(bala)).toEqual([])
    expect((await shop.call('GET', '/api/seller/boosts')).status).toBe(401)
  })
})

describe('the figures of a seller', () => {
  const message = (productId: number | null, senderId: number, kind: 'text' | 'action' = 'text') => ({
    messageId: 1,
    senderId,
    receiverId: 7,
    productId,
    kind,
    sentAt: '2026-11-21T20:00:00.000Z',
  })

  it('are nothing at first, on every day', async () => {
    for (const days of [7, 30, 90] as const) {
      const { series, totals, topRated, listings } = await figures(days)
      expect(series).toHaveLength(days)
      expect(series.at(-1)).toEqual({ date: '2026-11-22', views: 0, favorites: 0, messages: 0, bids: 0, sales: 0 })
      expect(totals).toEqual({ views: 0, favorites: 0, messages: 0, bids: 0, sales: 0, revenue: 0 })
      expect(topRated).toEqual([])
      expect(listings.map(({ productId }) => productId)).toEqual([2, 1])
    }
    expect((await figures(7)).series[0]?.date).toBe('2026-11-16')
    const byDefault = await shop.call('GET', '/api/seller/analytics', { by: sarah })
    expect(byDefault.body).toMatchObject({ days: 30 })
    expect((await shop.call('GET', '/api/seller/analytics?days=8', { by: sarah })).status).toBe(400)
    expect((await shop.call('GET', '/api/seller/analytics')).status).toBe(401)
  })

  it('count messages of others about a listing, on the Malaysian day', async () => {
    const events = [message(1, 20), message(1, 7), message(null, 20), message(2, 21), message(1, 20, 'action')]
    await shop.pool.transaction(async (transaction) =>
      messageHandlers.MessageSent?.(transaction, events.map((data) => ({ data })) as never),
    )
    const { series, totals, listings } = await figures()
    expect(totals.messages).toBe(2)
    expect(series.at(-1)).toMatchObject({ date: '2026-11-22', messages: 2 })
    expect(listings).toMatchObject([{ messages: 1 }, { messages: 1 }])
  })

  it('count what comes late on its own day, and in nothing before it', async () => {
    const send = (sentAt: string) =>
      shop.pool.transaction(async (transaction) =>
        messageHandlers.MessageSent?.(transaction, [{ data: { ...message(1, 20), sentAt } }] as never),
      )
    for (const day of ['22', '20', '21', '10', '20']) await send(`2026-11-${day}T08:00:00.000Z`)
    expect((await figures(7)).series.map(({ messages }) => messages)).toEqual([0, 0, 0, 0, 2, 1, 1])
    expect((await figures(7)).listings.find(({ productId }) => productId === 1)).toMatchObject({ messages: 4 })
    expect((await figures(30)).listings.find(({ productId }) => productId === 1)).toMatchObject({ messages: 5 })
  })

  it('count bids on what is for auction', async () => {
    const at = '2026-11-22T10:00:00.000Z'
    const opened = { auctionId: 5, productId: 1, startingPriceSen: 1, startsAt: at, endsAt: at, openedAt: at }
    const bid = (auctionId: number, seq: number) => ({ data: { auctionId, seq, amountSen: seq, placedAt: at } })
    await react(shop.pool, { bulkHandlers: auctionHandlers }, { type: 'AuctionOpened', data: opened })
    await shop.pool.transaction(async (transaction) => {
      await auctionHandlers.BidPlaced?.(transaction, [bid(5, 1), bid(5, 2), bid(6, 1)] as never)
    })
    expect((await figures()).totals.bids).toBe(2)
  })

  it('count favourites as long as they are kept', async () => {
    for (const by of [bala, { id: 21 }]) await shop.call('PUT', '/api/favorites/1', { by })
    await shop.call('PUT', '/api/favorites/1', { by: bala })
    const today = async () => {
      nowMs = Date.now()
      return (await figures()).totals.favorites
    }
    expect(await today()).toBe(2)
    for (const _ of [1, 2]) await shop.call('DELETE', '/api/favorites/1', { by: bala })
    expect(await today()).toBe(1)
  })

  it('count a sale once, when it is paid, and its revenue, unless it is cancelled after all', async () => {
    const paidAt = '2026-11-21T17:00:00.000Z'
    await receiveSales(
      shop.pool,
      ordered({ orderId: 1, totalSen: 10_050 }, 1),
      ordered({ orderId: 1, totalSen: 10_050, status: 'processing', changedAt: paidAt }, 2),
      ordered({ orderId: 1, totalSen: 10_050, status: 'delivered' }, 4),
      ordered({ orderId: 2, productId: 2, totalSen: 20_000, status: 'processing', changedAt: paidAt }, 2),
      ordered({ orderId: 2, productId: 2, totalSen: 20_000, status: 'cancelled' }, 3),
      ordered({ orderId: 3, status: 'pending' }, 1),
      ordered({ orderId: 4, status: 'shipped', changedAt: '2026-10-01T00:00:00.000Z' }, 3),
    )
    const { series, totals, listings } = await figures()
    expect(totals).toMatchObject({ sales: 1, revenue: 100.5 })
    expect(series.at(-1)).toMatchObject({ date: '2026-11-22', sales: 1 })
    expect(listings.map(({ productId, sales }) => [productId, sales])).toEqual([
      [2, 0],
      [1, 1],
    ])
    expect((await figures(90)).totals).toMatchObject({ sales: 2, revenue: 781 })
  })

  it('say a revenue that is more than one amount may be', async () => {
    const status = 'processing'
    await receiveSales(
      shop.pool,
      ...[1, 2].map((orderId) =>
        ordered({ orderId, totalSen: AMOUNT_MAX_SEN, status, changedAt: '2026-11-21T17:00:00.000Z' }, 2),
      ),
    )
    expect((await figures()).totals).toMatchObject({ sales: 2, revenue: 19_999_999.98 })
  })

  it('name the best rated, and are of the seller only', async () => {
    await receiveSales(
      shop.pool,
      reviewed({ reviewId: 1, rating: 4 }),
      reviewed({ reviewId: 2, productId: 2, rating: 4.5 }),
    )
    views.record(3, { userId: 20 })
    await views.flush()
    const { topRated, totals } = await figures()
    expect(topRated).toEqual([
      { productId: 2, name: 'Iris', imageUrl: null, averageRating: 4.5, reviewCount: 1 },
      { productId: 1, name: 'Santal 33', imageUrl: null, averageRating: 4, reviewCount: 1 },
    ])
    expect(totals.views).toBe(0)
    expect((await figures(7, { id: 8 })).totals.views).toBe(1)
  })
})
