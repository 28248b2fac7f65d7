import { auctionRequests } from '@wangian/contracts/auction.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { PublishedEventOf } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { registry } from '@wangian/kit/service/metrics.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { productsProjection } from '../projections.ts'
import { bottleReactions, dealHandlers } from '../reactions.ts'
import { serveListings } from '../requests.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { type ListingCommand, listingStream } from './domain.ts'
import { runListing } from './listing-run.ts'
import { reconcileBottles } from './reconciliation.ts'

const [sarah, bala, mei] = [7, 20, 21]
const at = '2026-11-22T08:00:00.000Z'
const minutesLater = (minutes: number) => Date.parse(at) + minutes * 60_000

let bus: TestNats
let shop: TestShop
let serving: { stop(): Promise<void> }[]
/** What others say of products and deals. */
const auctions = new Map<number, z.input<typeof auctionRequests.findOpenAuction.answer>>()
type Standing = z.infer<typeof messagingRequests.getDealStandings.answer>['standings'][number]['standing']
const standings = new Map<number, Standing>()
const withdrawn: unknown[] = []

beforeAll(async () => {
  bus = await startTestNats()
  shop = await createTestShop({ nats: bus.connection })
  serving = [
    serveRequests(bus.connection, 'auction', auctionRequests.findOpenAuction, ({ productId }) => {
      return auctions.get(productId) ?? { auction: null, isReserved: false }
    }),
    serveRequests(bus.connection, 'auction', auctionRequests.withdrawAuction, ({ productId, actorId, reason }) => {
      withdrawn.push({ productId, actorId, reason })
      return { wasOpen: auctions.delete(productId) }
    }),
    serveRequests(bus.connection, 'messaging', messagingRequests.getDealStandings, ({ transactionIds }) => ({
      standings: transactionIds.map((transactionId) => ({
        transactionId,
        standing: standings.get(transactionId) ?? 'unknown',
      })),
    })),
    serveListings({ ...run(), nats: bus.connection, nowMs: () => minutesLater(0) }),
  ]
})
afterAll(async () => {
  for (const one of serving) await one.stop()
  await shop.stop()
  await bus.stop()
})
beforeEach(async () => {
  auctions.clear()
  standings.clear()
  withdrawn.length = 0
  await emptyTables(
    shop.pool,
    'products, bottles, released_lots, auction_summaries, confirmed_deals, known_people, events',
  )
})

const run = () => ({ pool: shop.pool, onAppended: () => {} })
const carryOut = (command: ListingCommand, productId = 1) =>
  runListing(run(), { productId, command, actorId: sarah, requestId: 'test' })
const list = (facts: Partial<ReturnType<typeof listingFacts>> = {}) =>
  carryOut({ type: 'CreateListing', facts: listingFacts(facts) })
const win = (auctionId = 5, winnerId = bala) =>
  carryOut({ type: 'SettleAuction', auctionId, end: { outcome: 'won', winnerId, amountSen: 26_000 }, at })

const reserve = (
  transactionId: number,
  buyerId = bala,
  offer: { readonly amountSen?: number; readonly auctionId?: number | null } = {},
) =>
  request(bus.connection, 'catalogue', catalogueRequests.reserveBottle, {
    productId: 1,
    transactionId,
    sellerId: sarah,
    buyerId,
    amountSen: 68_050,
    requestId: 'test',
    ...offer,
  }).then(() => 'yes', refusal)
const refusal = (error: unknown) => {
  if (error instanceof Rejection) return error.code
  throw error
}
const terms = async () =>
  (await request(bus.connection, 'catalogue', catalogueRequests.getDealTerms, { productId: 1 })).terms
const eventTypes = async () => (await readStream(shop.pool, 'catalogue', listingStream(1))).map(({ type }) => type)
const shown = async () => {
  const { body } = await shop.call('GET', '/api/products/1')
  const { status, stockQuantity } = body as { status: string; stockQuantity: number }
  return [status, stockQuantity]
}
const own = async () => (await shop.call('GET', '/api/seller/products/1', { by: { id: sarah } })).body

describe('the terms of a deal', () => {
  it('are those of the listing, with the bottles that nobody has', async () => {
    await list({ stockQuantity: 3, imageUrl: 'https://example.com/oud.jpg' })
    await reserve(61)
    expect(await terms()).toEqual({
      productId: 1,
      sellerId: sarah,
      name: 'Santal 33',
      imageUrl: 'https://example.com/oud.jpg',
      listingType: 'fixed',
      priceSen: 68_050,
      available: 2,
      lot: null,
      auction: null,
    })
  })

  it('are none of what is gone, was never there, or is of somebody who is banned', async () => {
    expect(await terms()).toBeNull()
    await list()
    await shop.pool.query(sql.unsafe`insert into known_people (user_id, username, is_banned) values (7, 'sarah', true)`)
    expect(await terms()).toBeNull()
    await emptyTables(shop.pool, 'known_people')
    expect(await terms()).not.toBeNull()
    await carryOut({ type: 'DeleteListing', actorId: sarah, at })
    expect(await terms()).toBeNull()
  })

  it('name the auction, with its price to buy at once', async () => {
    await list({ listingType: 'auction' })
    const auction = { auctionId: 5, endsAt: at, buyNowSen: 90_000 }
    auctions.set(1, { auction: { ...auction, bidCount: 0 }, isReserved: false })
    expect(await terms()).toMatchObject({ available: 1, auction: { hasBids: false, buyNowSen: 90_000 } })
    auctions.set(1, { auction: { ...auction, bidCount: 2 }, isReserved: false })
    expect(await terms()).toMatchObject({ auction: { hasBids: true } })
  })

  it('are those of the winner of a lot, before and after its end is known here', async () => {
    await list({ listingType: 'auction' })
    auctions.set(1, { auction: null, isReserved: true })
    expect(await terms()).toMatchObject({ available: 0, lot: null })
    await win()
    const lot = { auctionId: 5, winnerId: bala, amountSen: 26_000 }
    expect(await terms()).toMatchObject({ available: 0, priceSen: 26_000, lot })
  })
})

describe('a bottle for a deal', () => {
  it('is kept once for a deal, however often and at once it is asked for', async () => {
    await list({ stockQuantity: 3 })
    expect(await Promise.all(Array.from({ length: 5 }, () => reserve(61)))).toEqual(Array(5).fill('yes'))
    expect(await reserve(61)).toBe('yes')
    expect(await eventTypes()).toEqual(['ListingCreated', 'ListingReserved'])
    expect(await shown()).toEqual(['active', 2])
    expect(await own()).toMatchObject({ stockQuantity: 3, reservedQuantity: 1, reservation: null })
  })

  it('is there for as many of five deals as there are bottles', async () => {
    await list({ stockQuantity: 3 })
    const answers = await Promise.all(
      [61, 62, 63, 64, 65].map((transactionId) => reserve(transactionId, transactionId)),
    )
    expect(answers.toSorted()).toEqual(['product-reserved', 'product-reserved', 'yes', 'yes', 'yes'])
    expect(await shown()).toEqual(['pending', 0])
  })

  it('is for one of two when it is the last', async () => {
    await list()
    const answers = await Promise.all([reserve(61, bala), reserve(62, mei)])
    expect(answers.toSorted()).toEqual(['product-reserved', 'yes'])
  })

  it('is refused when all are sold, and when there is no such listing', async () => {
    expect(await reserve(61)).toBe('product-not-found')
    await list()
    await carryOut({ type: 'SellBottle', transactionId: 60, buyerId: mei, amountSen: 1, at })
    expect(await reserve(61)).toBe('product-sold')
    expect(await shown()).toEqual(['sold', 0])
  })

  it('takes its auction away while nobody has bid', async () => {
    await list({ listingType: 'auction' })
    const auction = { auctionId: 5, endsAt: at, buyNowSen: 90_000 }
    auctions.set(1, { auction: { ...auction, bidCount: 1 }, isReserved: false })
    expect(await reserve(61)).toBe('auction-has-bids')
    expect(withdrawn).toEqual([])
    auctions.set(1, { auction: { ...auction, bidCount: 0 }, isReserved: false })
    expect(await reserve(61)).toBe('yes')
    expect(withdrawn).toEqual([{ productId: 1, actorId: sarah, reason: 'It was sold at once.' }])
    // An answer that was lost: the auction that the seller has opened since, of another bottle, stays.
    auctions.set(1, { auction: { ...auction, bidCount: 0 }, isReserved: false })
    expect(await reserve(61)).toBe('yes')
    expect(withdrawn).toHaveLength(1)
  })

  it('takes away no auction that asks another price, or none', async () => {
    await list({ listingType: 'auction' })
    for (const buyNowSen of [90_000, null]) {
      const auction = { auctionId: 6, endsAt: at, buyNowSen, bidCount: 0 }
      auctions.set(1, { auction, isReserved: false })
      expect(await reserve(61, bala, { amountSen: 5_000, auctionId: null })).toBe('conflict')
      expect(await reserve(61, bala, { amountSen: 90_000, auctionId: 5 })).toBe('conflict')
    }
    expect(withdrawn).toEqual([])
    auctions.set(1, { auction: { auctionId: 6, endsAt: at, buyNowSen: 90_000, bidCount: 0 }, isReserved: false })
    expect(await reserve(61, bala, { amountSen: 90_000, auctionId: null })).toBe('yes')
    expect(withdrawn).toHaveLength(1)
  })

  it('is no lot at another price than was bid', async () => {
    await list({ listingType: 'auction' })
    await win()
    auctions.set(1, { auction: null, isReserved: true })
    expect(await reserve(61, bala, { amountSen: 5_000, auctionId: null })).toBe('conflict')
    expect(await reserve(62, bala, { amountSen: 26_000, auctionId: 5 })).toBe('yes')
  })

  it('is the lot of whoever has won it', async () => {
    await list({ listingType: 'auction' })
    auctions.set(1, { auction: null, isReserved: true })
    expect(await reserve(61)).toBe('product-reserved')
    await win()
    expect(await reserve(62, mei)).toBe('product-reserved')
    expect(await reserve(61)).toBe('yes')
    expect(await reserve(63)).toBe('product-reserved')
    expect(await shown()).toEqual(['pending', 0])
    expect(await own()).toMatchObject({ reservation: { buyerId: bala, amount: 260 } })
  })
})

describe('a lot that its seller gives up', () => {
  const release = (actorId = sarah) =>
    request(bus.connection, 'catalogue', catalogueRequests.releaseLot, {
      productId: 1,
      auctionId: 5,
      actorId,
      reason: 'No answer.',
      requestId: 'test',
    }).then(() => 'yes', refusal)

  const isReleased = async () => {
    const { body } = await shop.call('GET', '/api/products/1')
    return (body as { auction: { isReleased: boolean } }).auction.isReleased
  }
  beforeEach(() =>
    shop.pool.query(sql.unsafe`
      insert into auction_summaries (auction_id, product_id, starting_price_sen, starts_at, ends_at, terms_at, closed_as, outcome, winner_id)
      values (5, 1, 20000, ${at}, ${at}, ${at}, 'ended', 'won', ${bala})`),
  )

  it.each(['is_banned', 'is_closed'])('is free at once when the winner %s', async (gone) => {
    await list({ listingType: 'auction' })
    await win()
    expect(await isReleased()).toBe(false)
    expect(await release(mei)).toBe('forbidden')
    expect(await release()).toBe('conflict')
    await shop.pool.query(sql.unsafe`
      insert into known_people (user_id, username, ${sql.identifier([gone])}) values (${bala}, 'bala', true)`)
    expect(await release()).toBe('yes')
    expect(await release()).toBe('yes')
    expect(await own()).toMatchObject({ status: 'active', stockQuantity: 1, reservation: null })
    expect(await isReleased()).toBe(true)
    await rebuildTables(shop.pool, 'catalogue', productsProjection)
    expect(await isReleased()).toBe(true)
    const events = await readStream(shop.pool, 'catalogue', listingStream(1))
    expect(events.at(-1)).toMatchObject({ type: 'ListingReleased', data: { reason: 'released', note: 'No answer.' } })
    expect(events).toHaveLength(3)
  })
})

type MessagingEvent = PublishedEventOf<typeof messagingEvents>
const deal = (transactionId = 61, auctionId: number | null = null) => ({
  transactionId,
  productId: 1,
  productName: 'Santal 33',
  sellerId: sarah,
  buyerId: bala,
  amountSen: 68_050,
  auctionId,
})
const confirmed = (step: 'purchase' | 'payment' | 'delivery', transactionId = 61): MessagingEvent => ({
  type: 'TransactionStepConfirmed',
  data: { ...deal(transactionId), step, confirmedAt: at },
})
const cancelled = (
  by: 'seller' | 'buyer' | 'admin' | 'removal',
  after: 'purchase' | 'payment' | null,
  auctionId: number | null = null,
): MessagingEvent => ({ type: 'TransactionCancelled', data: { ...deal(61, auctionId), by, after, cancelledAt: at } })

/** Hears events of a deal, each twice. */
async function hear(...events: readonly MessagingEvent[]): Promise<void> {
  const handlers = bottleReactions({ ...run(), nats: bus.connection })
  for (const [index, event] of events.flatMap((one) => [one, one]).entries()) {
    const id = `0193a000-0000-7000-8000-00000000000${index}`
    const metadata = { actorId: bala, correlationId: 'test', causationId: null, commandId: null }
    const received = { ...event, id, version: 1, stream: 'deal-61', at, metadata }
    await react(shop.pool, { handlers }, received)
    await react(shop.pool, { bulkHandlers: dealHandlers }, received)
  }
}

describe('what messaging tells of a deal', () => {
  it('sells its bottle when it is paid', async () => {
    await list({ stockQuantity: 2 })
    await reserve(61)
    await hear(confirmed('purchase'), confirmed('payment'), confirmed('delivery'))
    expect(await eventTypes()).toEqual(['ListingCreated', 'ListingReserved', 'ListingSold'])
    expect(await shown()).toEqual(['active', 1])
  })

  it('keeps a bottle again that was freed before the confirmation came here', async () => {
    await list()
    await hear(confirmed('purchase'))
    expect(await shown()).toEqual(['pending', 0])
    standings.set(62, 'confirmed')
    await expect(hear(confirmed('purchase', 62))).rejects.toMatchObject({ code: 'product-reserved' })
  })

  it('keeps none for a confirmed purchase that was called off before a bottle was left', async () => {
    await list()
    await reserve(61)
    standings.set(62, 'cancelled')
    await hear(confirmed('purchase', 62))
    expect(await eventTypes()).toEqual(['ListingCreated', 'ListingReserved'])
  })

  it('keeps and sells none when its steps are tried again after it was called off', async () => {
    await list()
    await reserve(62)
    standings.set(61, 'confirmed')
    for (const step of ['purchase', 'payment'] as const)
      await expect(hear(confirmed(step))).rejects.toMatchObject({ code: 'product-reserved' })
    standings.set(61, 'cancelled')
    await hear(cancelled('admin', 'payment'))
    await carryOut({ type: 'ReleaseBottle', transactionId: 62, auctionId: null, by: 'buyer', at })
    await hear(confirmed('purchase'), confirmed('payment'))
    expect(await shown()).toEqual(['active', 1])
  })

  it('frees its bottle when it is called off, and brings a paid one back', async () => {
    await list()
    await reserve(61)
    await hear(cancelled('seller', 'purchase'))
    expect(await shown()).toEqual(['active', 1])
    await reserve(61)
    await hear(confirmed('payment'))
    expect(await shown()).toEqual(['sold', 0])
    await hear(cancelled('admin', 'payment'))
    expect(await shown()).toEqual(['active', 1])
  })

  it('keeps none for a second press that was on its way while it was called off', async () => {
    await list()
    await reserve(61)
    await hear(confirmed('purchase'), cancelled('buyer', 'purchase'))
    expect(await reserve(61)).toBe('deal-cancelled')
    expect(await reserve(62, mei)).toBe('yes')
  })

  it('leaves a lot with its winner when the seller calls the deal off', async () => {
    await list({ listingType: 'auction' })
    await win()
    await reserve(61)
    await hear(cancelled('seller', 'purchase', 5))
    expect(await own()).toMatchObject({ status: 'pending', reservation: { buyerId: bala } })
    await hear(cancelled('buyer', null, 5))
    expect(await own()).toMatchObject({ status: 'active', reservation: null })
  })
})

describe('a bottle that nobody has confirmed', () => {
  const reconcile = (minutes: number) =>
    reconcileBottles({ ...run(), nats: bus.connection, nowMs: () => minutesLater(minutes) })
  const count = async (done: string) => {
    const metric = await registry.getSingleMetric('wangian_bottles_reconciled_total')?.get()
    return metric?.values.find(({ labels }) => labels['done'] === done)?.value ?? 0
  }

  it.each(['open', 'cancelled', 'unknown'] as const)(
    'is freed after a minute when its deal is %s',
    async (standing) => {
      await list()
      await reserve(61)
      standings.set(61, standing)
      const before = await count('freed')
      expect(await reconcile(0.9)).toEqual({ freed: 0, sold: 0 })
      expect(await reconcile(1.1)).toEqual({ freed: 1, sold: 0 })
      expect(await reconcile(2)).toEqual({ freed: 0, sold: 0 })
      expect(await count('freed')).toBe(before + 1)
      expect(await eventTypes()).toEqual(['ListingCreated', 'ListingReserved', 'ListingReleased'])
      expect(await shown()).toEqual(['active', 1])
    },
  )

  it('stays where the purchase was confirmed, and is asked about until that is heard', async () => {
    await list({ stockQuantity: 2 })
    await reserve(61)
    standings.set(61, 'confirmed')
    expect(await reconcile(5)).toEqual({ freed: 0, sold: 0 })
    await hear(confirmed('purchase'))
    standings.set(61, 'cancelled')
    expect(await reconcile(5)).toEqual({ freed: 0, sold: 0 })
    expect(await shown()).toEqual(['active', 1])
  })

  it('is freed whatever is wrong with another one', async () => {
    const reserveOf = (productId: number, transactionId: number) => {
      const deal = { transactionId, sellerId: sarah, buyerId: bala, amountSen: 68_050, hold: 'none', at } as const
      return carryOut({ type: 'ReserveBottle', ...deal }, productId)
    }
    await carryOut({ type: 'CreateListing', facts: listingFacts({ productId: 2 }) }, 2)
    await reserveOf(2, 60)
    await list()
    await reserveOf(1, 61)
    await shop.pool.query(sql.unsafe`
      update events set type = 'Unknown' where stream = ${listingStream(2)} and type = 'ListingReserved'`)
    await expect(reconcile(5)).rejects.toThrow()
    expect(await shown()).toEqual(['active', 1])
  })

  it('is sold where it was paid', async () => {
    await list()
    await reserve(61)
    standings.set(61, 'paid')
    expect(await reconcile(5)).toEqual({ freed: 0, sold: 1 })
    await hear(confirmed('purchase'), confirmed('payment'))
    expect(await eventTypes()).toEqual(['ListingCreated', 'ListingReserved', 'ListingSold'])
  })

  it('is the winner’s again when it is of a lot', async () => {
    await list({ listingType: 'auction' })
    await win()
    await reserve(61)
    standings.set(61, 'open')
    expect(await reconcile(5)).toEqual({ freed: 1, sold: 0 })
    expect(await own()).toMatchObject({ status: 'pending', reservation: { buyerId: bala } })
    expect(await reserve(61)).toBe('yes')
  })
})
