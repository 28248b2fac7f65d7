import type { AuctionTerms } from '@wangian/contracts/auction.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { fold, isRefusal } from '@wangian/kit/log/decider.ts'
import {
  type Auction,
  type AuctionCommand,
  type AuctionDecider,
  auctionDecider,
  decide,
  type EndAuction,
  isoFromMs,
  type PlaceBid,
} from '../domain.ts'

export const seller = 7
export const startsAtMs = Date.parse('2026-11-21T08:00:00.000Z')
export const endsAtMs = Date.parse('2026-11-28T08:00:00.000Z')
/** An hour into the auction. */
export const nowMs = startsAtMs + 60 * 60 * 1000

/** Terms that are right in every field: RM 200 in steps of RM 5 for a week. A test names what matters to it. */
export function termsOf(terms: Partial<AuctionTerms> = {}): AuctionTerms {
  return {
    auctionId: 5,
    productId: 31,
    sellerId: seller,
    startingPriceSen: 20_000,
    reserveSen: null,
    buyNowSen: null,
    incrementSen: 500,
    startsAt: isoFromMs(startsAtMs),
    endsAt: isoFromMs(endsAtMs),
    ...terms,
  }
}

export function opened(terms: Partial<AuctionTerms> = {}, openedAtMs = startsAtMs): AuctionEvent {
  return { type: 'AuctionOpened', data: { ...termsOf(terms), openedAt: isoFromMs(openedAtMs) } }
}

export function bidPlaced(seq: number, bidderId: number, amountSen: number, bidId: string | null = null): AuctionEvent {
  return {
    type: 'BidPlaced',
    data: { auctionId: 5, seq, bidderId, amountSen, bidId, placedAt: isoFromMs(nowMs) },
  }
}

/** A bid's own id; the same number is the same id. */
export function bidIdOf(number: number): string {
  return `0193a000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** The command of a bid of somebody who may bid, to a seller who may sell. */
export function placeBid(amountSen: number, facts: Partial<PlaceBid> = {}): PlaceBid {
  return {
    type: 'PlaceBid',
    bidderId: 21,
    amountSen,
    bidId: null,
    isBidderSuspended: false,
    isSellerSuspended: false,
    nowMs,
    ...facts,
  }
}

/** The end of an auction, nobody being banned or gone. */
export function endAuction(nowMs: number, facts: Partial<EndAuction> = {}): EndAuction {
  return { type: 'EndAuction', isSellerSuspended: false, isLeaderSuspended: false, nowMs, ...facts }
}

/** What a command comes to that is not refused. */
export function decided(command: AuctionCommand, state: Auction): readonly AuctionEvent[] {
  const decision = decide(command, state)
  if (isRefusal(decision)) throw new Error(`it is refused as ${decision.code}`)
  return decision
}

/** Rules by which a bid of the buy-now price wins at once: one command, two events. */
export const buyNowDecider: AuctionDecider = {
  ...auctionDecider,
  decide(command, state) {
    const decision = auctionDecider.decide(command, state)
    if (command.type !== 'PlaceBid' || isRefusal(decision) || state.status !== 'open') return decision
    if (state.buyNowSen === null || command.amountSen < state.buyNowSen) return decision
    const end = endAuction(state.endsAtMs)
    return [...decision, ...decided(end, fold(auctionDecider, decision, state))]
  },
}

/** A product as catalogue tells of it. */
export function productOf(productId: number) {
  return {
    id: productId,
    name: 'Santal 33',
    brand: 'Le Labo',
    description: 'Cardamom, iris and a lot of sandalwood.',
    price: 680.5,
    imageUrl: null,
    images: [],
    stockQuantity: 1,
    categoryId: 4,
    category: 'Niche',
    isNew: false,
    isFeatured: false,
    featuredUntil: null,
    featured_until: null,
    boost_package_id: null,
    remainingPercentage: 85,
    batchCode: null,
    purchaseYear: null,
    boxCondition: 'Good' as const,
    listingType: 'auction' as const,
    volume: 100,
    sellerId: 7,
    seller: { id: 7, username: 'sarah', profileImage: null, avatar_url: null },
    status: 'active' as const,
    createdAt: '2026-11-21T08:00:00.000Z',
    updatedAt: '2026-11-21T08:00:00.000Z',
    averageRating: null,
    reviewCount: 0,
    auction: null,
  }
}
