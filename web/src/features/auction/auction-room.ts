import type { AuctionLive, AuctionPage, Bid } from '@wangian/contracts/auction.ts'
import type { FrameBid } from '@wangian/contracts/auction-frames.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { AuctionOutcome } from '@wangian/contracts/events/auction.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'

/** One accepted bid; `seq` is its place in the auction, the first being 1. */
export interface BidLine {
  readonly seq: number
  readonly bidderId: number
  /** `null` for somebody who has deleted their account. */
  readonly bidderName: string | null
  /** In ringgit. */
  readonly amount: number
  readonly placedAt: string
}

export interface AuctionResult {
  readonly outcome: AuctionOutcome
  readonly winnerId: number | null
  /** In ringgit, `null` without a winner. */
  readonly amount: number | null
}

/** What the server refused here that was no bid: it lets nobody into the room. */
export interface RoomRefusal {
  readonly code: ErrorCode
  readonly message: string
}

/** What this tab knows of an auction, from whatever has reached it in whatever order. */
export interface AuctionRoom {
  readonly auctionId: number
  readonly live: AuctionLive | null
  /** How many bids `live` has counted. */
  readonly seq: number
  /** When the server said so, in its milliseconds; breaks ties between states of one `seq`. */
  readonly stateAtMs: number
  /** The last bid of our own that was accepted; above `seq` while `live` does not count it yet. */
  readonly acceptedSeq: number
  /** Newest first, each once, possibly with gaps: see `missingBids`. */
  readonly bids: readonly BidLine[]
  readonly result: AuctionResult | null
  readonly cancelReason: string | null
  /** The same one until the room is entered, however often it is tried meanwhile. */
  readonly refusal: RoomRefusal | null
  /** When the server last told of a revision, in its milliseconds; 0 for never. */
  readonly revisedAtMs: number
}

export type RoomNews =
  | { readonly type: 'loaded'; readonly page: AuctionPage }
  | { readonly type: 'frame'; readonly frame: ServerFrame }
  | { readonly type: 'bids'; readonly bids: readonly Bid[] }

/** How much history is kept at most, and the widest gap that is worth filling. */
export const bidsHeldMax = 500
/** So much history a visitor always sees. */
const bidsShownMin = 50

export function emptyRoom(auctionId: number): AuctionRoom {
  return {
    auctionId,
    live: null,
    seq: 0,
    stateAtMs: 0,
    acceptedSeq: 0,
    bids: [],
    result: null,
    cancelReason: null,
    refusal: null,
    revisedAtMs: 0,
  }
}

/** Takes in all news in turn. Old news changes nothing, so order and repetition do not matter. */
export function foldRoom(room: AuctionRoom, news: readonly RoomNews[]): AuctionRoom {
  return news.reduce(takeIn, room)
}

/**
 * The newest run of bids that the room has heard of and not seen, or that a visitor expects to see. `cursor` and `limit`
 * are what to ask the list of bids for.
 */
export function missingBids(room: AuctionRoom): { readonly cursor: number; readonly limit: number } | null {
  const oldestHeld = room.bids.at(-1)?.seq ?? room.seq + 1
  const oldestExpected = Math.min(oldestHeld, Math.max(1, room.seq - bidsShownMin + 1))
  let expected = room.seq
  for (const bid of room.bids) {
    // The list gives no more at a time, and more than that is not kept.
    if (bid.seq < expected) return { cursor: expected + 1, limit: Math.min(expected - bid.seq, bidsHeldMax) }
    expected = bid.seq - 1
  }
  return expected >= oldestExpected ? { cursor: expected + 1, limit: expected - oldestExpected + 1 } : null
}

/** The bid that leads; `null` when there is none, or when it has not been seen yet. */
export function leadingBid(room: AuctionRoom): BidLine | null {
  const newest = room.bids[0]
  return newest && newest.seq === room.seq ? newest : null
}

/** Whether somebody has bid here and does not lead any more, as far as the bids at hand tell it. */
export function isOutbid(room: AuctionRoom, userId: number | null): boolean {
  return userId !== null && room.live?.currentBidderId !== userId && room.bids.some((bid) => bid.bidderId === userId)
}

/**
 * Whether the terms that were read are not those of the room any more. Frames carry none but the minimum, which is not told apart from a
 * bid's once there is one; after that nothing can be revised.
 */
export function areTermsOld({ live, revisedAtMs }: AuctionRoom, page: AuctionPage): boolean {
  const isOtherMinimum = live?.bidCount === 0 && live.minimumBid !== page.minimumBid
  return isOtherMinimum || revisedAtMs > Date.parse(page.serverTime)
}

/** A bidder's name, as far as any bid at hand tells it. */
export function bidderName(room: AuctionRoom, bidderId: number): string | null {
  return room.bids.find((bid) => bid.bidderId === bidderId)?.bidderName ?? null
}

function takeIn(room: AuctionRoom, news: RoomNews): AuctionRoom {
  switch (news.type) {
    case 'loaded':
      return takeInPage(room, news.page)
    case 'bids':
      return withBids(room, news.bids.map(lineOfBid))
    case 'frame':
      return takeInFrame(room, news.frame)
    default:
      return news satisfies never
  }
}

function takeInPage(room: AuctionRoom, page: AuctionPage): AuctionRoom {
  const { status, currentBid, currentBidderId, bidCount, minimumBid, endsAt, winnerId, outcome } = page
  const live = { status, currentBid, currentBidderId, bidCount, minimumBid, endsAt }
  const next = withState(room, live, page.seq, page.serverTime)
  const known = { ...withBids(next, page.bids.map(lineOfBid)), cancelReason: page.cancelReason ?? room.cancelReason }
  if (outcome === null || known.result) return known
  return { ...known, result: { outcome, winnerId, amount: winnerId === null ? null : currentBid } }
}

function takeInFrame(room: AuctionRoom, frame: ServerFrame): AuctionRoom {
  if (frame.type === 'connected' || !('auctionId' in frame) || frame.auctionId !== room.auctionId) return room
  if (frame.type === 'error') return frame.bidId === undefined ? withRefusal(room, frame) : room
  if (frame.type === 'bidAccepted') return { ...room, acceptedSeq: Math.max(room.acceptedSeq, frame.seq) }

  const next = withState(room, frame.auction, frame.seq, frame.serverTime)
  switch (frame.type) {
    case 'auctionJoined':
      return withBids({ ...next, refusal: null }, frame.bids.map(lineOfBid))
    case 'newBid':
      return withBids(next, [lineOfFrame(frame.bid, frame.seq)])
    case 'newBids':
      return withBids(
        next,
        frame.bids.map((bid) => lineOfFrame(bid, bid.seq)),
      )
    case 'auctionState':
      // Before the first bid only a revision, or an owner who takes over, tells the state alone.
      return frame.seq === 0 ? { ...next, revisedAtMs: Math.max(room.revisedAtMs, Date.parse(frame.serverTime)) } : next
    case 'auctionEnded': {
      const { outcome, winnerId, amount } = frame
      return { ...next, result: { outcome, winnerId, amount } }
    }
    case 'auctionCancelled':
      return { ...next, cancelReason: frame.reason }
    default:
      return frame satisfies never
  }
}

function withRefusal(room: AuctionRoom, { code, message }: RoomRefusal): AuctionRoom {
  const isKnown = room.refusal?.code === code && room.refusal.message === message
  return isKnown ? room : { ...room, refusal: { code, message } }
}

function withState(room: AuctionRoom, live: AuctionLive, seq: number, serverTime: string): AuctionRoom {
  const stateAtMs = Date.parse(serverTime)
  const isNewer = seq > room.seq || (seq === room.seq && stateAtMs >= room.stateAtMs)
  const next = isNewer || !room.live ? { ...room, live, seq, stateAtMs } : room
  // What is over is over, whichever state arrives after that. By the clock it has ended before it is recorded that it was cancelled.
  const statuses = [room.live?.status, live.status]
  const over = (['cancelled', 'ended'] as const).find((status) => statuses.includes(status))
  if (!over || !next.live || next.live.status === over) return next
  return { ...next, live: { ...next.live, status: over } }
}

function withBids(room: AuctionRoom, lines: readonly BidLine[]): AuctionRoom {
  const known = new Set(room.bids.map((bid) => bid.seq))
  const fresh = lines.filter((line) => !known.has(line.seq) && known.add(line.seq))
  if (fresh.length === 0) return room
  const merged = [...room.bids, ...fresh].sort((a, b) => b.seq - a.seq)
  return { ...room, bids: withoutFarPast(merged) }
}

/** Cuts what is too much, and what lies behind a gap that is too wide to fill. */
function withoutFarPast(bids: readonly BidLine[]): readonly BidLine[] {
  const held = bids.slice(0, bidsHeldMax)
  const gap = held.findIndex((bid, index) => index > 0 && (held[index - 1]?.seq ?? 0) - bid.seq > bidsHeldMax)
  return gap === -1 ? held : held.slice(0, gap)
}

function lineOfBid({ seq, bidderId, bidder, amount, placedAt }: Bid): BidLine {
  return { seq, bidderId, bidderName: bidder.name, amount, placedAt }
}

function lineOfFrame({ bidderId, bidderName, amount, placedAt }: FrameBid, seq: number): BidLine {
  return { seq, bidderId, bidderName, amount, placedAt }
}
