import type { Auction, Bid } from '@wangian/contracts/auction.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { isoFromMs, reserveMet } from '../domain.ts'
import { liveView } from '../live/frames.ts'
import { stateFromRow } from '../log/row-store.ts'
import type { AuctionRow, BidRow } from '../store.ts'

/** Whoever is reading: the reserve price is shown to the owner and to admins only. */
export interface Viewer {
  readonly id: number
  readonly isAdmin: boolean
}

export function presentAuction(row: AuctionRow, viewer: Viewer | null): Auction {
  const state = stateFromRow(row)
  const maySeeReserve = viewer !== null && (viewer.isAdmin || viewer.id === row.sellerId)
  return {
    ...liveView(state, row.nowMs),
    id: row.auctionId,
    productId: row.productId,
    sellerId: row.sellerId,
    startingPrice: ringgitFromSen(row.startingPriceSen),
    ...(maySeeReserve ? { reservePrice: ringgitOrNull(row.reserveSen) } : {}),
    hasReserve: row.reserveSen !== null,
    reserveMet: reserveMet(state),
    buyNowPrice: ringgitOrNull(row.buyNowSen),
    bidIncrement: ringgitFromSen(row.incrementSen),
    startsAt: isoFromMs(row.startsAtMs),
    outcome: row.outcome,
    winnerId: row.winnerId,
    seq: row.bidCount,
    serverTime: isoFromMs(row.nowMs),
    createdAt: isoFromMs(row.openedAtMs),
    updatedAt: isoFromMs(row.updatedAtMs),
  }
}

/** The seq of the bid that leads, or that won; 0 when none does any more. */
export function leadingSeq(row: AuctionRow): number {
  return row.status === 'open' || row.outcome === 'won' ? row.bidCount : 0
}

/** `leadingSeq` is the seq of the bid that leads, or that won. */
export function presentBid(row: BidRow, auctionId: number, leadingSeq: number): Bid {
  return {
    id: row.seq,
    auctionId,
    seq: row.seq,
    bidId: row.bidId,
    bidderId: row.bidderId,
    bidder: { name: row.bidderName },
    amount: ringgitFromSen(row.amountSen),
    placedAt: row.placedAt,
    isWinning: row.seq === leadingSeq,
  }
}

function ringgitOrNull(sen: number | null): number | null {
  return sen === null ? null : ringgitFromSen(sen)
}
