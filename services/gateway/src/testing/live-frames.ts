import type { AuctionLive } from '@wangian/contracts/auction.ts'
import { encodeLive } from '@wangian/contracts/auction-wire.ts'

const SERVER_TIME = '2026-11-21T08:00:00.000Z'

/** An auction whose price is one ringgit per bid. */
export function liveAuction(seq: number, status: AuctionLive['status'] = 'active'): AuctionLive {
  return {
    status,
    currentBid: seq === 0 ? null : seq,
    currentBidderId: seq === 0 ? null : 2,
    bidCount: seq,
    minimumBid: seq + 1,
    endsAt: '2026-11-22T08:00:00.000Z',
  }
}

/** The answer to a joining socket, as text. */
export function snapshotOf(auctionId: number, seq: number): string {
  const facts = { auctionId, auction: liveAuction(seq), bids: [], seq, serverTime: SERVER_TIME }
  return JSON.stringify({ type: 'auctionJoined', ...facts })
}

/** A live message for one bid, as the auction service sends it. */
export function liveBid(auctionId: number, seq: number, bidderName = 'mei'): string {
  const bid = { id: seq, bidderId: 2, bidderName, amount: seq, placedAt: SERVER_TIME }
  const head = JSON.stringify({ type: 'newBid', auctionId, bid }).replace(/\}$/, ',')
  return encodeLive('b', head, stateTail(seq))
}

/** A live message for a batch that is too large to list. */
export function liveState(auctionId: number, seq: number): string {
  return encodeLive('s', JSON.stringify({ type: 'newBids', auctionId, bids: [] }).replace(/\}$/, ','), stateTail(seq))
}

/** The message that ends an auction after its bid number `seq`. */
export function liveEnd(auctionId: number, seq: number): string {
  const facts = { auctionId, outcome: 'won', winnerId: 2, amount: seq, auction: liveAuction(seq, 'ended'), seq }
  return encodeLive('e', JSON.stringify({ type: 'auctionEnded', ...facts, serverTime: SERVER_TIME }), '')
}

function stateTail(seq: number): string {
  return JSON.stringify({ auction: liveAuction(seq), seq, serverTime: SERVER_TIME }).slice(1)
}
