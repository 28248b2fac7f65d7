import { LOW_STOCK_MAX } from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import { whenNeeded } from '@wangian/contracts/when-needed.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import {
  type AuctionHold,
  availableOf,
  change,
  type KnownListing,
  type Listing,
  lotOf,
  type Reservation,
  standingOf,
} from './listing.ts'

/** Who has a bottle of a listing. Each command is of one deal, or of one lot, and has its effect once. */

/** For so long a lot is kept for its winner, whatever the seller thinks of it: until 48 h after the second reminder to pay. */
export const LOT_KEPT_MS = 96 * 60 * 60 * 1000

/** Who calls a deal off; `nobody`: its purchase was never confirmed. */
export type ReleasedBy = 'seller' | 'buyer' | 'admin' | 'removal' | 'nobody'

/** `at` is the time of the command, ISO 8601. */
export type BottleCommand =
  | {
      readonly type: 'ReserveBottle'
      readonly transactionId: number
      readonly sellerId: number
      readonly buyerId: number
      readonly amountSen: number
      /** Whose lot the deal is about, `null` for none; missing where the offer was judged before. */
      readonly auctionId?: number | null | undefined
      readonly hold: AuctionHold
      readonly at: string
    }
  | {
      readonly type: 'ReleaseBottle'
      readonly transactionId: number
      /** The lot that the deal is about. */
      readonly auctionId: number | null
      readonly by: ReleasedBy
      readonly at: string
    }
  /** A payment that was confirmed cannot be taken back: whatever bottle there is for the buyer is sold. */
  | {
      readonly type: 'SellBottle'
      readonly transactionId: number
      readonly buyerId: number
      readonly amountSen: number
      readonly at: string
    }
  /** The seller gives up on a winner who does not pay, or cannot. */
  | {
      readonly type: 'ReleaseLot'
      readonly actorId: number
      readonly auctionId: number
      /** They were banned, or have left. */
      readonly isWinnerGone: boolean
      /** In the seller's words. */
      readonly note: string | null
      readonly at: string
    }

type Of<Type extends BottleCommand['type']> = Extract<BottleCommand, { type: Type }>
type Events = readonly CatalogueEvent[]

export function decideBottles(command: BottleCommand, listing: Listing): Events {
  switch (command.type) {
    case 'ReserveBottle':
      return reserveBottle(command, listing)
    case 'ReleaseBottle':
      return releaseBottle(command, listing)
    case 'SellBottle':
      return sellBottle(command, listing)
    case 'ReleaseLot':
      return releaseLot(command, listing)
    default:
      return command satisfies never
  }
}

function reserveBottle(command: Of<'ReserveBottle'>, listing: Listing): Events {
  const { transactionId, sellerId, buyerId, hold, at } = command
  if (listing.status === 'absent' || listing.facts.sellerId !== sellerId) throw new Rejection('product-not-found')
  if (reservationOf(listing, transactionId) !== undefined || isSold(listing, transactionId)) return []
  // Asked before that, and late: nobody would free the bottle any more.
  if (listing.calledOff.includes(transactionId)) throw new Rejection('deal-cancelled')
  if (listing.status === 'deleted') throw new Rejection('product-not-found')
  if (hold === 'has-bids') throw new Rejection('auction-has-bids')
  const lot = lotOf(listing)
  if (lot === undefined && hold === 'won') throw new Rejection('product-reserved')
  const taken = bottleFor(listing, buyerId)
  const { amountSen, auctionId } = taken ?? { amountSen: command.amountSen, auctionId: null }
  if (command.auctionId !== undefined && command.auctionId !== auctionId) throw offerIsOver()
  const data = { ...whose(listing), buyerId, amountSen, transactionId, auctionId, reservedAt: at }
  return withConsequences(listing, { type: 'ListingReserved', data }, at)
}

function releaseBottle({ transactionId, auctionId, by, at }: Of<'ReleaseBottle'>, listing: Listing): Events {
  if (listing.status === 'absent') return []
  const { stockQuantity } = listing.facts
  const reason = by === 'nobody' ? 'not-confirmed' : 'cancelled'
  const sale = listing.sales.find((one) => one.transactionId === transactionId)
  if (sale !== undefined) {
    if (by === 'nobody') return []
    const back = { isKept: false, wasSold: true, stockQuantity: stockQuantity + 1 }
    return [{ type: 'ListingReleased', data: { ...whose(listing), ...sale, ...back, reason, releasedAt: at } }]
  }
  // A winner who calls their deal off before they have confirmed it gives the lot up all the same.
  const unclaimed = by === 'buyer' && auctionId !== null ? lotOf(listing) : undefined
  const reservation =
    reservationOf(listing, transactionId) ??
    (unclaimed?.auctionId === auctionId && unclaimed?.transactionId === null ? unclaimed : undefined)
  if (reservation === undefined) return []
  const isKept = reservation.auctionId !== null && (by === 'seller' || by === 'nobody')
  const { buyerId } = reservation
  const what = { buyerId, transactionId, auctionId: reservation.auctionId, isKept, wasSold: false, stockQuantity }
  return [{ type: 'ListingReleased', data: { ...whose(listing), ...what, reason, releasedAt: at } }]
}

function sellBottle({ transactionId, buyerId, amountSen, at }: Of<'SellBottle'>, listing: Listing): Events {
  if (listing.status === 'absent') throw new Rejection('product-not-found')
  if (isSold(listing, transactionId)) return []
  const taken = reservationOf(listing, transactionId) ?? bottleFor(listing, buyerId)
  const auctionId = taken?.auctionId ?? null
  const stockQuantity = listing.facts.stockQuantity - 1
  const data = { ...whose(listing), buyerId, transactionId, auctionId, amountSen, stockQuantity, soldAt: at }
  return withConsequences(listing, { type: 'ListingSold', data }, at)
}

function releaseLot({ actorId, auctionId, isWinnerGone, note, at }: Of<'ReleaseLot'>, listing: Listing): Events {
  if (listing.status !== 'listed') throw new Rejection('product-not-found')
  if (listing.facts.sellerId !== actorId) throw new Rejection('forbidden')
  const lot = lotOf(listing)
  if (lot?.auctionId !== auctionId) {
    if (listing.sales.some((sale) => sale.auctionId === auctionId)) throw new Rejection('product-sold')
    if (auctionId > listing.settledAuctionId) throw new Rejection('conflict', 'This auction is not settled yet.')
    return []
  }
  if (lot.transactionId !== null) {
    throw new Rejection('conflict', 'Please cancel your transaction with the winner first.')
  }
  const keptUntilMs = Date.parse(lot.reservedAt) + LOT_KEPT_MS
  if (!isWinnerGone && Date.parse(at) < keptUntilMs) {
    throw new Rejection('conflict', `The winner has until ${malaysianTime().format(keptUntilMs)} to pay.`)
  }
  const { buyerId } = lot
  const what = { buyerId, transactionId: null, auctionId, isKept: false, wasSold: false, reason: 'released' as const }
  const { stockQuantity } = listing.facts
  const data = { ...whose(listing), ...what, stockQuantity, ...(note !== null && { note }), releasedAt: at }
  return [{ type: 'ListingReleased', data }]
}

/** A card keeps what was offered when it was sent; its listing has been auctioned, or given up on, since. */
export function offerIsOver(): Rejection {
  return new Rejection('conflict', 'This offer no longer stands. Please ask the seller for another one.')
}

const malaysianTime = whenNeeded(
  () => new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kuala_Lumpur', dateStyle: 'long', timeStyle: 'short' }),
)

/**
 * The lot that a deal of this buyer takes over, or `undefined` when it takes a bottle that nobody has.
 * @throws Rejection('product-reserved' or 'product-sold') when there is neither
 */
function bottleFor(listing: KnownListing, buyerId: number): Reservation | undefined {
  const lot = lotOf(listing)
  if (lot !== undefined) {
    if (lot.buyerId === buyerId && lot.transactionId === null) return lot
    throw new Rejection('product-reserved')
  }
  if (availableOf(listing) > 0) return undefined
  throw new Rejection(listing.reservations.length > 0 ? 'product-reserved' : 'product-sold')
}

function reservationOf({ reservations }: KnownListing, transactionId: number): Reservation | undefined {
  return reservations.find((reservation) => reservation.transactionId === transactionId)
}

function isSold({ sales }: KnownListing, transactionId: number): boolean {
  return sales.some((sale) => sale.transactionId === transactionId)
}

function whose({ facts: { productId, sellerId, name } }: KnownListing) {
  return { productId, sellerId, name }
}

/** What follows from a bottle that is no longer there for everybody. */
export function withConsequences(
  listing: KnownListing,
  event: Extract<CatalogueEvent, { type: 'ListingReserved' | 'ListingSold' }>,
  at: string,
): Events {
  const after = change(listing, event)
  return [event, ...unfeaturedBy(after, at), ...stockLow(listing, after, at)]
}

/** What is sold is featured no longer. What is only kept for somebody may come back: its time goes on meanwhile. */
export function unfeaturedBy(after: KnownListing, at: string): Events {
  return standingOf(after) === 'sold' ? unfeatured(after, at) : []
}

export function unfeatured({ facts: { productId, sellerId }, featuredUntil }: KnownListing, at: string): Events {
  if (featuredUntil === null) return []
  return [{ type: 'ListingUnfeatured', data: { productId, sellerId, unfeaturedAt: at } }]
}

/** Told when this bottle was the one too many, of what is still listed. */
function stockLow(before: KnownListing, after: KnownListing, at: string): Events {
  const left = availableOf(after)
  if (before.status !== 'listed' || left !== LOW_STOCK_MAX || availableOf(before) === left) return []
  return [{ type: 'StockLow', data: { ...whose(after), stockQuantity: left, at } }]
}
