import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { ServerFrame } from '@wangian/contracts/frames.ts'
import { describe, expect, it } from 'vitest'
import type { Book } from '../books/book.ts'
import { type Auction, type AuctionCommand, isoFromMs, type KnownAuction } from '../domain.ts'
import { decided, endAuction, endsAtMs, nowMs, opened, placeBid, seller, startsAtMs } from '../testing/fixtures.ts'
import { batchOf } from '../testing/writer-rig.ts'
import { liveMessages, liveView, stateMessage } from './frames.ts'

/** What these commands come to as one batch, after the auction was opened and these bids were placed. */
function batchAfter(before: number, ...commands: AuctionCommand[]) {
  const books = new Map<number, Book>()
  batchOf(books, [opened()])
  for (let count = 0; count < before; count += 1) batchOf(books, decided(placeBid(20_500 + count * 500), headOf(books)))
  const events = commands.flatMap((command) => batchOf(books, decided(command, headOf(books))).events)
  return { events, state: books.get(5)?.head as KnownAuction }
}

const headOf = (books: Map<number, Book>): Auction => books.get(5)?.head ?? { status: 'none' }
const by = { actorId: seller, nowMs } as const

/** What sockets get of a batch, checked against the contract, with what may stand in for it. */
function framesOf({ events, state }: ReturnType<typeof batchAfter>, atMs = nowMs) {
  return liveMessages(events, state, atMs).map((message) => {
    const { frame, stateFrame } = decodeLive(5, message)
    return {
      frame: ServerFrame.parse(JSON.parse(frame)),
      stateFrame: stateFrame === null ? null : ServerFrame.parse(JSON.parse(stateFrame)),
    }
  })
}

const serverTime = isoFromMs(nowMs)
const auction = {
  status: 'active',
  currentBid: 205,
  currentBidderId: 21,
  bidCount: 1,
  minimumBid: 210,
  endsAt: isoFromMs(endsAtMs),
}

describe('the frames of a batch', () => {
  it('tell of a bid with what it makes of the auction', () => {
    expect(framesOf(batchAfter(0, placeBid(20_500)))).toEqual([
      {
        frame: {
          type: 'newBid',
          auctionId: 5,
          bid: { id: 1, bidderId: 21, bidderName: 'amira', amount: 205, placedAt: serverTime },
          auction,
          seq: 1,
          serverTime,
        },
        stateFrame: { type: 'auctionState', auctionId: 5, auction, seq: 1, serverTime },
      },
    ])
  })

  it('tell of several bids in one', () => {
    const [only, ...others] = framesOf(batchAfter(2, placeBid(30_000), placeBid(31_000), placeBid(31_500)))
    expect(others).toEqual([])
    expect(only?.frame).toMatchObject({
      type: 'newBids',
      bids: [
        { id: 3, seq: 3, amount: 300 },
        { id: 4, seq: 4, amount: 310 },
        { id: 5, seq: 5, amount: 315 },
      ],
      auction: { currentBid: 315, bidCount: 5 },
      seq: 5,
    })
    expect(only?.stateFrame).toMatchObject({ type: 'auctionState', seq: 5 })
  })

  it('tell of more than sixteen bids by the state alone', () => {
    const bids = (count: number) => Array.from({ length: count }, (_, index) => placeBid(20_500 + index * 500))
    expect(framesOf(batchAfter(0, ...bids(16)))[0]?.frame).toMatchObject({ type: 'newBids', seq: 16 })
    const [only] = framesOf(batchAfter(0, ...bids(17)))
    expect(only?.frame).toMatchObject({ type: 'auctionState', seq: 17, auction: { bidCount: 17, currentBid: 285 } })
    expect(only?.stateFrame).toEqual(only?.frame)
  })

  it('tell of the last bid before the end, and nothing may stand in for the end', () => {
    const frames = framesOf(batchAfter(1, placeBid(21_000), endAuction(endsAtMs)), endsAtMs)
    expect(frames.map(({ frame }) => frame.type)).toEqual(['newBid', 'auctionEnded'])
    expect(frames[1]).toMatchObject({
      frame: { outcome: 'won', winnerId: 21, amount: 210, seq: 2, auction: { status: 'ended' } },
      stateFrame: null,
    })
  })

  it('tell of an end without a bid', () => {
    expect(framesOf(batchAfter(0, endAuction(endsAtMs)), endsAtMs)).toMatchObject([
      { frame: { type: 'auctionEnded', outcome: 'no-bids', winnerId: null, amount: null, seq: 0 }, stateFrame: null },
    ])
  })

  it('tell of a cancellation with any reason', () => {
    const reason = 'Broken "on the way",\nback\\slash 香水'
    expect(framesOf(batchAfter(0, { type: 'CancelAuction', reason, by: 'seller', ...by }))).toMatchObject([
      { frame: { type: 'auctionCancelled', reason, auction: { status: 'cancelled' } }, stateFrame: null },
    ])
  })

  it('tell of new terms', () => {
    const changes = { startingPriceSen: 100, endsAt: isoFromMs(endsAtMs + 1000) }
    expect(framesOf(batchAfter(0, { type: 'ReviseAuction', changes, ...by }))).toMatchObject([
      {
        frame: { type: 'auctionState', seq: 0, auction: { minimumBid: 6, endsAt: isoFromMs(endsAtMs + 1000) } },
        stateFrame: null,
      },
    ])
  })

  it('say nothing of an auction that is opened: nobody watches it yet', () => {
    const books = new Map<number, Book>()
    const { events } = batchOf(books, [opened()])
    expect(liveMessages(events, books.get(5)?.head as KnownAuction, nowMs)).toEqual([])
  })

  it('carry any name, and amounts to the sen', () => {
    const batch = batchAfter(0, placeBid(20_529))
    const events = batch.events.map((event) => ({ ...event, bidderName: 'a"b\\c\n🌸' }))
    expect(framesOf({ ...batch, events })[0]?.frame).toMatchObject({
      bid: { bidderName: 'a"b\\c\n🌸', amount: 205.29 },
    })
  })

  it('still fit when nobody can bid any more', () => {
    expect(framesOf(batchAfter(0, placeBid(999_999_999)))[0]?.frame).toMatchObject({
      auction: { currentBid: 9_999_999.99, minimumBid: 10_000_004.99 },
    })
  })
})

describe('what a new owner says of an auction', () => {
  const shown = (state: KnownAuction) => decodeLive(5, stateMessage(state, nowMs))

  it('is its state while it is open', () => {
    const { frame } = shown(batchAfter(0, placeBid(20_500)).state)
    expect(ServerFrame.parse(JSON.parse(frame))).toEqual({
      type: 'auctionState',
      auctionId: 5,
      auction,
      seq: 1,
      serverTime,
    })
  })

  it('is its end, with the winner, when it has ended', () => {
    const { frame, stateFrame } = shown(batchAfter(1, endAuction(endsAtMs)).state)
    expect(ServerFrame.parse(JSON.parse(frame))).toMatchObject({
      type: 'auctionEnded',
      winnerId: 21,
      amount: 205,
      seq: 1,
    })
    expect(stateFrame).toBeNull()
  })
})

describe('the part of an auction that frames carry', () => {
  it('follows the clock', () => {
    const { state } = batchAfter(0)
    expect(liveView(state, startsAtMs - 1).status).toBe('scheduled')
    expect(liveView(state, nowMs)).toMatchObject({ status: 'active', currentBid: null, minimumBid: 205 })
    expect(liveView(state, endsAtMs).status).toBe('ended')
  })
})
