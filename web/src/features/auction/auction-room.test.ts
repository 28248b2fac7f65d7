import type { ServerFrame } from '@wangian/contracts/frames.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  auctionPage,
  bid,
  ended,
  frameBid,
  joined,
  later,
  liveAfter,
  newBid,
  newestBids,
  now,
} from '../../testing/fixtures.ts'
import {
  type AuctionRoom,
  bidsHeldMax,
  emptyRoom,
  foldRoom,
  leadingBid,
  missingBids,
  type RoomNews,
} from './auction-room.ts'

const frame = (each: ServerFrame): RoomNews => ({ type: 'frame', frame: each })
const loaded = (seq: number): RoomNews => ({ type: 'loaded', page: auctionPage(seq) })
const state = (seq: number): ServerFrame => ({
  type: 'auctionState',
  auctionId: 1,
  auction: liveAfter(seq),
  seq,
  serverTime: later(seq * 1000),
})
const merged = (from: number, to: number): ServerFrame => ({
  type: 'newBids',
  auctionId: 1,
  bids: Array.from({ length: to - from + 1 }, (_, place) => ({ ...frameBid(from + place), seq: from + place })),
  auction: liveAfter(to),
  seq: to,
  serverTime: later(to * 1000),
})
const roomOf = (...news: RoomNews[]) => foldRoom(emptyRoom(1), news)
const seqsOf = (room: AuctionRoom) => room.bids.map((each) => each.seq)

/** Answers what the room misses, as the list of bids does, until it misses nothing. */
function caughtUp(room: AuctionRoom, total: number): AuctionRoom {
  let known = room
  for (let fetches = 0; fetches < 20; fetches += 1) {
    const missing = missingBids(known)
    if (!missing) return known
    const newest = Math.min(total, missing.cursor - 1)
    const bids = Array.from({ length: Math.min(missing.limit, newest) }, (_, place) => bid(newest - place))
    known = foldRoom(known, [{ type: 'bids', bids }])
  }
  throw new Error('it never catches up')
}

describe('a room', () => {
  it('starts from the snapshot that reached it, whichever way', () => {
    for (const news of [loaded(3), frame(joined(3))]) {
      const room = roomOf(news)
      expect(room.live).toEqual(liveAfter(3))
      expect(seqsOf(room)).toEqual([3, 2, 1])
      expect(leadingBid(room)).toMatchObject({ bidderName: 'bala', amount: 65 })
      expect(missingBids(room)).toBeNull()
    }
  })

  it('takes each new bid, alone or merged', () => {
    const room = roomOf(frame(joined(1)), frame(newBid(2)), frame(merged(3, 5)))
    expect(room.live).toEqual(liveAfter(5))
    expect(seqsOf(room)).toEqual([5, 4, 3, 2, 1])
  })

  it('ignores what is older than what it knows', () => {
    const room = roomOf(frame(joined(5)))
    expect(roomOf(frame(joined(5)), frame(newBid(4)), frame(state(2)), loaded(3))).toEqual(room)
  })

  it('keeps to its own auction', () => {
    const foreign = { ...newBid(9), auctionId: 2 } as ServerFrame
    expect(roomOf(frame(joined(2)), frame(foreign)).seq).toBe(2)
  })

  it('knows what it has not seen after a gap', () => {
    expect(missingBids(roomOf(frame(joined(2)), frame(newBid(5))))).toEqual({ cursor: 5, limit: 2 })
    expect(missingBids(roomOf(frame(joined(2)), frame(state(6))))).toEqual({ cursor: 7, limit: 4 })
  })

  it('has no leader to name while the leading bid is among what it misses', () => {
    expect(leadingBid(roomOf(frame(joined(2)), frame(state(6))))).toBeNull()
  })

  it('asks for as much history as a visitor sees, and not for all', () => {
    expect(missingBids(roomOf(frame(state(1000))))).toEqual({ cursor: 1001, limit: 50 })
  })

  it('asks for no more at a time than there is to be had, however much went by', () => {
    const seq = 50 + 3 * bidsHeldMax
    const room = roomOf(frame(joined(50)), frame(state(seq)))
    expect(missingBids(room)).toEqual({ cursor: seq + 1, limit: bidsHeldMax })
    expect(leadingBid(caughtUp(room, seq))).toMatchObject({ seq })
  })

  it('lets go of history behind a gap that is too wide', () => {
    const room = roomOf(frame(joined(10)), frame(joined(10 + 2 * bidsHeldMax)))
    expect(seqsOf(room)[0]).toBe(10 + 2 * bidsHeldMax)
    expect(room.bids).toHaveLength(50)
    expect(missingBids(room)).toBeNull()
  })

  it('stays over once it is over', () => {
    const room = roomOf(frame(joined(2)), frame(ended(2)), loaded(2), frame(newBid(3)))
    expect(room.live?.status).toBe('ended')
    expect(room.result).toEqual({ outcome: 'won', winnerId: 11, amount: 60 })
  })

  it('reads the result from a page that was loaded after the end', () => {
    const page = auctionPage(2, { status: 'ended', outcome: 'won', winnerId: 11 })
    const { result } = roomOf({ type: 'loaded', page })
    expect(result).toEqual({ outcome: 'won', winnerId: 11, amount: 60 })
    for (const outcome of ['reserve-not-met', 'no-bids', 'winner-unavailable'] as const) {
      const unsold = auctionPage(2, { status: 'ended', outcome })
      expect(roomOf({ type: 'loaded', page: unsold }).result?.outcome).toBe(outcome)
    }
    const undecided = auctionPage(2, { status: 'ended' })
    expect(roomOf({ type: 'loaded', page: undecided }).result).toBeNull()
  })

  it('was cancelled, also when its time was over before that was recorded', () => {
    const byTheClock = frame({ ...joined(2), auction: liveAfter(2, 'ended') } as ServerFrame)
    const cancelled = frame({
      type: 'auctionCancelled',
      auctionId: 1,
      reason: 'The seller is not available any more.',
      auction: { ...liveAfter(2), status: 'cancelled' },
      seq: 2,
      serverTime: later(3_000),
    })
    for (const news of [
      [byTheClock, cancelled],
      [cancelled, byTheClock],
    ])
      expect(roomOf(...news).live?.status).toBe('cancelled')
    const page = auctionPage(2, { status: 'cancelled', serverTime: later(3_000) })
    expect(roomOf(byTheClock, { type: 'loaded', page }).live?.status).toBe('cancelled')
  })

  it('keeps why it was cancelled', () => {
    const cancelled: ServerFrame = {
      type: 'auctionCancelled',
      auctionId: 1,
      reason: 'The bottle broke.',
      auction: { ...liveAfter(0), status: 'cancelled' },
      seq: 0,
      serverTime: now,
    }
    const room = roomOf(frame(joined(0)), frame(cancelled))
    expect([room.live?.status, room.cancelReason]).toEqual(['cancelled', 'The bottle broke.'])
    // Read before it was cancelled, or by a process that does not say why.
    for (const page of [auctionPage(0, { cancelReason: null }), auctionPage(0)]) {
      expect(roomOf(frame(cancelled), { type: 'loaded', page }).cancelReason).toBe('The bottle broke.')
    }
  })

  it('remembers that a bid of ours counts before anybody shows it', () => {
    const accepted: ServerFrame = { type: 'bidAccepted', message: 'Bid Accepted', auctionId: 1, amount: 65, seq: 3 }
    const room = roomOf(frame(joined(2)), frame(accepted))
    expect([room.seq, room.acceptedSeq]).toEqual([2, 3])
  })
})

describe('whatever reaches a room in whatever order', () => {
  const total = 120
  const anyNews = fc.oneof(
    fc.integer({ min: 1, max: total }).map((seq) => frame(newBid(seq))),
    fc
      .tuple(fc.integer({ min: 1, max: total }), fc.integer({ min: 0, max: 8 }))
      .map(([from, more]) => frame(merged(from, Math.min(total, from + more)))),
    fc.integer({ min: 0, max: total }).map((seq) => frame(state(seq))),
    fc.integer({ min: 0, max: total }).map((seq) => frame(joined(seq))),
    fc.integer({ min: 0, max: total }).map(loaded),
  )

  it('never goes back, and shows each bid once, newest first', () => {
    fc.assert(
      fc.property(fc.array(anyNews, { maxLength: 40 }), (news) => {
        let room = emptyRoom(1)
        for (const each of news) {
          const next = foldRoom(room, [each])
          expect(next.seq).toBeGreaterThanOrEqual(room.seq)
          expect(next.live?.bidCount ?? 0).toBe(next.seq)
          expect(seqsOf(next)).toEqual([...new Set(seqsOf(next))].sort((a, b) => b - a))
          room = next
        }
      }),
    )
  })

  it('comes to what the database holds, once it has asked for what it missed', () => {
    fc.assert(
      fc.property(fc.array(anyNews, { maxLength: 40 }), (news) => {
        const room = caughtUp(foldRoom(emptyRoom(1), [...news, frame(joined(total)), frame(ended(total))]), total)
        expect(room.live).toEqual(liveAfter(total, 'ended'))
        expect(room.result).toEqual({ outcome: 'won', winnerId: bid(total).bidderId, amount: bid(total).amount })
        const expected = newestBids(total).map(({ seq, bidderId, bidder, amount, placedAt }) => {
          return { seq, bidderId, bidderName: bidder.name, amount, placedAt }
        })
        expect(room.bids.slice(0, 50)).toEqual(expected)
        expect(seqsOf(room)).toEqual(room.bids.map((_, place) => total - place))
      }),
    )
  })

  it('is the same whether it comes one by one, together, or twice', () => {
    fc.assert(
      fc.property(fc.array(anyNews, { maxLength: 30 }), (news) => {
        const together = foldRoom(emptyRoom(1), news)
        const oneByOne = news.reduce((room, each) => foldRoom(room, [each]), emptyRoom(1))
        expect(oneByOne).toEqual(together)
        expect(foldRoom(together, news)).toEqual(together)
      }),
    )
  })
})
