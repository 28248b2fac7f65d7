import type { NatsConnection } from '@nats-io/transport-node'
import { type Auction, auctionRoutes, BIDS_IN_SNAPSHOT_MAX, type Bid } from '@wangian/contracts/auction.ts'
import { catalogueRequests, type Product } from '@wangian/contracts/catalogue.ts'
import { senFromRinggit } from '@wangian/contracts/money.ts'
import { CHANGES_PER_DAY_MAX } from '@wangian/contracts/selling.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool, Executor } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { createGate } from '@wangian/kit/gate.ts'
import { type App, type HandlerInput, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { isoFromMs } from '../domain.ts'
import {
  type AuctionRow,
  claimProduct,
  dropClaim,
  findAuction,
  findAuctionOfProduct,
  findCancelReason,
  findListing,
  isListingDeleted,
  isReserved,
  type ListingRow,
  listAuctions,
  listBids,
  nextAuctionId,
  OPENING_MAX_MS,
  saveReturned,
} from '../store.ts'
import { leadingSeq, presentAuction, presentBid, type Viewer } from './presenter.ts'
import { sendCommand } from './send-command.ts'

/** The product of an auction page may come late, but the page must not. */
const PRODUCT_TIMEOUT_MS = 1000
/** Catalogue asks us in between whether there are bids. */
const CHANGE_TIMEOUT_MS = 8000
/** Pages that are read at once: commands need the same pool, and bids the same Postgres. */
const READS_AT_ONCE = 2
/** Beyond this many the next would wait too long. */
const READS_WAITING_MAX = 500
const DAY_MS = 24 * 60 * 60 * 1000

export interface RouteDependencies {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
}

export function addRoutes(app: App, dependencies: RouteDependencies): void {
  addCommands(app, dependencies)
  addReads(app, dependencies)
}

/** What sellers and administrators do to auctions; bids come over sockets. */
function addCommands(app: App, { pool, nats }: RouteDependencies): void {
  const changes = createRateLimiter(app, { limit: CHANGES_PER_DAY_MAX, windowMs: DAY_MS })
  const openings = createRateLimiter(app, { limit: CHANGES_PER_DAY_MAX, windowMs: DAY_MS })

  handle(app, auctionRoutes.createAuction, async ({ body, user, request }) => {
    requireSelf(user, body.sellerId)
    const listing = await getListing(pool, nats, body.productId)
    requireSelf(user, listing.sellerId)
    openings.take(`${user.id} ${body.productId}`)
    if (listing.listingType !== 'auction') throw new Rejection('bad-request', 'This product is not listed for auction')
    const auctionId = await openAuction({ pool, nats }, body, { actorId: user.id, requestId: request.id })
    return { status: 201, body: await getAuction(pool, auctionId, user) }
  })

  handle(app, auctionRoutes.reviseAuction, async ({ params, body, user, request }) => {
    requireSelf(user, body.sellerId)
    requireSelf(user, body.product?.sellerId)
    changes.take(`${user.id} ${params.auctionId}`)
    const { startingPrice, reservePrice, buyNowPrice, bidIncrement, startsAt, endsAt } = body.auction
    /*
     * Both parts or none: catalogue says first whether it would refuse, and does not ask for bids again after the owner has found none. A crash
     * in between leaves the terms changed and the product as it was: the seller gets an error, and the same request again finishes it.
     */
    const changeProduct = async (step: 'check' | 'checked') => {
      if (body.product === undefined) return
      const { productId } = await getAuction(pool, params.auctionId, user)
      const change = { productId, actorId: user.id, changes: body.product, requestId: request.id, step }
      await ask(nats, 'catalogue', catalogueRequests.changeListing, change, { timeoutMs: CHANGE_TIMEOUT_MS })
    }
    await changeProduct('check')
    await sendCommand(nats, {
      kind: 'revise',
      auctionId: params.auctionId,
      terms: {
        startingPriceSen: startingPrice === undefined ? undefined : sen(startingPrice),
        reserveSen: reservePrice === undefined ? undefined : senOrNull(reservePrice),
        buyNowSen: buyNowPrice === undefined ? undefined : senOrNull(buyNowPrice),
        incrementSen: bidIncrement === undefined ? undefined : sen(bidIncrement),
        startsAt: startsAt ?? undefined,
        endsAt,
      },
      actorId: user.id,
      requestId: request.id,
    })
    await changeProduct('checked')
    return { status: 200, body: await getAuction(pool, params.auctionId, user) }
  })

  handle(app, auctionRoutes.cancelAuction, async ({ params, body, user, request }) => {
    await sendCommand(nats, {
      kind: 'cancel',
      auctionId: params.auctionId,
      reason: body.reason,
      actorId: user.id,
      by: 'seller',
      requestId: request.id,
    })
    return { status: 200, body: await getAuction(pool, params.auctionId, user) }
  })

  handle(app, auctionRoutes.releaseLot, async ({ params: { auctionId }, body, user, request }) => {
    const row = await findAuction(pool, auctionId)
    if (row === null) throw new Rejection('auction-not-found')
    requireSelf(user, row.sellerId)
    if (row.outcome !== 'won') throw new Rejection('conflict', 'Nobody has won this auction.')
    const { productId } = row
    const lot = { productId, auctionId, actorId: user.id, reason: body.reason || null, requestId: request.id }
    await ask(nats, 'catalogue', catalogueRequests.releaseLot, lot)
    // The event says so, too; the seller may want to auction it again before that is here.
    await saveReturned(pool, [{ productId, auctionId }])
    return { status: 200, body: { success: true } }
  })
}

/**
 * Opens an auction through its owner, while nobody else opens one of the same product.
 * @returns the id of the auction
 * @throws Rejection('auction-exists', 'product-reserved', 'product-sold', 'product-not-found'), or what the owner refuses it with
 */
async function openAuction(
  { pool, nats }: RouteDependencies,
  asked: HandlerInput<typeof auctionRoutes.createAuction>['body'],
  { actorId, requestId }: { readonly actorId: number; readonly requestId: string },
): Promise<number> {
  const { auctionId, nowMs } = await nextAuctionId(pool)
  if (!(await claimProduct(pool, asked.productId, auctionId))) {
    throw new Rejection((await isReserved(pool, asked.productId)) ? 'product-reserved' : 'auction-exists')
  }
  const startsNow = asked.startsAt === null || asked.startsAt === undefined
  const terms = {
    auctionId,
    productId: asked.productId,
    sellerId: actorId,
    startingPriceSen: sen(asked.startingPrice),
    reserveSen: senOrNull(asked.reservePrice),
    buyNowSen: senOrNull(asked.buyNowPrice),
    incrementSen: sen(asked.bidIncrement),
    startsAt: asked.startsAt ?? isoFromMs(nowMs),
    endsAt: asked.endsAt,
  }
  let isSent = false
  try {
    // Whoever takes the listing or its last bottle away from now on sees the claim, and waits for what becomes of it.
    if (await isListingDeleted(pool, asked.productId)) throw new Rejection('product-not-found')
    await requireBottle(nats, asked.productId)
    isSent = true
    const openByMs = nowMs + OPENING_MAX_MS
    await sendCommand(nats, { kind: 'open', terms, startsNow, openByMs, actorId, requestId })
  } catch (error) {
    // Without an answer the auction may exist: the claim then runs out by itself.
    if (!isSent || error instanceof Rejection) await dropClaim(pool, asked.productId, auctionId)
    throw error
  }
  return auctionId
}

/** What everybody may see of auctions. */
function addReads(app: App, { pool, nats }: RouteDependencies): void {
  const gate = createGate({ runningMax: READS_AT_ONCE, waitingMax: READS_WAITING_MAX })

  handle(app, auctionRoutes.getAuction, async ({ params, user }) => {
    const row = await gate.run(() => findAuction(pool, params.auctionId))
    if (row === null) throw new Rejection('auction-not-found')
    const [[bids, cancelReason], { product, isLotReleased }] = await Promise.all([
      gate.run(async () => [await newestBids(pool, row), await findCancelReason(pool, row)] as const),
      findProduct(nats, row),
    ])
    const page = { ...presentAuction(row, user), bids, product, cancelReason, isReleased: isLotReleased ?? false }
    return { status: 200, body: page }
  })

  handle(app, auctionRoutes.getAuctionOfProduct, async ({ params, user }) => {
    const row = await gate.run(() => findAuctionOfProduct(pool, params.productId))
    if (row === null) throw new Rejection('auction-not-found')
    return { status: 200, body: presentAuction(row, user) }
  })

  handle(app, auctionRoutes.listBids, async ({ params, query }) => {
    const { row, bids } = await gate.run(async () => {
      const found = await findAuction(pool, params.auctionId)
      if (found === null) throw new Rejection('auction-not-found')
      return { row: found, bids: await listBids(pool, found, query.limit, query.cursor) }
    })
    const oldest = bids.at(-1)
    const headers: Record<string, string> = { 'x-total-count': String(row.bidCount) }
    if (oldest !== undefined && oldest.seq > 1) {
      headers.link = `</api/auctions/${params.auctionId}/bids?limit=${query.limit}&cursor=${oldest.seq}>; rel="next"`
    }
    return { status: 200, body: bids.map((bid) => presentBid(bid, params.auctionId, leadingSeq(row))), headers }
  })

  handle(app, auctionRoutes.listAuctions, async ({ query }) => {
    const rows = await gate.run(() => listAuctions(pool, query.status, query.limit))
    return { status: 200, body: rows.map((row) => presentAuction(row, null)) }
  })
}

/** An auction's newest bids as of `row`: bids that came after it was read are left out, so that list and price agree. */
export async function newestBids(executor: Executor, row: AuctionRow): Promise<Bid[]> {
  const bids = await listBids(executor, row, BIDS_IN_SNAPSHOT_MAX)
  return bids.map((bid) => presentBid(bid, row.auctionId, leadingSeq(row)))
}

async function getAuction(executor: Executor, auctionId: number, viewer: Viewer): Promise<Auction> {
  const row = await findAuction(executor, auctionId)
  if (row === null) throw new Rejection('auction-not-found')
  return presentAuction(row, viewer)
}

/** From our own read model or, when the listing is too new for it, from catalogue. */
async function getListing(executor: Executor, nats: NatsConnection, productId: number): Promise<ListingRow> {
  const known = await findListing(executor, productId)
  if (known?.isDeleted) throw new Rejection('product-not-found')
  if (known !== null) return known
  const { listing } = await ask(nats, 'catalogue', catalogueRequests.getListing, { productId })
  if (listing === null) throw new Rejection('product-not-found')
  return { productId, sellerId: listing.sellerId, listingType: listing.listingType, isDeleted: false }
}

/** What deals have taken to the last bottle is not auctioned. What catalogue does not show is its seller's all the same. */
async function requireBottle(nats: NatsConnection, productId: number): Promise<void> {
  const { product } = await ask(nats, 'catalogue', catalogueRequests.getProduct, { productId })
  if (product === null || product.stockQuantity > 0) return
  throw new Rejection(product.status === 'pending' ? 'product-reserved' : 'product-sold')
}

/** No product when catalogue does not know it, or does not answer: an auction can be followed without its description. */
async function findProduct(
  nats: NatsConnection,
  { productId, auctionId, outcome }: AuctionRow,
): Promise<{ readonly product: Product | null; readonly isLotReleased?: boolean | undefined }> {
  const asked = outcome === 'won' ? { productId, auctionId } : { productId }
  try {
    return await ask(nats, 'catalogue', catalogueRequests.getProduct, asked, { timeoutMs: PRODUCT_TIMEOUT_MS })
  } catch (error) {
    if (error instanceof Failure || error instanceof Rejection) return { product: null }
    throw error
  }
}

/** Ringgit that the contract has checked already. */
function sen(ringgit: number): number {
  const amount = senFromRinggit(ringgit)
  if (amount === null) throw new Rejection('invalid-amount')
  return amount
}

function senOrNull(ringgit: number | null): number | null {
  return ringgit === null ? null : sen(ringgit)
}
