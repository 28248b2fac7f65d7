import type { Msg } from '@nats-io/transport-node'
import { Auction, AuctionPage, Bid } from '@wangian/contracts/auction.ts'
import { ErrorBody, type ErrorCode, statusOf } from '@wangian/contracts/errors.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import type { TestPerson } from '@wangian/kit/testing/test-app.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { DatabaseClock } from '../owner/clock.ts'
import { findAuctionOfProduct, isBeingOpened, saveListings } from '../store.ts'
import { type AuctionProcess, type RunningOwner, startAuctionProcess } from '../testing/auction-process.ts'
import { bidIdOf, productOf } from '../testing/fixtures.ts'

const sarah: TestPerson = { id: 7, username: 'sarah' }
const otherSeller: TestPerson = { id: 8, username: 'farid' }
const buyer: TestPerson = { id: 21, username: 'amira', isSeller: false }
const admin: TestPerson = { id: 1, username: 'admin', isSeller: false, isAdmin: true }
const expired: TestPerson = { ...sarah, expiresAt: Date.UTC(2024, 0, 1) }
/** Far enough ahead for this year's tests; the database's clock is the real one. */
const endsAt = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()
const form = { startingPrice: 200, reservePrice: 300, buyNowPrice: 500, bidIncrement: 5, endsAt }

let service: AuctionProcess
let owner: RunningOwner
let lastProductId = 100

beforeAll(async () => {
  service = await startAuctionProcess()
  owner = await service.startOwner()
})
afterAll(() => service.stop())
beforeEach(() => {
  owner.troubles.length = 0
})

type Answer = Awaited<ReturnType<typeof send>>

async function send(method: 'GET' | 'POST' | 'PUT', url: string, person: TestPerson | null, payload?: unknown) {
  return service.app.inject({
    method,
    url,
    headers: {
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...(person !== null && (await service.tokens.bearer(person))),
    },
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
}

const get = (url: string, person: TestPerson | null = null) => send('GET', url, person)
const post = (payload: unknown, person: TestPerson | null = sarah) => send('POST', '/api/auctions', person, payload)
const put = (auctionId: number, payload: unknown, person: TestPerson | null = sarah) =>
  send('PUT', `/api/auctions/${auctionId}`, person, payload)
const cancel = (auctionId: number, payload: unknown, person: TestPerson | null = sarah) =>
  send('POST', `/api/auctions/${auctionId}/cancel`, person, payload)

function expectRefusal(response: Answer, code: ErrorCode, message?: string): void {
  const body = ErrorBody.parse(response.json())
  expect({ status: response.statusCode, code: body.code }).toEqual({ status: statusOf(code), code })
  if (message !== undefined) expect(body.message).toBe(message)
}

/** A product that the read model knows, of sarah unless somebody else is named. */
async function list(sellerId = 7, listingType = 'auction'): Promise<number> {
  lastProductId += 1
  await saveListings(service.database.pool, [{ productId: lastProductId, sellerId, listingType }])
  return lastProductId
}

/** An auction of sarah that is running. */
async function open(terms: Partial<typeof form> & { startsAt?: string } = {}): Promise<Auction> {
  const response = await post({ ...form, ...terms, productId: await list() })
  expect(response.statusCode, response.body).toBe(201)
  return Auction.parse(response.json())
}

/** Bids in ringgit, one after the other, by bidders from 21 on. */
async function bid(auctionId: number, ...amounts: number[]): Promise<void> {
  const verdicts = await service.bid(
    ...amounts.map(
      (amount, index) => [auctionId, 21 + index, Math.round(amount * 100), bidIdOf(index), 'amira'] as const,
    ),
  )
  expect(verdicts.map(([, code]) => code)).toEqual(amounts.map(() => 0))
}

/** An auction whose time is over and recorded. It was long enough to open it and bid also on a machine that others use. */
async function openEnded(...amounts: number[]): Promise<Auction> {
  const auction = await open({ endsAt: new Date(Date.now() + 1_000).toISOString() })
  if (amounts.length > 0) await bid(auction.id, ...amounts)
  await eventually(async () =>
    expect((await get(`/api/auctions/${auction.id}`)).json()).toMatchObject({ status: 'ended' }),
  )
  await eventually(() =>
    service.database.pool.oneFirst(
      sql.type(z.object({ done: z.boolean() }))`select status = 'ended' as done from auctions where id = ${auction.id}`,
    ),
  )
  return auction
}

describe('POST /api/auctions', () => {
  it('opens an auction that can be bid on at once', async () => {
    const productId = await list()
    const response = await post({ ...form, productId, status: 'ended' })
    expect(response.statusCode).toBe(201)
    const auction = Auction.parse(response.json())
    expect(auction).toMatchObject({
      productId,
      sellerId: 7,
      status: 'active',
      startingPrice: 200,
      reservePrice: 300,
      hasReserve: true,
      reserveMet: false,
      buyNowPrice: 500,
      bidIncrement: 5,
      currentBid: null,
      currentBidderId: null,
      bidCount: 0,
      minimumBid: 205,
      endsAt,
      outcome: null,
      winnerId: null,
      seq: 0,
    })
    await bid(auction.id, 205)
  })

  it('has a value for what may be left out', async () => {
    const response = await post({ productId: await list(), startingPrice: 0.01, endsAt })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({
      startingPrice: 0.01,
      reservePrice: null,
      hasReserve: false,
      buyNowPrice: null,
      bidIncrement: 0.1,
      minimumBid: 0.11,
      status: 'active',
    })
  })

  it('may start later', async () => {
    const startsAt = new Date(Date.now() + 60_000).toISOString()
    const auction = await open({ startsAt })
    expect(auction).toMatchObject({ status: 'scheduled', startsAt })
    expect(await service.bid([auction.id, 21, 20_500, null, 'amira'])).toEqual([[0, 'auction-not-started', 0]])
  })

  it('takes a bid at once, though the clock of its owner is behind', async () => {
    await owner.stop()
    const slow = await service.startOwner('auction-1', new DatabaseClock(() => performance.now() - 1000))
    onTestFinished(async () => {
      await slow.stop()
      owner = await service.startOwner()
    })
    const auction = await open()
    expect(auction.status).toBe('active')
    expect(await service.bid([auction.id, 21, 20_500, null, 'amira'])).toEqual([[0, 0, 1]])
  })

  it('works at once after the product was created, by asking the catalogue', async () => {
    lastProductId += 1
    service.listings.set(lastProductId, listingOf(lastProductId, 7))
    expect((await post({ ...form, productId: lastProductId })).statusCode).toBe(201)
    lastProductId += 1
    service.listings.set(lastProductId, listingOf(lastProductId, 8))
    expectRefusal(await post({ ...form, productId: lastProductId }), 'forbidden')
  })

  it.each([
    ['nothing', { startingPrice: 0 }, 'Starting price must be greater than 0'],
    ['less than nothing', { startingPrice: -1 }, 'Starting price must be greater than 0'],
    ['no price', { startingPrice: undefined }, 'Starting price must be greater than 0'],
    ['a third decimal', { startingPrice: 1.005 }, 'Please enter a valid amount'],
    ['a small step', { bidIncrement: 0.09 }, 'Bid increment must be at least RM0.10'],
    ['a step back', { bidIncrement: -5 }, 'Bid increment must be at least RM0.10'],
    ['a low reserve', { reservePrice: 199.99 }, 'Reserve price must be at least the starting price of RM\u00A0200.00'],
    ['a low buy-now price', { buyNowPrice: 1 }, 'Buy now price must be at least the starting price of RM\u00A0200.00'],
    ['an end in the past', { endsAt: '2024-01-01T00:00:00.000Z' }, 'End date must be in the future'],
    ['an end too far off', { endsAt: '2199-01-01T00:00:00.000Z' }, 'End date must be within 4 years'],
    ['no end', { endsAt: undefined }, 'Please enter a valid date'],
  ])('refuses %s with 400, and the product stays free', async (_, wrong, message) => {
    const productId = await list()
    expectRefusal(await post({ ...form, ...wrong, productId }), 'bad-request', message)
    expect((await post({ ...form, productId })).statusCode).toBe(201)
  })

  it('refuses a product that is not listed for auction', async () => {
    expectRefusal(await post({ ...form, productId: await list(7, 'fixed') }), 'bad-request')
  })

  it('refuses dates that no database has', async () => {
    const productId = await list()
    for (const startsAt of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59']) {
      expectRefusal(await post({ ...form, productId, startsAt }), 'bad-request', 'Please enter a valid date')
    }
  })

  it('is for the owner of the product alone', async () => {
    const productId = await list()
    expectRefusal(await post({ ...form, productId }, null), 'authentication-required')
    expectRefusal(await post({ ...form, productId }, expired), 'invalid-token')
    expectRefusal(await post({ ...form, productId }, buyer), 'seller-account-required')
    expectRefusal(await post({ ...form, productId }, otherSeller), 'forbidden')
    expectRefusal(await post({ ...form, productId }, { ...admin, isSeller: true }), 'forbidden')
    expectRefusal(await post({ ...form, productId, sellerId: 8 }), 'forbidden')
    expect((await post({ ...form, productId, sellerId: 7 })).statusCode).toBe(201)
  })

  it('answers 404 for a product that nobody knows', async () => {
    expectRefusal(await post({ ...form, productId: 99_999 }), 'product-not-found')
  })

  it('opens one auction of a product, however many ask at once', async () => {
    const productId = await list()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ ...form, productId })))
    const statuses = answers.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
    for (const answer of answers) if (answer.statusCode === 409) expectRefusal(answer, 'auction-exists')
    expectRefusal(await post({ ...form, productId }), 'auction-exists')
    expect(owner.troubles).toEqual([])
  })

  it('opens another one when the first is over', async () => {
    const { id, productId } = await openEnded()
    const again = Auction.parse((await post({ ...form, productId })).json())
    expect(again.id).toBeGreaterThan(id)
    expect((await cancel(again.id, { reason: 'Changed my mind' })).statusCode).toBe(200)
    expect((await post({ ...form, productId })).statusCode).toBe(201)
  })
})

describe('POST /api/auctions for what deals have taken', () => {
  it.each([
    ['pending', 0, 'product-reserved'],
    ['sold', 0, 'product-sold'],
  ] as const)('refuses when it is %s with %i bottles', async (status, stockQuantity, code) => {
    const productId = await list()
    service.products.set(productId, { ...productOf(productId), status, stockQuantity })
    expectRefusal(await post({ ...form, productId }), code)
    service.products.set(productId, productOf(productId))
    expect((await post({ ...form, productId })).statusCode).toBe(201)
  })
})

describe('POST /api/auctions/:auctionId/release', () => {
  const release = (auctionId: number, payload: object = {}, person: TestPerson | null = sarah) =>
    send('POST', `/api/auctions/${auctionId}/release`, person, payload)

  it('gives up on the winner, and the product can be auctioned again at once', async () => {
    const { id, productId } = await openEnded(305)
    expectRefusal(await release(id), 'conflict', 'The winner has until tomorrow to pay.')
    expectRefusal(await post({ ...form, productId }), 'product-reserved')
    service.listings.set(productId, listingOf(productId, 7))
    const reason = 'No answer for a week'
    for (const response of [await release(id, { reason: ` ${reason} ` }), await release(id)]) {
      expect([response.statusCode, response.json()]).toEqual([200, { success: true }])
    }
    const lot = { productId, auctionId: id, actorId: 7, requestId: expect.any(String) }
    expect(service.released).toEqual([
      { ...lot, reason },
      { ...lot, reason: null },
    ])
    expect((await post({ ...form, productId })).statusCode).toBe(201)
  })

  it('needs somebody to have won it', async () => {
    expectRefusal(await release((await open()).id), 'conflict', 'Nobody has won this auction.')
    expectRefusal(await release((await openEnded()).id), 'conflict', 'Nobody has won this auction.')
    expectRefusal(await release(99_999), 'auction-not-found')
  })

  it('is for its seller', async () => {
    const { id } = await openEnded(305)
    expectRefusal(await release(id, {}, null), 'authentication-required')
    for (const person of [buyer, otherSeller, admin]) expectRefusal(await release(id, {}, person), 'forbidden')
    expectRefusal(await release(id, { reason: 'x'.repeat(501) }), 'bad-request')
    expectRefusal(await release(id, { reason: 'a \u0000 b' }), 'bad-request')
  })
})

it('opens auctions of one product a hundred times a day, and nobody spends those of its seller', async () => {
  const [productId, other] = [await list(), await list()]
  const status = async (of: number, person = sarah) => (await post({ ...form, productId: of }, person)).statusCode
  expect(await status(productId, otherSeller)).toBe(403)
  expect(await status(productId)).toBe(201)
  const statuses = []
  for (let time = 1; time < 100; time++) statuses.push(await status(productId))
  expect(new Set(statuses)).toEqual(new Set([409]))
  expectRefusal(await post({ ...form, productId }), 'rate-limited')
  expect(await status(other)).toBe(201)
})

describe('PUT /api/auctions/:auctionId', () => {
  it('changes one auction a hundred times a day, and nobody spends those of its seller', async () => {
    const [{ id }, other] = [await open(), await open()]
    const revise = async (auctionId: number, startingPrice: number, person = sarah) =>
      (await put(auctionId, { auction: { ...form, startingPrice } }, person)).statusCode
    expect(await revise(id, 100, otherSeller)).toBe(403)
    const statuses = []
    for (let time = 0; time < 100; time++) statuses.push(await revise(id, 100 + time))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expectRefusal(await put(id, { auction: form }), 'rate-limited')
    expect(await revise(other.id, 100)).toBe(200)
  })

  it('changes what it names and leaves the rest', async () => {
    const { id } = await open()
    const response = await put(id, { auction: { startingPrice: 100 }, sellerId: 7 })
    expect(response.statusCode).toBe(200)
    expect(Auction.parse(response.json())).toMatchObject({
      startingPrice: 100,
      reservePrice: 300,
      buyNowPrice: 500,
      bidIncrement: 5,
      minimumBid: 105,
      endsAt,
    })
    const all = { startingPrice: 50, reservePrice: 0, buyNowPrice: null, bidIncrement: 1, endsAt, startsAt: null }
    expect((await put(id, { auction: all })).json()).toMatchObject({
      startingPrice: 50,
      reservePrice: null,
      hasReserve: false,
      buyNowPrice: null,
      minimumBid: 51,
    })
  })

  it('changes what the product says as well, in the name of its seller', async () => {
    const { id, productId } = await open()
    const both = { auction: { bidIncrement: 2 }, product: { name: ' Santal 33 ', sellerId: 7, isFeatured: true } }
    expectRefusal(await put(id, both), 'product-not-found')
    expect((await get(`/api/auctions/${id}`)).json()).toMatchObject({ bidIncrement: 5 })
    service.listings.set(productId, listingOf(productId, 7))
    expect((await put(id, both)).json()).toMatchObject({ bidIncrement: 2 })
    expect(service.changes).toEqual([
      {
        productId,
        actorId: 7,
        changes: { name: 'Santal 33', sellerId: 7 },
        requestId: expect.any(String),
        step: 'checked',
      },
    ])
    expectRefusal(
      await put(id, { ...both, product: { name: 'S' } }),
      'bad-request',
      'Name must be at least 3 characters',
    )
    expectRefusal(await put(id, { ...both, product: { sellerId: 8 } }), 'forbidden')
    expectRefusal(await put(id, { auction: { bidIncrement: 0.01 }, product: { name: 'Other' } }), 'bad-request')
    expectRefusal(await put(id, both, admin), 'forbidden')
    await bid(id, 210)
    expectRefusal(await put(id, both), 'auction-has-bids')
    expect(service.changes).toHaveLength(1)
  })

  it('changes nothing by the same terms', async () => {
    const { id, updatedAt } = await open()
    expect((await put(id, { auction: form })).json()).toMatchObject({ updatedAt })
  })

  it('refuses terms that are wrong', async () => {
    const { id } = await open()
    expectRefusal(
      await put(id, { auction: { bidIncrement: 0.01 } }),
      'bad-request',
      'Bid increment must be at least RM0.10',
    )
    expectRefusal(
      await put(id, { auction: { endsAt: '2024-01-01T00:00:00.000Z' } }),
      'bad-request',
      'End date must be in the future',
    )
    expectRefusal(await put(id, {}), 'bad-request')
  })

  it('is for the seller alone', async () => {
    const { id } = await open()
    const changes = { auction: { bidIncrement: 2 } }
    expectRefusal(await put(id, changes, null), 'authentication-required')
    expectRefusal(await put(id, changes, expired), 'invalid-token')
    expectRefusal(await put(id, changes, buyer), 'forbidden')
    expectRefusal(await put(id, changes, otherSeller), 'forbidden')
    expectRefusal(await put(id, { ...changes, sellerId: 7 }, otherSeller), 'forbidden')
    expectRefusal(await put(id, { ...changes, sellerId: 8 }), 'forbidden')
    expect((await put(id, changes)).statusCode).toBe(200)
    expectRefusal(await put(id, changes, admin), 'forbidden')
  })

  it('refuses once there is a bid, once it is over, and what is not there', async () => {
    const { id } = await open()
    await bid(id, 205)
    expectRefusal(await put(id, { auction: form }), 'auction-has-bids', 'Auction already has bids')
    expectRefusal(await put((await openEnded()).id, { auction: form }), 'auction-ended')
    expectRefusal(await put(99_999, { auction: form }), 'auction-not-found')
    expectRefusal(await send('PUT', '/api/auctions/abc', sarah, { auction: form }), 'bad-request')
  })
})

describe('POST /api/auctions/:auctionId/cancel', () => {
  it('cancels an auction without a bid, once', async () => {
    const { id } = await open()
    const response = await cancel(id, { reason: '  The bottle broke ' })
    expect(response.statusCode).toBe(200)
    expect(Auction.parse(response.json()).status).toBe('cancelled')
    expect((await cancel(id, { reason: 'Again' })).statusCode).toBe(200)
    expect(await service.bid([id, 21, 20_500, null, 'amira'])).toEqual([[0, 'auction-ended', 0]])
  })

  it('says why to whoever opens the page later', async () => {
    const { id } = await open()
    const reasonOf = async () => AuctionPage.parse((await get(`/api/auctions/${id}`)).json()).cancelReason
    expect(await reasonOf()).toBeNull()
    await cancel(id, { reason: '  The bottle broke ' })
    expect(await reasonOf()).toBe('The bottle broke')
  })

  it('needs a reason', async () => {
    const { id } = await open()
    expectRefusal(await cancel(id, { reason: '  ' }), 'bad-request', 'Reason is required')
    expectRefusal(await cancel(id, {}), 'bad-request')
    expectRefusal(await cancel(id, { reason: 'x'.repeat(501) }), 'bad-request')
  })

  it('is for the seller alone', async () => {
    const { id } = await open()
    const reason = { reason: 'The bottle broke' }
    expectRefusal(await cancel(id, reason, null), 'authentication-required')
    expectRefusal(await cancel(id, reason, expired), 'invalid-token')
    expectRefusal(await cancel(id, reason, buyer), 'forbidden')
    expectRefusal(await cancel(id, reason, otherSeller), 'forbidden')
    expectRefusal(await cancel(id, reason, admin), 'forbidden')
    expect((await get(`/api/auctions/${id}`)).json()).toMatchObject({ status: 'active' })
    expect((await cancel(id, reason)).statusCode).toBe(200)
    expectRefusal(await cancel(id, reason, admin), 'forbidden')
  })

  it('refuses once there is a bid, once it is over, and what is not there', async () => {
    const { id } = await open()
    await bid(id, 205)
    expectRefusal(await cancel(id, { reason: 'No' }), 'auction-has-bids')
    expectRefusal(await cancel((await openEnded(205)).id, { reason: 'No' }), 'auction-ended')
    expectRefusal(await cancel(99_999, { reason: 'No' }), 'auction-not-found')
  })
})

describe('GET /api/auctions/:auctionId', () => {
  it('answers the auction with its product and its newest bids', async () => {
    const auction = await open()
    service.products.set(auction.productId, productOf(auction.productId))
    await tellOfPerson(service.database.pool, registeredAs(21, 'amira'))
    await bid(auction.id, 205, 310)
    const page = AuctionPage.parse((await get(`/api/auctions/${auction.id}`)).json())
    expect(page).toMatchObject({
      currentBid: 310,
      currentBidderId: 22,
      bidCount: 2,
      seq: 2,
      minimumBid: 315,
      reserveMet: true,
      product: { id: auction.productId, name: 'Santal 33' },
    })
    expect(page.bids).toMatchObject([
      { seq: 2, bidderId: 22, bidder: { name: 'Bidder 22' }, amount: 310, isWinning: true, bidId: bidIdOf(1) },
      { seq: 1, bidderId: 21, bidder: { name: 'amira' }, amount: 205, isWinning: false, bidId: bidIdOf(0) },
    ])
  })

  it('carries fifty bids at most', async () => {
    const { id } = await open()
    await bid(id, ...Array.from({ length: 55 }, (_, index) => 205 + index * 5))
    const { bids } = AuctionPage.parse((await get(`/api/auctions/${id}`)).json())
    expect(bids.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => 55 - index))
  })

  it('has no product where the catalogue has none', async () => {
    const { id } = await open()
    expect((await get(`/api/auctions/${id}`)).json()).toMatchObject({ product: null })
  })

  it('shows whoever leads or has won no reserve either', async () => {
    const leading = await open()
    await bid(leading.id, 305)
    const won = await openEnded(305)
    for (const { id, productId } of [leading, won])
      for (const url of [`/api/auctions/${id}`, `/api/auctions/product/${productId}`]) {
        const body = (await get(url, buyer)).json()
        expect(body).toMatchObject({ currentBidderId: buyer.id, reserveMet: true })
        expect(body).not.toHaveProperty('reservePrice')
      }
  })

  it('shows the winner of an auction that is over', async () => {
    const { id } = await openEnded(205, 300)
    expect((await get(`/api/auctions/${id}`)).json()).toMatchObject({ status: 'ended', winnerId: 22, currentBid: 300 })
    const unsold = await openEnded(205)
    expect((await get(`/api/auctions/${unsold.id}`)).json()).toMatchObject({ status: 'ended', winnerId: null })
  })

  it('says that what was won was given up, also when it is auctioned again', async () => {
    const { id, productId } = await openEnded(305)
    const isReleased = async (auctionId: number) =>
      AuctionPage.parse((await get(`/api/auctions/${auctionId}`)).json()).isReleased
    expect(await isReleased(id)).toBe(false)
    service.listings.set(productId, listingOf(productId, 7))
    expect((await send('POST', `/api/auctions/${id}/release`, sarah, {})).statusCode).toBe(200)
    const again = await post({ ...form, productId })
    expect(again.statusCode).toBe(201)
    expect(await isReleased(id)).toBe(true)
    expect(await isReleased(Auction.parse(again.json()).id)).toBe(false)
  })

  it('shows the reserve to the seller and to admins, and to nobody else', async () => {
    const { id, productId } = await open()
    for (const url of [`/api/auctions/${id}`, `/api/auctions/product/${productId}`]) {
      for (const person of [null, buyer, otherSeller]) {
        const body = (await get(url, person)).json()
        expect(body).not.toHaveProperty('reservePrice')
        expect(body).toMatchObject({ hasReserve: true, reserveMet: false })
      }
      for (const person of [sarah, admin]) expect((await get(url, person)).json()).toMatchObject({ reservePrice: 300 })
    }
    expectRefusal(await get(`/api/auctions/${id}`, expired), 'invalid-token')
  })

  it('still answers when nobody can bid any more', async () => {
    const { id } = await open({ startingPrice: 9_999_990, reservePrice: 9_999_990, buyNowPrice: 9_999_999.99 })
    await bid(id, 9_999_999.99)
    const response = await get(`/api/auctions/${id}`)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ currentBid: 9_999_999.99, minimumBid: 10_000_004.99 })
  })

  it('answers 404 for what is not there', async () => {
    expectRefusal(await get('/api/auctions/99999'), 'auction-not-found', 'Auction not found')
    expectRefusal(await get('/api/auctions/product/99999'), 'auction-not-found')
    for (const id of ['0', '01', '-1', '1e3', '99999999999999999']) {
      expectRefusal(await get(`/api/auctions/${id}`), 'bad-request')
    }
  })
})

describe('GET /api/auctions/product/:productId', () => {
  it("answers the product's running auction, else its last one", async () => {
    const first = await open()
    const url = `/api/auctions/product/${first.productId}`
    expect((await get(url)).json()).toMatchObject({ id: first.id })
    await cancel(first.id, { reason: 'Broken' })
    expect((await get(url)).json()).toMatchObject({ id: first.id, status: 'cancelled' })
    const second = Auction.parse((await post({ ...form, productId: first.productId })).json())
    expect((await get(url)).json()).toMatchObject({ id: second.id, status: 'active' })
  })
})

describe('GET /api/auctions/:auctionId/bids', () => {
  it('pages through all bids, newest first', async () => {
    const { id } = await open()
    await bid(id, 205, 210, 215, 220, 225, 230)
    const seen: number[] = []
    let url: string | undefined = `/api/auctions/${id}/bids?limit=4`
    while (url !== undefined) {
      const response = await get(url)
      expect(response.headers['x-total-count']).toBe('6')
      seen.push(
        ...z
          .array(Bid)
          .parse(response.json())
          .map(({ seq }) => seq),
      )
      const link = response.headers['link']
      url = typeof link === 'string' ? /^<(.+)>; rel="next"$/.exec(link)?.[1] : undefined
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1])
    const last = await get(`/api/auctions/${id}/bids?limit=3&cursor=4`)
    expect(last.json()).toMatchObject([{ seq: 3 }, { seq: 2 }, { seq: 1 }])
    expect(last.headers).not.toHaveProperty('link')
  })

  it('pages in the same way when terms were revised before, and when it is over', async () => {
    const { id } = await open({ endsAt: new Date(Date.now() + 60_000).toISOString() })
    for (const startingPrice of [201, 202, 203]) await put(id, { auction: { startingPrice } })
    await bid(id, 210, 215, 220, 225)
    const seqs = async (query: string) =>
      z
        .array(Bid)
        .parse((await get(`/api/auctions/${id}/bids?${query}`)).json())
        .map(({ seq }) => seq)
    const pages = () => Promise.all(['', 'limit=2', 'cursor=3', 'limit=1&cursor=2', 'cursor=1', 'cursor=900'].map(seqs))
    const expected = [[4, 3, 2, 1], [4, 3], [2, 1], [1], [], [4, 3, 2, 1]]
    expect(await pages()).toEqual(expected)
    await service.database.pool.query(sql.unsafe`
      update auction_terms terms
      set status = 'ended', outcome = 'won', version = a.version + 1, bid_count = a.bid_count
      from auctions a where a.id = terms.id and terms.id = ${id}`)
    expect(await pages()).toEqual(expected)
  })

  it.each([
    ['ended', 'won', [true, false]],
    ['ended', 'reserve-not-met', [false, false]],
    ['ended', 'winner-unavailable', [false, false]],
    ['cancelled', null, [false, false]],
  ])('says which bid has won when it is %s, %s', async (status, outcome, areWinning) => {
    const { id } = await open()
    await bid(id, 205, 210)
    await service.database.pool.query(sql.unsafe`
      update auction_terms terms
      set status = ${status}, outcome = ${outcome}, version = a.version + 1, bid_count = a.bid_count
      from auctions a where a.id = terms.id and terms.id = ${id}`)
    const bids = z.array(Bid).parse((await get(`/api/auctions/${id}/bids`)).json())
    expect(bids.map(({ isWinning }) => isWinning)).toEqual(areWinning)
  })

  it('reads no bid besides those of the page', async () => {
    const { id } = await open()
    await bid(id, 205, 210, 215, 220, 225, 230)
    // Whoever reads one of these stumbles. The last bid says how the auction stands.
    await service.database.pool.query(sql.unsafe`
      update events set data = '{"seq":"x"}' where stream = ${`auction-${id}`} and version in (2, 3, 6)`)
    const page = await get(`/api/auctions/${id}/bids?limit=2&cursor=5`)
    expect([page.statusCode, page.json()]).toMatchObject([200, [{ seq: 4 }, { seq: 3 }]])
  })

  it('has nothing to show before the first bid', async () => {
    const { id } = await open()
    const response = await get(`/api/auctions/${id}/bids`)
    expect(response.json()).toEqual([])
    expect(response.headers['x-total-count']).toBe('0')
  })

  it('refuses what it cannot page by, and what is not there', async () => {
    const { id } = await open()
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'cursor=0', 'cursor=-1']) {
      expectRefusal(await get(`/api/auctions/${id}/bids?${query}`), 'bad-request')
    }
    expectRefusal(await get('/api/auctions/99999/bids'), 'auction-not-found')
  })
})

describe('GET /api/auctions', () => {
  const ids = async (query: string) =>
    z
      .array(Auction)
      .parse((await get(`/api/auctions?${query}&limit=200`)).json())
      .map(({ id }) => id)

  it('lists by status, those that end first coming first', async () => {
    const soon = new Date(Date.now() + 60 * 60 * 1000).toISOString()
    const late = await open()
    const early = await open({ endsAt: soon })
    const scheduled = await open({ startsAt: soon })
    const cancelled = await open()
    await cancel(cancelled.id, { reason: 'Broken' })
    const over = await openEnded()
    const all = [late.id, early.id, scheduled.id, cancelled.id, over.id]
    const among = async (status: string) => (await ids(`status=${status}`)).filter((id) => all.includes(id))
    expect(await among('active')).toEqual([early.id, late.id])
    expect(await among('scheduled')).toEqual([scheduled.id])
    expect(await among('cancelled')).toEqual([cancelled.id])
    expect(await among('ended')).toEqual([over.id])
  })

  it('lists the running ones unless it is told otherwise, and never with a reserve', async () => {
    const { id } = await open()
    const listed = (await get('/api/auctions?limit=200', admin)).json() as { id: number; status: string }[]
    expect(listed.find((auction) => auction.id === id)).not.toHaveProperty('reservePrice')
    expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['active']))
    expect((await get('/api/auctions?limit=1')).json()).toHaveLength(1)
    expectRefusal(await get('/api/auctions?status=gone'), 'bad-request')
    expectRefusal(await get('/api/auctions?limit=201'), 'bad-request')
  })
})

describe('many readers at once', () => {
  it('are served a few at a time, and leave connections to others', async () => {
    const { id } = await open()
    const { pool } = service.database
    const locked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const locking = pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`lock table known_people in access exclusive mode`)
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const urls = [`/api/auctions/${id}/bids`, `/api/auctions/${id}`, '/api/auctions']
    const readers = Array.from({ length: 30 }, (_, index) => get(urls[index % urls.length] ?? ''))
    const waiting = () =>
      pool.oneFirst(
        sql.type(z.object({ count: z.number() }))`
          select count(*)::int as "count" from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
    await eventually(async () => expect(await waiting()).toBe(2))
    held.resolve()
    await locking
    for (const response of await Promise.all(readers)) expect(response.statusCode).toBe(200)
  })
})

describe('while nobody owns the partitions', () => {
  it('a command waits for the next owner', async () => {
    const productId = await list()
    await owner.stop()
    const opening = post({ ...form, productId })
    // Nobody knows the auction before there is an owner.
    await eventually(() =>
      service.database.pool.oneFirst(
        sql.type(z.object({ claimed: z.boolean() }))`
          select exists (select from product_claims where product_id = ${productId}) as claimed`,
      ),
    )
    owner = await service.startOwner('auction-2')
    expect((await opening).statusCode).toBe(201)
  })

  it('answers 503 when none comes, and the product stays free', async () => {
    const productId = await list()
    const { id } = await open()
    await owner.stop()
    const answers = await Promise.all([
      post({ ...form, productId }),
      put(id, { auction: { bidIncrement: 1 } }),
      cancel(id, { reason: 'Broken' }),
    ])
    for (const answer of answers) {
      expectRefusal(answer, 'unavailable')
      expect(answer.headers['retry-after']).toBe('1')
    }
    owner = await service.startOwner()
    expect((await post({ ...form, productId })).statusCode).toBe(201)
  })
})

describe('an owner that was frozen', () => {
  it('opens nothing once the claim may have run out', async () => {
    const productId = await list()
    await owner.stop()
    const received: Msg[] = []
    const frozen = service.nats.subscribe('auction.command.*', {
      callback: (_, message) => void received.push(message),
    })
    expect((await post({ ...form, productId })).statusCode).toBe(503)
    frozen.unsubscribe()
    // Nobody has answered: the auction may come still, so nobody opens another one.
    expect(await isBeingOpened(service.database.pool, productId)).toBe(true)
    const thawed = await service.startOwner('auction-2', new DatabaseClock(() => performance.now() + 15_000))
    const [order] = received
    const answer = await service.nats.request(order?.subject ?? '', order?.data, { timeout: 30_000 })
    await thawed.stop()
    owner = await service.startOwner()
    expect(answer.json()).toEqual({ ok: false, code: 'unavailable' })
    expect(await findAuctionOfProduct(service.database.pool, productId)).toBeNull()
  })
})

describe("an owner whose Postgres' clock was set back", () => {
  it('opens auctions all the same', async () => {
    await owner.stop()
    let aheadMs = 60_000
    const clock = new DatabaseClock(() => performance.now() + aheadMs)
    const other = await service.startOwner('auction-2', clock)
    clock.nowMs()
    aheadMs = 0
    const opened = await post({ ...form, productId: await list() })
    await other.stop()
    owner = await service.startOwner()
    expect(opened.statusCode).toBe(201)
  })
})

describe('while NATS is away', () => {
  it('answers 503, carries nothing out later, and goes on reading', async () => {
    const { id } = await open()
    const known = await list()
    lastProductId += 1
    await service.bus.kill()
    const answers = await Promise.all([
      post({ ...form, productId: known }),
      post({ ...form, productId: lastProductId }),
      put(id, { auction: { bidIncrement: 1 } }),
      cancel(id, { reason: 'Broken' }),
    ])
    for (const answer of answers) expectRefusal(answer, 'unavailable')
    expect((await get(`/api/auctions/${id}`)).json()).toMatchObject({ status: 'active', product: null })
    expect((await get(`/api/auctions/${id}/bids`)).statusCode).toBe(200)
    await service.bus.restart()
    await eventually(async () => expect((await post({ ...form, productId: known })).statusCode).toBe(201))
    expect((await get(`/api/auctions/${id}`)).json()).toMatchObject({ status: 'active', bidIncrement: 5 })
  })
})

function listingOf(productId: number, sellerId: number) {
  return {
    productId,
    sellerId,
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
    updatedAt: '2026-11-21T08:00:00.000Z',
    averageRating: null,
    reviewCount: 0,
    imageUrls: [],
  }
}
