import type { AuctionStatus, AuctionTerms } from '@wangian/contracts/auction.ts'
import { AUCTION_YEARS_MAX, BID_INCREMENT_MIN_SEN, SELLER_SUSPENDED_REASON } from '@wangian/contracts/auction.ts'
import { INVALID_AMOUNT_SEN } from '@wangian/contracts/auction-wire.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { AuctionEvent, AuctionOutcome } from '@wangian/contracts/events/auction.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { type Decider, isRefusal, type Refusal } from '@wangian/kit/log/decider.ts'

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

/** The acting user, the owner's clock (epoch ms, the database's time), and who is banned or gone come with every command that needs them. */
export type AuctionCommand = OpenNewAuction | ReviseAuction | PlaceBid | EndAuction | CancelAuction
export interface OpenNewAuction {
  readonly type: 'OpenAuction'
  readonly terms: AuctionTerms
  /** The seller set no time: `startsAt` is the database's clock a moment ago. */
  readonly startsNow?: boolean | undefined
  /** An owner that was frozen may hear of it when nobody waits for it any more. */
  readonly openByMs?: number | undefined
  readonly nowMs: number
}
export interface ReviseAuction {
  readonly type: 'ReviseAuction'
  readonly changes: Partial<Omit<AuctionTerms, 'auctionId' | 'productId' | 'sellerId'>>
  readonly actorId: number
  readonly nowMs: number
}
export interface PlaceBid {
  readonly type: 'PlaceBid'
  readonly bidderId: number
  readonly amountSen: number
  readonly bidId: string | null
  readonly isBidderSuspended: boolean
  readonly isSellerSuspended: boolean
  readonly nowMs: number
}
/** Nobody is bound to buy from a seller who was banned or gone by the end, and nobody who was can have won. */
export interface EndAuction {
  readonly type: 'EndAuction'
  readonly isSellerSuspended: boolean
  readonly isLeaderSuspended: boolean
  readonly nowMs: number
}
export interface CancelAuction {
  readonly type: 'CancelAuction'
  readonly reason: string
  readonly actorId: number
  /** An administrator takes the listing away. */
  readonly by: 'seller' | 'admin'
  readonly nowMs: number
}

/** Why a command is refused. A value and no exception, because it is made for every refused bid of a burst. */
export interface AuctionRefusal extends Refusal {
  /** The smallest amount that would have been accepted; 0 where no amount would. */
  readonly minimumSen: number
}
export type Decision = readonly AuctionEvent[] | AuctionRefusal
export type AuctionDecider = Decider<Auction, AuctionCommand, AuctionEvent, AuctionRefusal>

/** What a command comes to: events, of which the first is what was asked for; `[]` when there is nothing to do; or a refusal. */
export function decide(command: AuctionCommand, state: Auction): Decision {
  switch (command.type) {
    case 'OpenAuction':
      return open(command, state)
    case 'ReviseAuction':
      return revise(command, state)
    case 'PlaceBid':
      return placeBid(command, state)
    case 'EndAuction':
      return end(command, state)
    case 'CancelAuction':
      return cancel(command, state)
    default:
      return command satisfies never
  }
}

/** Why a bid is not acceptable now; `null` means that it is. The order of the checks is the spec's. */
export function judgeBid(state: Auction, bid: PlaceBid): ErrorCode | null {
  if (state.status === 'none') return 'auction-not-found'
  if (bid.isBidderSuspended) return 'account-suspended'
  if (bid.bidderId === state.sellerId) return 'own-listing'
  if (bid.amountSen === INVALID_AMOUNT_SEN) return 'invalid-amount'
  if (state.status !== 'open' || bid.nowMs >= state.endsAtMs) return 'auction-ended'
  if (bid.nowMs < state.startsAtMs) return 'auction-not-started'
  if (bid.isSellerSuspended) return 'auction-paused'
  if (bid.amountSen < minimumBidSen(state)) return 'bid-too-low'
  return null
}

/** The smallest acceptable bid. The first bid, too, must exceed the starting price by the increment (the spec's rule 4). */
export function minimumBidSen(state: KnownAuction): number {
  return (state.currentBidSen ?? state.startingPriceSen) + state.incrementSen
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

export const auctionDecider: AuctionDecider = {
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

function open(command: OpenNewAuction, state: Auction): Decision {
  if (state.status !== 'none') return []
  const { nowMs, startsNow, openByMs } = command
  if (openByMs !== undefined && nowMs > openByMs) return refuse('unavailable')
  // The owner's clock may be a little behind the database's, and what starts now takes a bid at once.
  const startsAt = startsNow ? isoFromMs(Math.min(Date.parse(command.terms.startsAt), nowMs)) : command.terms.startsAt
  const terms = { ...command.terms, startsAt }
  const fault = faultOf(terms, nowMs)
  if (fault !== null) return refuse('bad-request', fault)
  return [{ type: 'AuctionOpened', data: { ...terms, openedAt: isoFromMs(nowMs) } }]
}

function revise(command: ReviseAuction, state: Auction): Decision {
  const auction = changeable(command, state)
  if (isRefusal(auction)) return auction
  const terms: AuctionTerms = { ...termsOf(auction), ...command.changes }
  if (isSameTerms(terms, termsOf(auction))) return []
  const fault = faultOf(terms, command.nowMs)
  if (fault !== null) return refuse('bad-request', fault)
  return [{ type: 'AuctionRevised', data: { ...terms, revisedAt: isoFromMs(command.nowMs) } }]
}

function placeBid(bid: PlaceBid, state: Auction): Decision {
  const code = judgeBid(state, bid)
  if (code === 'bid-too-low' && state.status !== 'none') return { code, minimumSen: minimumBidSen(state) }
  if (code !== null) return refuse(code)
  invariant(state.status === 'open', 'only an open auction accepts a bid')
  const { auctionId } = state
  const { bidderId, amountSen, bidId, nowMs } = bid
  const data = { auctionId, seq: state.bidCount + 1, bidderId, amountSen, bidId, placedAt: isoFromMs(nowMs) }
  return [{ type: 'BidPlaced', data }]
}

function cancel(command: CancelAuction, state: Auction): Decision {
  const isRemoval = command.by === 'admin'
  if (state.status === 'cancelled' && (isRemoval || command.actorId === state.sellerId)) return []
  const auction = isRemoval ? removable(state) : changeable(command, state)
  if (isRefusal(auction)) return auction
  return [cancelled(auction, command.reason, command.nowMs)]
}

function end({ nowMs, isSellerSuspended, isLeaderSuspended }: EndAuction, state: Auction): Decision {
  if (state.status !== 'open' || nowMs < state.endsAtMs) return []
  if (isSellerSuspended) return [cancelled(state, SELLER_SUSPENDED_REASON, nowMs)]
  const outcome = outcomeOf(state, isLeaderSuspended)
  return [
    {
      type: 'AuctionEnded',
      data: {
        auctionId: state.auctionId,
        productId: state.productId,
        sellerId: state.sellerId,
        outcome,
        winnerId: outcome === 'won' ? state.currentBidderId : null,
        leaderId: state.currentBidderId,
        amountSen: state.currentBidSen,
        bidCount: state.bidCount,
        endedAt: isoFromMs(nowMs),
      },
    },
  ]
}

function outcomeOf(state: OpenAuction, isLeaderSuspended: boolean): AuctionOutcome {
  if (state.bidCount === 0) return 'no-bids'
  if (!reserveMet(state)) return 'reserve-not-met'
  return isLeaderSuspended ? 'winner-unavailable' : 'won'
}

function cancelled({ auctionId, productId, sellerId }: OpenAuction, reason: string, nowMs: number): AuctionEvent {
  return {
    type: 'AuctionCancelled',
    data: { auctionId, productId, sellerId, reason, cancelledAt: isoFromMs(nowMs) },
  }
}

function refuse(code: ErrorCode, message?: string): AuctionRefusal {
  return { code, message, minimumSen: 0 }
}

/** The auction when its seller may still change it. The terms are the seller's will: an administrator removes a listing and changes none. */
function changeable(command: { actorId: number; nowMs: number }, state: Auction): OpenAuction | AuctionRefusal {
  if (state.status === 'none') return refuse('auction-not-found')
  if (command.actorId !== state.sellerId) return refuse('forbidden')
  if (state.status !== 'open' || command.nowMs >= state.endsAtMs) return refuse('auction-ended')
  if (state.bidCount > 0) return refuse('auction-has-bids')
  return state
}

/** What nobody has recorded the end of can be taken away with its listing, bids or not. */
function removable(state: Auction): OpenAuction | AuctionRefusal {
  if (state.status === 'none') return refuse('auction-not-found')
  return state.status === 'open' ? state : refuse('auction-ended')
}

/** What is wrong with these terms, in words for the seller; `null` when nothing is. */
function faultOf(terms: AuctionTerms, nowMs: number): string | null {
  const startsAtMs = Date.parse(terms.startsAt)
  const endsAtMs = Date.parse(terms.endsAt)
  const latestEnd = new Date(nowMs)
  latestEnd.setUTCFullYear(latestEnd.getUTCFullYear() + AUCTION_YEARS_MAX)
  if (terms.startingPriceSen < 1) return 'Starting price must be greater than 0'
  if (terms.incrementSen < BID_INCREMENT_MIN_SEN) return 'Bid increment must be at least RM0.10'
  if (endsAtMs <= nowMs) return 'End date must be in the future'
  if (endsAtMs <= startsAtMs) return 'End date must be after the start date'
  if (endsAtMs > latestEnd.getTime()) return `End date must be within ${AUCTION_YEARS_MAX} years`
  const startingPrice = formatRinggit(ringgitFromSen(terms.startingPriceSen))
  const isBelowStart = (sen: number | null) => sen !== null && sen < terms.startingPriceSen
  if (isBelowStart(terms.reserveSen)) return `Reserve price must be at least the starting price of ${startingPrice}`
  if (isBelowStart(terms.buyNowSen)) return `Buy now price must be at least the starting price of ${startingPrice}`
  return null
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
