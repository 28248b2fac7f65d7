import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Auction, auctionRequests } from '@wangian/contracts/auction.ts'
import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withdrawals } from '../reactions.ts'
import {
  claimProduct,
  dropClaim,
  findAuction,
  findAuctionOfProduct,
  findListing,
  isBeingOpened,
  nextAuctionId,
  saveListings,
  saveReturned,
} from '../store.ts'
import { type AuctionProcess, type RunningOwner, startAuctionProcess } from '../testing/auction-process.ts'
import { bidIdOf, productOf, termsOf } from '../testing/fixtures.ts'
import { sendCommand } from './send-command.ts'

const aDay = 24 * 60 * 60 * 1000
/** Far enough ahead; the database's clock is the real one. */
const endsAt = new Date(Date.now() + aDay).toISOString()

let service: AuctionProcess
let owner: RunningOwner
let lastProductId = 100

beforeAll(async () => {
  service = await startAuctionProcess()
})
afterAll(() => service.stop())
beforeEach(async () => {
  owner = await service.startOwner()
})
afterEach(() => owner.stop())

async function list(): Promise<number> {
  lastProductId += 1
  await saveListings(service.database.pool, [{ productId: lastProductId, sellerId: 7, listingType: 'auction' }])
  return lastProductId
}

async function post(productId: number, terms: Record<string, unknown> = {}) {
  return service.app.inject({
    method: 'POST',
    url: '/api/auctions',
    headers: await service.tokens.bearer({ id: 7, username: 'sarah' }),
    payload: { productId, startingPrice: 200, bidIncrement: 5, endsAt, ...terms },
  })
}

async function open(productId: number, terms: Record<string, unknown> = {}): Promise<Auction> {
  const response = await post(productId, terms)
  expect(response.statusCode, response.body).toBe(201)
  return response.json()
}

const bid = async (auctionId: number, sen: number, bidderId = 21) => {
  const [verdict] = await service.bid([auctionId, bidderId, sen, bidIdOf(1), 'amira'])
  expect(verdict?.[1]).toBe(0)
}

/** An auction whose owner is held up: whoever ordered it has given up waiting, and nobody can see it yet. */
async function order(productId: number): Promise<{ id: number; arrive(): Promise<void> }> {
  const { auctionId: id } = await nextAuctionId(service.database.pool)
  expect(await claimProduct(service.database.pool, productId, id)).toBe(true)
  const terms = termsOf({ auctionId: id, productId, startsAt: new Date().toISOString(), endsAt })
  const command = { kind: 'open', terms, startsNow: true, actorId: 7, requestId: 'test-request' } as const
  return { id, arrive: () => sendCommand(service.nats, command) }
}

/** It did not come in time. */
async function letClaimRunOut(productId: number): Promise<void> {
  await service.database.pool.query(
    sql.unsafe`update product_claims set claimed_at = claimed_at - interval '15 seconds' where product_id = ${productId}`,
  )
}

/** Its time is over, and that is written. It was long enough to open it and bid also on a machine that others use. */
async function openEnded(productId: number, sen: number | null, terms: Record<string, unknown> = {}): Promise<Auction> {
  const auction = await open(productId, { ...terms, endsAt: new Date(Date.now() + 1_000).toISOString() })
  if (sen !== null) await bid(auction.id, sen)
  await eventually(async () => expect((await findAuction(service.database.pool, auction.id))?.status).toBe('ended'))
  return auction
}

const find = (productId: number) => request(service.nats, 'auction', auctionRequests.findOpenAuction, { productId })
const bidders = async (productId: number) =>
  (await request(service.nats, 'auction', auctionRequests.listBidders, { productId })).userIds
const withdraw = (productId: number, actorId = 7, by: 'seller' | 'admin' = 'seller') =>
  request(
    service.nats,
    'auction',
    auctionRequests.withdrawAuction,
    { productId, reason: 'Sold elsewhere', actorId, by, requestId: 'test-request' },
    { timeoutMs: 8000 },
  )
const tell = (event: CatalogueEvent) => {
  const { pool } = service.database
  const received = { ...event, metadata: { correlationId: 'test-request' } }
  return react(pool, { handlers: withdrawals({ nats: service.nats, pool }) }, received)
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => {
      if (error instanceof Rejection) return error.code
      throw error
    },
  )

describe('find-open-auction', () => {
  it('knows none of a product that was never auctioned', async () => {
    expect(await find(await list())).toEqual({ auction: null, isReserved: false, isBeingOpened: false })
  })

  it('tells of one that may still come', async () => {
    const productId = await list()
    const { arrive } = await order(productId)
    expect(await find(productId)).toEqual({ auction: null, isReserved: false, isBeingOpened: true })
    await arrive()
    expect(await find(productId)).toMatchObject({ auction: { bidCount: 0 }, isBeingOpened: false })
  })

  it('tells of one that runs, with every bid that was accepted', async () => {
    const productId = await list()
    const { id: auctionId } = await open(productId)
    expect(await find(productId)).toEqual({
      auction: { auctionId, bidCount: 0, endsAt, buyNowSen: null },
      isReserved: false,
      isBeingOpened: false,
    })
    await bid(auctionId, 20_500)
    expect(await find(productId)).toEqual({
      auction: { auctionId, bidCount: 1, endsAt, buyNowSen: null },
      isReserved: false,
      isBeingOpened: false,
    })
  })

  it('tells of one that is to start', async () => {
    const productId = await list()
    const startsAt = new Date(Date.now() + aDay / 2).toISOString()
    const { id: auctionId } = await open(productId, { startsAt, buyNowPrice: 900 })
    expect((await find(productId)).auction).toMatchObject({ auctionId, buyNowSen: 90_000 })
  })

  it('says that a product was won until it comes back', async () => {
    const productId = await list()
    const { id: auctionId } = await openEnded(productId, 20_500)
    expect(await find(productId)).toEqual({ auction: null, isReserved: true, isBeingOpened: false })
    await saveReturned(service.database.pool, [{ productId, auctionId }])
    expect(await find(productId)).toEqual({ auction: null, isReserved: false, isBeingOpened: false })
  })
})

describe('withdraw-auction', () => {
  it('cancels an auction without bids, once', async () => {
    const productId = await list()
    const { id } = await open(productId)
    expect(await withdraw(productId)).toEqual({ wasOpen: true })
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'cancelled' })
    expect(await withdraw(productId)).toEqual({ wasOpen: false })
  })

  it('is content when there is none', async () => {
    expect(await withdraw(await list())).toEqual({ wasOpen: false })
    const unsold = await list()
    await openEnded(unsold, null)
    expect(await withdraw(unsold)).toEqual({ wasOpen: false })
  })

  it('refuses when there are bids, when it was won, and to anybody else', async () => {
    const withBids = await list()
    const { id } = await open(withBids)
    expect(await codeOf(withdraw(withBids, 8))).toBe('forbidden')
    await bid(id, 20_500)
    expect(await codeOf(withdraw(withBids))).toBe('auction-has-bids')
    expect((await findAuction(service.database.pool, id))?.status).toBe('open')
    const won = await list()
    await openEnded(won, 20_500)
    expect(await codeOf(withdraw(won))).toBe('product-reserved')
  })

  it('waits for the end of one whose last bid is being written', async () => {
    const { pool } = service.database
    const productId = await list()
    const endsAtMs = Date.now() + 1_000
    const { id } = await open(productId, { endsAt: new Date(endsAtMs).toISOString() })
    await eventually(() => Date.now() > endsAtMs - 600)
    let bidding: Promise<void> | undefined
    // What the owner writes waits for the leases.
    await pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`select from partition_leases for update`)
      bidding = bid(id, 20_500)
      await eventually(() => Date.now() > endsAtMs + 50)
      await expect(withdraw(productId)).rejects.toThrow(Failure)
    })
    await bidding
    await eventually(async () => expect(await codeOf(withdraw(productId))).toBe('product-reserved'))
  })

  it('says that it cannot be asked for while nobody owns the auction', async () => {
    const productId = await list()
    await open(productId)
    await owner.stop()
    await expect(withdraw(productId)).rejects.toThrow(Failure)
  })
})

describe('withdraw-auction by an administrator', () => {
  it('cancels it whatever was bid, once, and knows who has bid', async () => {
    const productId = await list()
    const { id } = await open(productId)
    await bid(id, 20_500)
    await bid(id, 21_000, 22)
    expect(await bidders(productId)).toEqual([])
    expect(await withdraw(productId, 1, 'admin')).toEqual({ wasOpen: true })
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'cancelled' })
    expect(await withdraw(productId, 1, 'admin')).toEqual({ wasOpen: false })
    expect(await bidders(productId)).toEqual([22, 21])
  })

  it('leaves one that was won as it ended, and knows its winner while the lot is neither paid nor given up', async () => {
    const productId = await list()
    const { id: auctionId } = await openEnded(productId, 20_500)
    expect(await withdraw(productId, 1, 'admin')).toEqual({ wasOpen: false })
    expect(await bidders(productId)).toEqual([21])
    await saveReturned(service.database.pool, [{ productId, auctionId }])
    expect(await bidders(productId)).toEqual([])
  })

  it('is content when there is none', async () => {
    const productId = await list()
    expect(await withdraw(productId, 1, 'admin')).toEqual({ wasOpen: false })
    expect(await bidders(productId)).toEqual([])
  })
})

describe('listing a product again', () => {
  it('works at once when nobody bid', async () => {
    const productId = await list()
    const first = await openEnded(productId, null)
    const second = await open(productId)
    expect(second.id).toBeGreaterThan(first.id)
    await bid(second.id, 20_500)
  })

  it('works at once when the reserve was not met, and when it was cancelled', async () => {
    const productId = await list()
    await openEnded(productId, 20_500, { reservePrice: 900 })
    await open(productId)
    await withdraw(productId)
    await open(productId)
    expect((await post(productId)).json()).toMatchObject({ code: 'auction-exists' })
  })

  it('is not what an order does that took longer than the whole of a later auction', async () => {
    const { pool } = service.database
    const productId = await list()
    const { auctionId } = await nextAuctionId(pool)
    await openEnded(productId, null)
    expect(await claimProduct(pool, productId, auctionId)).toBe(false)
    expect(await claimProduct(pool, productId, (await nextAuctionId(pool)).auctionId)).toBe(true)
  })

  it('is not made possible by an order whose claim has gone to another one', async () => {
    const { pool } = service.database
    const productId = await list()
    const [slow, next] = [await nextAuctionId(pool), await nextAuctionId(pool)]
    expect(await claimProduct(pool, productId, next.auctionId)).toBe(true)
    await dropClaim(pool, productId, slow.auctionId)
    expect(await isBeingOpened(pool, productId)).toBe(true)
  })

  it('waits until what was won comes back', async () => {
    const productId = await list()
    const { id } = await openEnded(productId, 20_500)
    const refused = await post(productId)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'product-reserved'])
    await saveReturned(service.database.pool, [{ productId, auctionId: id }])
    await open(productId)
  })
})

describe('a listing that is taken away', () => {
  const deleted = (productId: number): CatalogueEvent => ({
    type: 'ListingRemoved',
    data: { productId, sellerId: 7, by: 'seller', reason: null, removedAt: endsAt },
  })
  it('is not auctioned any more', async () => {
    const productId = await list()
    await tell(deleted(productId))
    expect((await post(productId)).json()).toMatchObject({ code: 'product-not-found' })
  })

  it('takes with it an auction that was opened meanwhile', async () => {
    const productId = await list()
    const { id } = await open(productId)
    await tell(deleted(productId))
    await tell(deleted(productId))
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'cancelled' })
  })

  it('leaves an auction that took a bid in that moment', async () => {
    const productId = await list()
    const { id } = await open(productId)
    await bid(id, 20_500)
    await tell(deleted(productId))
    expect(await findListing(service.database.pool, productId)).toMatchObject({ isDeleted: true })
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'open' })
  })

  it('takes with it an auction that took a bid in that moment when an administrator removes it', async () => {
    const productId = await list()
    const { id } = await open(productId)
    await bid(id, 20_500)
    const { data } = deleted(productId)
    await tell({ type: 'ListingRemoved', data: { ...data, by: 'admin', reason: 'Fake' } } as CatalogueEvent)
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'cancelled' })
  })

  it('never keeps an auction that is opened at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const productId = await list()
      await Promise.all([post(productId), eventually(() => tell(deleted(productId)))])
      expect((await findAuctionOfProduct(service.database.pool, productId))?.status ?? 'none').not.toBe('open')
    }
  })

  it('waits for an auction that may still come, and takes it with it', async () => {
    const productId = await list()
    const ordered = await order(productId)
    await expect(tell(deleted(productId))).rejects.toThrow(Failure)
    await ordered.arrive()
    await tell(deleted(productId))
    expect(await findAuction(service.database.pool, ordered.id)).toMatchObject({ status: 'cancelled' })
  })

  it('waits no longer than it may come', async () => {
    const productId = await list()
    await order(productId)
    await letClaimRunOut(productId)
    await tell(deleted(productId))
    expect(await findAuctionOfProduct(service.database.pool, productId)).toBeNull()
  })
})

describe('a bottle that goes to a deal', () => {
  const reserved = (
    productId: number,
    of: { transactionId: number | null; auctionId: number | null },
  ): CatalogueEvent => ({
    type: 'ListingReserved',
    data: { productId, sellerId: 7, name: 'Santal 33', buyerId: 20, amountSen: 100, ...of, reservedAt: endsAt },
  })
  const deal = { transactionId: 61, auctionId: null }
  const bottles = (productId: number, stockQuantity: number) =>
    service.products.set(productId, { ...productOf(productId), stockQuantity })

  it('takes with it an auction that was opened meanwhile, unless there is a bottle for that', async () => {
    const productId = await list()
    const { id } = await open(productId)
    bottles(productId, 1)
    await tell(reserved(productId, deal))
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'open' })
    bottles(productId, 0)
    await tell(reserved(productId, { transactionId: null, auctionId: id - 1 }))
    await tell(reserved(productId, { transactionId: 61, auctionId: id - 1 }))
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'open' })
    await tell(reserved(productId, deal))
    await tell(reserved(productId, deal))
    expect(await findAuction(service.database.pool, id)).toMatchObject({ status: 'cancelled' })
  })

  it('takes with it an auction that is opened at the same time', async () => {
    const productId = await list()
    let handled: Promise<void> | undefined
    service.products.set(productId, {
      ...productOf(productId),
      // The deal takes it as soon as whoever opens the auction was told of it.
      get stockQuantity() {
        handled ??= nextTurn().then(() => {
          bottles(productId, 0)
          return eventually(() => tell(reserved(productId, deal)))
        })
        return 1
      },
    })
    await post(productId)
    await handled
    expect(await findAuctionOfProduct(service.database.pool, productId)).toMatchObject({ status: 'cancelled' })
  })

  it('waits for an auction that may still come, and takes it with it', async () => {
    const productId = await list()
    const ordered = await order(productId)
    bottles(productId, 0)
    await expect(tell(reserved(productId, deal))).rejects.toThrow(Failure)
    await ordered.arrive()
    await tell(reserved(productId, deal))
    expect(await findAuction(service.database.pool, ordered.id)).toMatchObject({ status: 'cancelled' })
  })

  it('leaves alone what is not auctioned', async () => {
    const productId = await list()
    bottles(productId, 0)
    await tell(reserved(productId, deal))
    expect(await findAuctionOfProduct(service.database.pool, productId)).toBeNull()
  })
})
