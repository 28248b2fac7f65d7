import type { AuctionLive } from '@wangian/contracts/auction.ts'
import { encodeLive } from '@wangian/contracts/auction-wire.ts'
import type { AuctionOutcome } from '@wangian/contracts/events/auction.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { PendingEvent } from '../books/batch.ts'
import { isoFromMs, type KnownAuction, minimumBidSen, statusAt } from '../domain.ts'

/** A batch with more bids on one auction than this is told as one state instead of a list. */
const BIDS_LISTED_MAX = 16

/** The part of an auction that frames and snapshots carry. */
export function liveView(state: KnownAuction, nowMs: number): AuctionLive {
  return {
    status: statusAt(state, nowMs),
    currentBid: state.currentBidSen === null ? null : ringgitFromSen(state.currentBidSen),
    currentBidderId: state.currentBidderId,
    bidCount: state.bidCount,
    minimumBid: ringgitFromSen(minimumBidSen(state)),
    // Not by `isoFromMs`, which remembers one time: it is asked for the same `nowMs` for all auctions of a batch.
    endsAt: new Date(state.endsAtMs).toISOString(),
  }
}

/**
 * The live messages of one auction's events of one committed batch, in order. `state` is the auction after the batch.
 * An opened auction has no watchers yet and says nothing.
 */
export function liveMessages(events: readonly PendingEvent[], state: KnownAuction, nowMs: number): string[] {
  const tail = sharedTail(state, nowMs)
  const messages: string[] = []
  const bids = events.filter((pending) => pending.event.type === 'BidPlaced')
  if (bids.length > 0) messages.push(bidsMessage(bids, state.auctionId, tail))
  for (const { event } of events) {
    switch (event.type) {
      case 'AuctionEnded':
        messages.push(encodeLive('e', endedHead(state.auctionId, event.data), tail))
        break
      case 'AuctionCancelled': {
        const head = JSON.stringify({ type: 'auctionCancelled', auctionId: state.auctionId, reason: event.data.reason })
        messages.push(encodeLive('e', openEnded(head), tail))
        break
      }
      case 'AuctionRevised':
        messages.push(encodeLive('e', `{"type":"auctionState","auctionId":${state.auctionId},`, tail))
        break
      case 'AuctionOpened':
      case 'BidPlaced':
        break
      default:
        event satisfies never
    }
  }
  return messages
}

/**
 * What is said of an auction of which not every bid was told: by a new owner, whose predecessor may have died between the commit and the
 * frame, and where nobody watched. Whoever has this `seq` already loses nothing.
 */
export function stateMessage(state: KnownAuction, nowMs: number): string {
  const tail = sharedTail(state, nowMs)
  if (state.status !== 'ended') return encodeLive('s', '', tail)
  const { auctionId, outcome, winnerId, currentBidSen } = state
  return encodeLive('e', endedHead(auctionId, { outcome, winnerId, amountSen: currentBidSen }), tail)
}

function sharedTail(state: KnownAuction, nowMs: number): string {
  return `"auction":${JSON.stringify(liveView(state, nowMs))},"seq":${state.bidCount},"serverTime":"${isoFromMs(nowMs)}"}`
}

function endedHead(
  auctionId: number,
  { outcome, winnerId, amountSen }: { outcome: AuctionOutcome; winnerId: number | null; amountSen: number | null },
): string {
  const amount = amountSen === null ? null : ringgitFromSen(amountSen)
  return openEnded(JSON.stringify({ type: 'auctionEnded', auctionId, outcome, winnerId, amount }))
}

function bidsMessage(bids: readonly PendingEvent[], auctionId: number, tail: string): string {
  const [only] = bids
  if (bids.length === 1 && only !== undefined) {
    return encodeLive('b', `{"type":"newBid","auctionId":${auctionId},"bid":${bidJson(only, false)},`, tail)
  }
  if (bids.length > BIDS_LISTED_MAX) return encodeLive('s', '', tail)
  const list = bids.map((bid) => bidJson(bid, true)).join(',')
  return encodeLive('b', `{"type":"newBids","auctionId":${auctionId},"bids":[${list}],`, tail)
}

function bidJson(pending: PendingEvent, hasSeq: boolean): string {
  if (pending.event.type !== 'BidPlaced') throw new TypeError('only a bid is shown as a bid')
  const { seq, bidderId, amountSen, placedAt } = pending.event.data
  const name = JSON.stringify(pending.bidderName)
  const amount = ringgitFromSen(amountSen)
  const json = `{"id":${seq},"bidderId":${bidderId},"bidderName":${name},"amount":${amount},"placedAt":"${placedAt}"`
  return hasSeq ? `${json},"seq":${seq}}` : `${json}}`
}

/** An object's text without its closing brace, so that the shared tail can follow. */
function openEnded(json: string): string {
  return `${json.slice(0, -1)},`
}
