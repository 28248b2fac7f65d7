import type { AuctionStatus, AuctionTerms } from '@wangian/contracts/auction.ts'
import { AUCTION_YEARS_MAX, BID_INCREMENT_MIN_SEN } from '@wangian/contracts/auction.ts'
import { type BidRefusal, INVALID_AMOUNT_SEN } from '@wangian/contracts/auction-wire.ts'
import type { AuctionEvent, AuctionOutcome } from '@wangian/contracts/events/auction.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'

/** An auction that was opened: its terms and what bids have made of them. Amounts are sen, times epoch milliseconds. */
interface Known {
  readonly auctionId: number
  readonly productId: number
  readonly sellerId: number
  readonly startingPriceSen: number
  readonly reserveSen: number | null
  readonly buyNowSen: number | null
  readonly incrementSen: number
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** Of the stream: the first event is 1. */
  readonly version: number
  /** The seq of the last accepted bid. */
  readonly bidCount: number
  readonly currentBidSen: number | null
  readonly currentBidderId: number | null
}
export interface OpenAuction extends Known {
  readonly status: 'open'
}
export interface EndedAuction extends Known {
  readonly status: 'ended'
  readonly outcome: AuctionOutcome
  readonly winnerId: number | null
}
export interface CancelledAuction extends Known {
  readonly status: 'cancelled'
}
export type KnownAuction = OpenAuction | EndedAuction | CancelledAuction
export type Auction = { readonly status: 'none' } | KnownAuction

/** The acting user and the owner's clock (epoch ms, the database's time) come with every command. */
export type AuctionCommand =
  | { readonly type: 'OpenAuction'; readonly terms: AuctionTerms; readonly nowMs: number }
  | {
      readonly type: 'ReviseAuction'
      readonly changes: Partial<Omit<AuctionTerms, 'auctionId' | 'productId' | 'sellerId'>>
      readonly actorId: number
      readonly isAdmin: boolean
      readonly nowMs: number
    }
  | {
      readonly type: 'PlaceBid'
      readonly bidderId: number
      readonly amountSen: number
      readonly bidId: string | null
      readonly nowMs: number
    }
  /** Nobody is bound to buy from a seller who is banned or gone. */
  | { readonly type: 'EndAuction'; readonly isSellerSuspended: boolean; readonly nowMs: number }
  | {
      readonly type: 'CancelAuction'
      readonly reason: string
      readonly actorId: number
      readonly isAdmin: boolean
      readonly nowMs: number
    }

/** Throws a {@link Rejection} when the business says no; `[]` when there is nothing to do. */
export function decide(command: AuctionCommand, state: Auction): AuctionEvent[] {
  switch (command.type) {
    case 'OpenAuction':
      return open(command.terms, command.nowMs, state)
    case 'ReviseAuction':
      return revise(command, state)
    case 'PlaceBid': {
      const refusal = judgeBid(state, command.bidderId, command.amountSen, command.nowMs)
      if (refusal !== null) throw new Rejection(refusal)
      invariant(state.status === 'open', 'only an open auction accepts a bid')
      return [bidPlaced(state, command.bidderId, command.amountSen, command.bidId, isoFromMs(command.nowMs))]
    }
    case 'EndAuction':
      return end(command, state)
    case 'CancelAuction':
      return cancel(command, state)
    default:
      return command satisfies never
  }
}

const nobody = () => false

/**
 * Whether a bid is acceptable now; `null` means yes. The order of the checks is the spec's. A refusal is a value here and not an
 * exception because this runs for every bid of a burst.
 */
export function judgeBid(
  state: Auction,
  bidderId: number,
  amountSen: number,
  nowMs: number,
  isSuspended: (userId: number) => boolean = nobody,
): BidRefusal | null {
  if (state.status === 'none') return 'auction-not-found'
  if (isSuspended(bidderId)) return 'account-suspended'
  if (bidderId === state.sellerId) return 'own-listing'
  if (amountSen === INVALID_AMOUNT_SEN) return 'invalid-amount'
  if (state.status !== 'open' || nowMs >= state.endsAtMs) return 'auction-ended'
  if (nowMs < state.startsAtMs) return 'auction-not-started'
  if (isSuspended(state.sellerId)) return 'auction-paused'
  if (amountSen < minimumBidSen(state)) return 'bid-too-low'
  return null
}

/** The smallest acceptable bid. The first bid, too, must exceed the starting price by the increment (the spec's rule 4). */
export function minimumBidSen(state: KnownAuction): number {
  return (state.currentBidSen ?? state.startingPriceSen) + state.incrementSen
}

/** The fact of an accepted bid as the next of `state`. */
export function bidPlaced(
  state: OpenAuction,
  bidderId: number,
  amountSen: number,
  bidId: string | null,
  placedAt: string,
): Extract<AuctionEvent, { type: 'BidPlaced' }> {
  return {
    type: 'BidPlaced',
    data: { auctionId: state.auctionId, seq: state.bidCount + 1, bidderId, amountSen, bidId, placedAt },
  }
}

export function evolve(state: Auction, event: AuctionEvent): Auction {
  switch (event.type) {
    case 'AuctionOpened': {
      const { startsAt, endsAt, openedAt: _, ...terms } = event.data
      return {
        ...terms,
        status: 'open',
        startsAtMs: Date.parse(startsAt),
        endsAtMs: Date.parse(endsAt),
        version: 1,
        bidCount: 0,
        currentBidSen: null,
        currentBidderId: null,
      }
    }
    case 'AuctionRevised': {
      invariant(state.status === 'open', 'a revised auction is open')
      const { startsAt, endsAt, revisedAt: _, ...terms } = event.data
      return {
        ...state,
        ...terms,
        startsAtMs: Date.parse(startsAt),
        endsAtMs: Date.parse(endsAt),
        version: state.version + 1,
      }
    }
    case 'BidPlaced':
      invariant(state.status === 'open', 'a bid is placed on an open auction')
      return {
        ...state,
        version: state.version + 1,
        bidCount: event.data.seq,
        currentBidSen: event.data.amountSen,
        currentBidderId: event.data.bidderId,
      }
    case 'AuctionEnded':
      invariant(state.status === 'open', 'an open auction ends')
      return {
        ...state,
        status: 'ended',
        outcome: event.data.outcome,
        winnerId: event.data.winnerId,
        version: state.version + 1,
      }
    case 'AuctionCancelled':
      invariant(state.status === 'open', 'an open auction is cancelled')
      return { ...state, status: 'cancelled', version: state.version + 1 }
    default:
      return event satisfies never
  }
}

export const auctionDecider: Decider<Auction, AuctionCommand, AuctionEvent> = {
  service: 'auction',
  initialState: { status: 'none' },
  decide,
  evolve,
}

/** The status that people see: an open auction is `scheduled` before its start and `ended` from its end on, whoever recorded it. */
export function statusAt(state: KnownAuction, nowMs: number): AuctionStatus {
  if (state.status !== 'open') return state.status
  if (nowMs >= state.endsAtMs) return 'ended'
  return nowMs < state.startsAtMs ? 'scheduled' : 'active'
}

export function reserveMet(state: KnownAuction): boolean {
  return state.currentBidSen !== null && (state.reserveSen === null || state.currentBidSen >= state.reserveSen)
}

/** What bidders read who were in the lead. */
const SELLER_SUSPENDED_REASON = 'The seller is not available any more.'

let lastMs = Number.NaN
let lastIso = ''

/** Many bids fall into one millisecond, and the text of a time costs as much as the judgement of a bid. */
export function isoFromMs(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastIso
}

function open(terms: AuctionTerms, nowMs: number, state: Auction): AuctionEvent[] {
  if (state.status !== 'none') return []
  requireSoundTerms(terms, nowMs)
  return [{ type: 'AuctionOpened', data: { ...terms, openedAt: isoFromMs(nowMs) } }]
}

function revise(command: Extract<AuctionCommand, { type: 'ReviseAuction' }>, state: Auction): AuctionEvent[] {
  const auction = requireChangeable(command, state)
  const terms: AuctionTerms = { ...termsOf(auction), ...command.changes }
  if (isSameTerms(terms, termsOf(auction))) return []
  requireSoundTerms(terms, command.nowMs)
  return [{ type: 'AuctionRevised', data: { ...terms, revisedAt: isoFromMs(command.nowMs) } }]
}

function cancel(command: Extract<AuctionCommand, { type: 'CancelAuction' }>, state: Auction): AuctionEvent[] {
  if (state.status === 'cancelled' && isOwner(command, state)) return []
  const { auctionId, productId, sellerId } = requireChangeable(command, state)
  return [
    {
      type: 'AuctionCancelled',
      data: { auctionId, productId, sellerId, reason: command.reason, cancelledAt: isoFromMs(command.nowMs) },
    },
  ]
}

function end(command: Extract<AuctionCommand, { type: 'EndAuction' }>, state: Auction): AuctionEvent[] {
  const { nowMs } = command
  if (state.status !== 'open' || nowMs < state.endsAtMs) return []
  if (command.isSellerSuspended) {
    const { auctionId, productId, sellerId } = state
    const reason = SELLER_SUSPENDED_REASON
    return [
      { type: 'AuctionCancelled', data: { auctionId, productId, sellerId, reason, cancelledAt: isoFromMs(nowMs) } },
    ]
  }
  const outcome = state.bidCount === 0 ? 'no-bids' : reserveMet(state) ? 'won' : 'reserve-not-met'
  return [
    {
      type: 'AuctionEnded',
      data: {
        auctionId: state.auctionId,
        productId: state.productId,
        sellerId: state.sellerId,
        outcome,
        winnerId: outcome === 'won' ? state.currentBidderId : null,
        amountSen: state.currentBidSen,
        bidCount: state.bidCount,
        endedAt: isoFromMs(nowMs),
      },
    },
  ]
}

function isOwner(command: { actorId: number; isAdmin: boolean }, state: KnownAuction): boolean {
  return command.isAdmin || command.actorId === state.sellerId
}

function requireChangeable(command: { actorId: number; isAdmin: boolean; nowMs: number }, state: Auction): OpenAuction {
  if (state.status === 'none') throw new Rejection('auction-not-found')
  if (!isOwner(command, state)) throw new Rejection('forbidden')
  if (state.status !== 'open' || command.nowMs >= state.endsAtMs) throw new Rejection('auction-ended')
  if (state.bidCount > 0) throw new Rejection('auction-has-bids')
  return state
}

function requireSoundTerms(terms: AuctionTerms, nowMs: number): void {
  const startsAtMs = Date.parse(terms.startsAt)
  const endsAtMs = Date.parse(terms.endsAt)
  const latestEnd = new Date(nowMs)
  latestEnd.setUTCFullYear(latestEnd.getUTCFullYear() + AUCTION_YEARS_MAX)
  refuseWhen(terms.startingPriceSen < 1, 'Starting price must be greater than 0')
  refuseWhen(terms.incrementSen < BID_INCREMENT_MIN_SEN, 'Bid increment must be at least RM0.10')
  refuseWhen(endsAtMs <= nowMs, 'End date must be in the future')
  refuseWhen(endsAtMs <= startsAtMs, 'End date must be after the start date')
  refuseWhen(endsAtMs > latestEnd.getTime(), `End date must be within ${AUCTION_YEARS_MAX} years`)
  const startingPrice = formatRinggit(ringgitFromSen(terms.startingPriceSen))
  const isBelowStart = (sen: number | null) => sen !== null && sen < terms.startingPriceSen
  refuseWhen(isBelowStart(terms.reserveSen), `Reserve price must be at least the starting price of ${startingPrice}`)
  refuseWhen(isBelowStart(terms.buyNowSen), `Buy now price must be at least the starting price of ${startingPrice}`)
}

function refuseWhen(isWrong: boolean, message: string): void {
  if (isWrong) throw new Rejection('bad-request', message)
}

function termsOf(state: OpenAuction): AuctionTerms {
  const { auctionId, productId, sellerId, startingPriceSen, reserveSen, buyNowSen, incrementSen } = state
  return {
    auctionId,
    productId,
    sellerId,
    startingPriceSen,
    reserveSen,
    buyNowSen,
    incrementSen,
    startsAt: isoFromMs(state.startsAtMs),
    endsAt: isoFromMs(state.endsAtMs),
  }
}

function isSameTerms(one: AuctionTerms, other: AuctionTerms): boolean {
  return (Object.keys(other) as (keyof AuctionTerms)[]).every((key) =>
    key === 'startsAt' || key === 'endsAt' ? Date.parse(one[key]) === Date.parse(other[key]) : one[key] === other[key],
  )
}
