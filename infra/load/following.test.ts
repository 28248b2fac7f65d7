import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { describe, expect, it } from 'vitest'
import { Following } from './following.ts'

const at = '2026-01-01T00:00:00.000Z'

function live(seq: number, minimumBid: number) {
  return { status: 'active', currentBid: null, currentBidderId: null, bidCount: seq, minimumBid, endsAt: at } as const
}

function bid(id: number) {
  return { id, bidderId: 1, bidderName: 'mei', amount: 10, placedAt: at }
}

const joined = (seq: number, minimum = 10): ServerFrame => ({
  type: 'auctionJoined',
  auctionId: 1,
  auction: live(seq, minimum),
  bids: [],
  seq,
  serverTime: at,
})
const one = (seq: number, minimum = 10): ServerFrame => ({
  type: 'newBid',
  auctionId: 1,
  bid: bid(seq),
  auction: live(seq, minimum),
  seq,
  serverTime: at,
})
const several = (seqs: readonly number[]): ServerFrame => ({
  type: 'newBids',
  auctionId: 1,
  bids: seqs.map((seq) => ({ ...bid(seq), seq })),
  auction: live(seqs.at(-1) ?? 0, 10),
  seq: seqs.at(-1) ?? 0,
  serverTime: at,
})
const state = (seq: number, minimum = 10): ServerFrame => ({
  type: 'auctionState',
  auctionId: 1,
  auction: live(seq, minimum),
  seq,
  serverTime: at,
})

/** What the last of these frames made of the ones before it. */
function after(...frames: readonly ServerFrame[]) {
  const following = new Following()
  const steps = frames.map((frame) => following.take(frame))
  return { following, last: steps.at(-1) }
}

describe('a follower of an auction', () => {
  it.each([
    ['a snapshot', [joined(7)], 7, 0, 0],
    ['the next bid', [joined(7), one(8)], 8, 0, 0],
    ['the next bids at once', [joined(7), several([8, 9, 10])], 10, 0, 0],
    ['a bid out of turn', [joined(7), one(10)], 10, 2, 0],
    ['a hole among bids', [joined(7), several([8, 10])], 10, 1, 0],
    ['a hole before bids', [joined(7), several([9, 10])], 10, 1, 0],
    ['a bid that it knows', [joined(7), one(7)], 7, 0, 0],
    ['bids that it knows in part', [joined(7), several([6, 7, 8])], 8, 0, 0],
    ['a state that stands for bids', [joined(7), state(10)], 10, 0, 3],
    ['a state without bids', [joined(7), state(7)], 7, 0, 0],
    ['an old state', [joined(7), state(5)], 7, 0, 0],
    ['the bid after a state', [joined(7), state(10), one(11)], 11, 0, 0],
    ['a new snapshot', [joined(7), joined(9)], 9, 0, 0],
    ['a bid before the snapshot', [one(3)], -1, 0, 0],
    ['a bid that the snapshot has', [one(3), joined(3), one(4)], 4, 0, 0],
  ] as const)('takes %s', (_, frames, seq, missed, conflated) => {
    const { following, last } = after(...frames)
    expect(following.seq).toBe(seq)
    expect(last).toEqual({ missed, conflated })
  })

  it('knows nothing before it has joined', () => {
    expect(after().following.hasJoined).toBe(false)
    expect(after(joined(0)).following.hasJoined).toBe(true)
  })

  it('learns the lowest next bid from whatever tells it, in whole sen', () => {
    expect(after(joined(0, 10.1)).following.minimumSen).toBe(1010)
    expect(after(joined(0), one(1, 19.99)).following.minimumSen).toBe(1999)
    expect(after(joined(0), state(1, 35.7)).following.minimumSen).toBe(3570)
    const refused: ServerFrame = { type: 'error', code: 'bid-too-low', message: '', auctionId: 1, minimum: 1.15 }
    expect(after(joined(0, 1), refused).following.minimumSen).toBe(115)
  })

  it('keeps the higher minimum when an older frame comes later', () => {
    expect(after(joined(5, 20), one(4, 15)).following.minimumSen).toBe(2000)
    const refused: ServerFrame = { type: 'error', code: 'bid-too-low', message: '', auctionId: 1, minimum: 12 }
    expect(after(joined(5, 20), refused).following.minimumSen).toBe(2000)
  })
})
