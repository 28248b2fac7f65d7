import type { AuctionSummary } from '@wangian/contracts/catalogue.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'

/** How the auction of a listing stands, as its seller needs to know it. */
export type AuctionState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'scheduled'; readonly startsAt: string }
  | { readonly kind: 'running'; readonly bidCount: number; readonly endsAt: string }
  /** It is over, and who has won is not told yet. */
  | { readonly kind: 'closing'; readonly bidCount: number }
  | {
      readonly kind: 'won'
      /** `username` is `null` for somebody who has deleted their account. */
      readonly winner: { readonly id: number; readonly username: string | null }
      /** In ringgit. */
      readonly amount: number
      /** The bottle is kept for them. */
      readonly isReserved: boolean
    }
  | { readonly kind: 'unsold' | 'reserve-not-met' | 'winner-unavailable' | 'released' | 'cancelled' }

/** `null` for what is not for auction. */
export function auctionStateOf(product: OwnProduct, nowMs: number): AuctionState | null {
  if (product.listingType !== 'auction') return null
  const { auction } = product
  if (auction === null) return { kind: 'missing' }
  if (auction.status === 'cancelled') return { kind: 'cancelled' }
  if (isOpen(auction) && Date.parse(auction.endsAt) > nowMs) return openState(auction, nowMs)
  return endedState(product, auction)
}

/** Whether another auction may be opened for it: no auction runs, nobody has won it, and it is there. */
export function canRelist(product: OwnProduct, nowMs: number): boolean {
  const state = auctionStateOf(product, nowMs)
  if (state === null || !isActive(product)) return false
  return state.kind !== 'scheduled' && state.kind !== 'running' && state.kind !== 'closing'
}

export function canCancelAuction(product: OwnProduct, nowMs: number): boolean {
  const state = auctionStateOf(product, nowMs)
  return state?.kind === 'scheduled' || (state?.kind === 'running' && state.bidCount === 0)
}

/** Whether its winner may be given up; when, the server says. */
export function canRelease(product: OwnProduct, nowMs: number): boolean {
  const state = auctionStateOf(product, nowMs)
  return state?.kind === 'won' && state.isReserved
}

/** Can be bought or bid on, and therefore edited and boosted, too. */
export function isActive({ status }: Pick<OwnProduct, 'status'>): boolean {
  return status === 'active' || status === 'featured'
}

function isOpen({ status }: AuctionSummary): boolean {
  return status === 'scheduled' || status === 'active'
}

function openState(auction: AuctionSummary, nowMs: number): AuctionState {
  const { startsAt, endsAt, bidCount } = auction
  return auction.status === 'scheduled' && Date.parse(startsAt) > nowMs
    ? { kind: 'scheduled', startsAt }
    : { kind: 'running', bidCount, endsAt }
}

function endedState(product: OwnProduct, auction: AuctionSummary): AuctionState {
  switch (auction.outcome) {
    case 'won': {
      if (auction.isReleased) return { kind: 'released' }
      const { reservation } = product
      const winner = auction.winner ?? (reservation && { id: reservation.buyerId, username: reservation.username })
      const amount = reservation?.amount ?? auction.currentBid
      return winner && amount !== null
        ? { kind: 'won', winner, amount, isReserved: reservation !== null }
        : { kind: 'closing', bidCount: auction.bidCount }
    }
    case 'no-bids':
      return { kind: 'unsold' }
    case 'reserve-not-met':
      return { kind: 'reserve-not-met' }
    case 'winner-unavailable':
      return { kind: 'winner-unavailable' }
    case null:
      return { kind: 'closing', bidCount: auction.bidCount }
    default:
      return auction.outcome satisfies never
  }
}
