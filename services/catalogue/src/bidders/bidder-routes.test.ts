import type { SuspectedBidder } from '@wangian/contracts/bidders.ts'
import { LOG_START } from '@wangian/contracts/envelope.ts'
import type { PublishedAuctionEvent } from '@wangian/contracts/events/auction.ts'
import { eventSubject } from '@wangian/contracts/subjects.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import { requestLogPage } from '@wangian/kit/log/log-pages.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { react } from '@wangian/kit/testing/react.ts'
import type { TestPerson } from '@wangian/kit/testing/test-app.ts'
import { startTestLog } from '@wangian/kit/testing/test-log.ts'
import { startTestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { projections } from '../consumers.ts'
import { auctionHandlers, bidderHandlers } from '../reactions.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'

const [sarah, hafiz, bala, mei] = [7, 8, 20, 21]
const admin = { id: 1, isAdmin: true }
/** One of Sarah's, one more of hers, one of Hafiz's. */
const [first, second, other] = [5, 6, 9]
const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`

let shop: TestShop
beforeAll(async () => {
  shop = await createTestShop()
})
afterAll(() => shop.stop())
beforeEach(async () => {
  await emptyTables(shop.pool, 'products, known_people, auction_summaries, auction_sellers, bidder_sellers')
  for (const [auctionId, sellerId] of [
    [first, sarah],
    [second, sarah],
    [other, hafiz],
  ] as const) {
    await shop.list({ productId: auctionId, sellerId, listingType: 'auction' })
    await tell(opened(auctionId, sellerId))
  }
})

const opened = (auctionId: number, sellerId: number) => {
  const terms = { startingPriceSen: 100, reserveSen: null, buyNowSen: null, incrementSen: 10 }
  const times = { startsAt: at(0), endsAt: at(59), openedAt: at(0) }
  return { type: 'AuctionOpened', data: { auctionId, productId: auctionId, sellerId, ...terms, ...times } } as const
}

/** Delivers an event to whatever of the service hears it. */
async function tell(event: PublishedAuctionEvent): Promise<void> {
  for (const bulkHandlers of [auctionHandlers, bidderHandlers]) await react(shop.pool, { bulkHandlers }, event)
}

const bidsOf = (bidderId: number, auctionId: number, count: number, placedAt = at(1)) =>
  Array.from({ length: count }, (_, index) => ({
    data: { auctionId, seq: index + 1, bidderId, amountSen: 100 + index * 10, bidId: null, placedAt },
  }))

/** All in one batch. */
async function bid(...bids: readonly ReturnType<typeof bidsOf>[]): Promise<void> {
  await shop.pool.transaction(async (transaction) => bidderHandlers.BidPlaced?.(transaction, bids.flat() as never))
}

const won = (auctionId: number, winnerId: number): PublishedAuctionEvent => ({
  type: 'AuctionEnded',
  data: {
    ...{ auctionId, productId: auctionId, sellerId: auctionId === other ? hafiz : sarah, outcome: 'won', winnerId },
    ...{ leaderId: winnerId, amountSen: 900, bidCount: 10, endedAt: at(59) },
  },
})

const ask = (query = '', by: TestPerson | null = admin) =>
  shop.call('GET', `/api/admin/suspected-bidders${query}`, by === null ? {} : { by })
const suspects = async () => (await ask()).body as SuspectedBidder[]

describe('suspected bidders', () => {
  it('are who bids nearly always on one seller and never wins', async () => {
    await tellOfPerson(shop.pool, [registeredAs(bala, 'bala'), registeredAs(sarah, 'sarah')])
    await bid(bidsOf(bala, first, 5, at(3)), bidsOf(bala, second, 3, at(2)), bidsOf(bala, other, 2, at(9)))
    const { status, body, headers } = await ask()
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        bidder: { id: bala, username: 'bala' },
        seller: { id: sarah, username: 'sarah' },
        bidsOnSeller: 8,
        bidsInAll: 10,
        sharePercent: 80,
        lastBidAt: at(3),
      },
    ])
    expect([headers['x-total-count'], headers['link']]).toEqual(['1', undefined])
  })

  it('have at least ten bids', async () => {
    await bid(bidsOf(bala, first, 9))
    expect(await suspects()).toEqual([])
    await bid(bidsOf(bala, first, 1))
    expect(await suspects()).toMatchObject([{ bidsOnSeller: 10, bidsInAll: 10, sharePercent: 100 }])
  })

  it('have more than 70 % of their bids on that seller', async () => {
    await bid(bidsOf(bala, first, 7), bidsOf(bala, other, 3))
    expect(await suspects()).toEqual([])
    await bid(bidsOf(bala, second, 1))
    expect(await suspects()).toMatchObject([{ bidsOnSeller: 8, bidsInAll: 11, sharePercent: 72.7 }])
  })

  it.each([
    ['that seller', first],
    ['anybody', other],
  ])('have won nothing of %s', async (_whose, auctionId) => {
    await bid(bidsOf(bala, first, 20), bidsOf(mei, first, 20))
    await tell(won(auctionId, bala))
    expect(await suspects()).toMatchObject([{ bidder: { id: mei } }])
  })

  it('bid also on what is deleted, at the time of the latest bid, in whatever order they come', async () => {
    await bid(bidsOf(bala, first, 6, at(8)))
    await bid(bidsOf(bala, first, 6, at(4)))
    await shop.pool.query(sql.unsafe`update products set deleted_at = now(), status = 'archived'`)
    expect(await suspects()).toMatchObject([{ bidsOnSeller: 12, lastBidAt: at(8) }])
  })

  it('come page by page, who bids most first', async () => {
    await bid(...[31, 32, 33, 34].map((bidderId) => bidsOf(bidderId, first, bidderId === 32 ? 11 : 10)))
    const pages: number[][] = []
    for (let url: string | undefined = '?limit=2'; url !== undefined; ) {
      const { body, headers } = await ask(url)
      expect(headers['x-total-count']).toBe('4')
      pages.push((body as SuspectedBidder[]).map(({ bidder }) => bidder.id))
      url = /suspected-bidders(.+)>; rel="next"/.exec(String(headers['link']))?.[1]
    }
    expect(pages).toEqual([
      [32, 34],
      [33, 31],
    ])
  })

  it('are counted where there are none', async () => {
    expect((await ask()).headers['x-total-count']).toBe('0')
  })

  it('are shown to administrators only', async () => {
    for (const person of [{ id: bala }, { id: sarah }]) expect((await ask('', person)).status).toBe(403)
    expect((await ask('', null)).status).toBe(401)
  })

  it('have no page behind what we did not write', async () => {
    for (const query of ['?cursor=nonsense', '?limit=0', '?limit=101']) expect((await ask(query)).status).toBe(400)
  })
})

/** As the service runs it. */
const declared = projections.find(({ name }) => name === 'bidders') as (typeof projections)[number]

it('counts bids of before it was there, and each once, however often they are published', async () => {
  const nats = await startTestNats()
  const log = await startTestLog({ service: 'auction', nats: nats.connection })
  const consumers: EventConsumer[] = []
  const place = (count: number) =>
    log.append(
      `auction-${first}`,
      ...bidsOf(bala, first, count).map(({ data }) => ({ type: 'BidPlaced', data }) as const),
    )
  const counted = () =>
    shop.pool.any(sql.type(z.object({ count: z.number() }))`select bid_count as count from bidder_sellers`)
  const startAndHandle = async (handledCount: number) => {
    const consumer = startConsumer({ service: 'catalogue', nats: nats.connection, pool: shop.pool, ...declared })
    consumers.push(consumer)
    await eventually(() => expect(consumer.stats()).toMatchObject({ isCaughtUp: true, handledCount }))
    return consumer
  }
  try {
    await log.append(`auction-${first}`, opened(first, sarah))
    await place(3)
    const before = await startAndHandle(4)
    const { events } = await requestLogPage(nats.connection, 'auction', {
      types: [{ type: 'BidPlaced', after: LOG_START }],
    })
    for (const event of events) {
      nats.connection.publish(eventSubject('auction', event.type), JSON.stringify(event))
    }
    await place(1)
    await eventually(() => expect(before.stats().handledCount).toBe(5))
    await before.stop()
    await place(1)
    await startAndHandle(1)
    expect(events).toHaveLength(3)
    expect(await counted()).toEqual([{ count: 5 }])
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.stop()))
    await log.stop()
    await nats.stop()
  }
})
