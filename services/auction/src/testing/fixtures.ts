import type { AuctionTerms } from '@wangian/contracts/auction.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { isoFromMs } from '../domain.ts'

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

export function opened(terms: Partial<AuctionTerms> = {}): AuctionEvent {
  return { type: 'AuctionOpened', data: { ...termsOf(terms), openedAt: isoFromMs(startsAtMs) } }
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
