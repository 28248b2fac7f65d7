import { beforeEach, describe, expect, it } from 'vitest'
import { buyNowDecider, nowMs, opened, seller, termsOf } from '../testing/fixtures.ts'
import { ModelLog } from '../testing/model-log.ts'
import { refused } from '../testing/owner-rig.ts'
import type { Batch } from './batch.ts'
import { Books, type Judgement } from './books.ts'
import { accepted, type BidCommand, bidCommand, type OtherCommand, otherCommand } from './command.ts'

let books: Books
let suspended: Set<number>

beforeEach(() => {
  suspended = new Set()
  books = new Books(buyNowDecider, (userId) => (suspended.has(userId) ? 0 : null))
  const log = new ModelLog()
  log.append(opened({ buyNowSen: 90_000 }))
  const state = log.state(5)
  if (state !== null) books.add([state])
})

function bid(amountSen: number, bidderId = 21, auctionId = 5): BidCommand {
  return bidCommand([auctionId, bidderId, amountSen, null, 'amira'], 0, { settle: () => {} }, 0)
}

function other(build: OtherCommand['build'], auctionId = 5): OtherCommand {
  return otherCommand({ auctionId, actorId: seller, receivedAtMs: 0, build, settle: () => {} })
}

const open = (auctionId: number) =>
  other((atMs) => ({ type: 'OpenAuction', terms: termsOf({ auctionId }), nowMs: atMs }), auctionId)

/** The batch that a command waits for. */
function batchOf(judgement: Judgement): Batch {
  if (typeof judgement === 'string') throw new Error(`it waits for nothing and is ${judgement}`)
  return judgement
}

const versionsOf = ({ events }: Batch) => events.map(({ version, event }) => `${version} ${event.type}`)

describe('the books', () => {
  it('gather what they accept in one batch, until it is taken', () => {
    const [first, second, third] = [bid(20_500), bid(21_000, 22), bid(21_500)]
    const batch = batchOf(books.judge(first, nowMs))
    expect(books.judge(second, nowMs)).toBe(batch)
    expect(books.take()).toBe(batch)
    const next = batchOf(books.judge(third, nowMs))
    expect(next).not.toBe(batch)
    expect([versionsOf(batch), versionsOf(next)]).toEqual([['2 BidPlaced', '3 BidPlaced'], ['4 BidPlaced']])
    expect([batch.commands, next.commands]).toEqual([[first, second], [third]])
    expect([first, second, third].map(({ tentative }) => tentative)).toEqual([1, 2, 3].map((seq) => accepted(seq)))
    expect([...batch.states.values()]).toMatchObject([{ version: 3, bidCount: 2 }])
  })

  it('put all events of a command into one batch, with versions one after the other', () => {
    const buying = bid(90_000)
    const batch = batchOf(books.judge(buying, nowMs))
    expect(versionsOf(batch)).toEqual(['2 BidPlaced', '3 AuctionEnded'])
    expect(buying.tentative).toEqual(accepted(1))
    expect([...batch.states.values()]).toMatchObject([{ version: 3, status: 'ended', winnerId: 21 }])
    expect(batch.commands).toEqual([buying])
  })

  it('say which auctions are more than their bids, as the last event that is no bid leaves them', () => {
    for (const command of [open(6), bid(20_500, 21, 6), bid(20_500)]) books.judge(command, nowMs)
    const batch = books.take()
    expect(versionsOf(batch)).toEqual(['1 AuctionOpened', '2 BidPlaced', '2 BidPlaced'])
    expect([...batch.terms.values()]).toEqual([expect.objectContaining({ auctionId: 6, version: 1, bidCount: 0 })])
    books.judge(bid(90_000), nowMs)
    const end = { auctionId: 5, version: 4, bidCount: 2, status: 'ended' }
    expect([...books.take().terms.values()]).toEqual([expect.objectContaining(end)])
  })

  it('refuse for good what the log refuses, too, and let the rest wait for its batch', () => {
    const batch = batchOf(books.judge(bid(30_000), nowMs))
    const [low, own, overtaken] = [bid(20_000), bid(30_000, seller), bid(20_500, 22)]
    expect([books.judge(low, nowMs), books.judge(own, nowMs)]).toEqual(['final', 'final'])
    // The minimum is the one that certainly held.
    expect([low.tentative, own.tentative]).toEqual([refused('bid-too-low', 20_500), refused('own-listing')])
    expect(books.judge(overtaken, nowMs)).toBe(batch)
    expect(overtaken.tentative).toEqual(refused('bid-too-low', 30_500))
  })

  it('give the reason of the log when the pending events have another one', () => {
    const first = batchOf(books.judge(bid(30_000), nowMs))
    books.commit(books.take())
    const batch = batchOf(books.judge(bid(90_000), nowMs))
    const [low, late] = [bid(30_000, 22), bid(91_000, 22)]
    expect([books.judge(low, nowMs), low.tentative]).toEqual(['final', refused('bid-too-low', 30_500)])
    expect(books.judge(late, nowMs)).toBe(batch)
    expect(late.tentative).toEqual(refused('auction-ended'))
    expect(first.commands).toHaveLength(1)
  })

  it('know who is banned or gone', () => {
    const [his, sellers] = [bid(20_500), bid(20_500, 22)]
    suspended.add(21)
    books.judge(his, nowMs)
    suspended.add(seller)
    books.judge(sellers, nowMs)
    expect([his.tentative, sellers.tentative]).toEqual([refused('account-suspended'), refused('auction-paused')])
  })

  it('know no auction that is not open, but open new ones', () => {
    const nowhere = bid(20_500, 21, 6)
    expect(books.judge(nowhere, nowMs)).toBe('unknown')
    expect(nowhere.tentative).toBeNull()
    const batch = batchOf(books.judge(open(6), nowMs))
    expect(books.judge(nowhere, nowMs)).toBe(batch)
    expect(versionsOf(batch)).toEqual(['1 AuctionOpened', '2 BidPlaced'])
  })

  it('have nothing to do for what is so already, and that rests on what made it so', () => {
    const again = open(5)
    expect([books.judge(again, nowMs), again.tentative]).toEqual(['final', accepted(0)])
    const batch = batchOf(books.judge(bid(20_500), nowMs))
    expect(books.judge(open(5), nowMs)).toBe(batch)
  })

  it('go back to what is committed', () => {
    const first = batchOf(books.judge(bid(20_500), nowMs))
    books.take()
    books.judge(open(6), nowMs)
    books.judge(bid(90_000), nowMs)
    books.commit(first)
    const failed = books.take()
    expect(versionsOf(failed)).toEqual(['1 AuctionOpened', '3 BidPlaced', '4 AuctionEnded'])
    books.judge(bid(21_000, 21, 6), nowMs)
    expect(books.takeBack(failed).map(versionsOf)).toEqual([['2 BidPlaced']])
    expect([books.size, books.isIdle]).toEqual([1, true])
    expect(versionsOf(batchOf(books.judge(bid(21_000), nowMs)))).toEqual(['3 BidPlaced'])
  })

  it('forget an auction that is over once nothing of it is pending', () => {
    books.judge(bid(20_500), nowMs)
    const first = books.take()
    books.judge(bid(90_000), nowMs)
    const last = books.take()
    for (const [batch, size] of [
      [first, 1],
      [last, 0],
    ] as const) {
      books.commit(batch)
      books.close(batch)
      expect(books.size).toBe(size)
    }
  })
})
