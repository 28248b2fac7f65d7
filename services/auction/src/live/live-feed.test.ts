import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Book } from '../books/book.ts'
import { bidPlaced, decided, endAuction, endsAtMs, nowMs, opened } from '../testing/fixtures.ts'
import { batchOf } from '../testing/writer-rig.ts'
import { LiveFeed, UNHEARD_TOLD_EVERY_MS } from './live-feed.ts'

let books: Map<number, Book>
let feed: LiveFeed
/** Each message that was published: what it is, and the last bid that it tells of. */
let told: [type: string, seq: number][]
let bids: number

beforeEach(() => {
  vi.useFakeTimers()
  books = new Map()
  told = []
  bids = 0
  feed = new LiveFeed({
    publish(auctionId, message) {
      const { type, seq } = JSON.parse(decodeLive(auctionId, message).frame)
      told.push([type, seq])
    },
    nowMs: () => nowMs,
  })
  feed.tell(batchOf(books, [opened()]))
})
afterEach(() => {
  feed.stop()
  vi.useRealTimers()
})

/** A batch with so many bids is in the log. */
function bid(count = 1): void {
  const events = Array.from({ length: count }, () => bidPlaced(++bids, 21, 20_000 + bids * 500))
  feed.tell(batchOf(books, events))
}

function end(): void {
  const state = books.get(5)?.head ?? { status: 'none' }
  feed.tell(batchOf(books, decided(endAuction(endsAtMs), state)))
}

const wait = () => vi.advanceTimersByTime(UNHEARD_TOLD_EVERY_MS)

describe('what watchers are told', () => {
  it('is each batch at once while somebody listens', () => {
    bid()
    bid(2)
    expect(told).toEqual([
      ['newBid', 1],
      ['newBids', 3],
    ])
  })

  it('comes together and a moment later where nobody has listened', () => {
    bid()
    feed.unheard(5)
    bid()
    bid(2)
    expect(told).toEqual([['newBid', 1]])
    wait()
    expect(told.slice(1)).toEqual([['newBids', 4]])
    wait()
    expect(told).toHaveLength(2)
  })

  it('comes at once again when somebody has heard it', () => {
    feed.unheard(5)
    bid()
    wait()
    bid()
    expect(told).toEqual([
      ['newBid', 1],
      ['newBid', 2],
    ])
  })

  it('waits again when nobody has', () => {
    feed.unheard(5)
    for (let round = 1; round <= 3; round++) {
      bid()
      expect(told).toHaveLength(round - 1)
      wait()
      expect(told).toHaveLength(round)
      feed.unheard(5)
    }
  })

  it('is the state alone after many bids', () => {
    feed.unheard(5)
    for (let count = 0; count < 5; count++) bid()
    wait()
    expect(told).toEqual([['auctionState', 5]])
    feed.unheard(5)
    bid(4)
    wait()
    expect(told.slice(1)).toEqual([['newBids', 9]])
  })

  it('is the end at once, behind whatever was not told', () => {
    feed.unheard(5)
    bid()
    end()
    expect(told).toEqual([
      ['newBid', 1],
      ['auctionEnded', 1],
    ])
    wait()
    expect(told).toHaveLength(2)
  })

  it('is the last state before the end of an auction with many bids', () => {
    feed.unheard(5)
    bid(5)
    end()
    expect(told).toEqual([
      ['auctionState', 5],
      ['auctionEnded', 5],
    ])
  })

  it('is told before somebody else owns the auction, and of that nothing is known any more', () => {
    feed.unheard(5)
    bid()
    feed.flush()
    expect(told).toEqual([['newBid', 1]])
    feed.unheard(5)
    feed.forget([5])
    bid()
    expect(told).toHaveLength(2)
  })
})
