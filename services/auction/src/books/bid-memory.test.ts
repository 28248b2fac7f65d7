import { beforeEach, describe, expect, it } from 'vitest'
import { BidMemory } from './bid-memory.ts'
import { accepted, type BidCommand, bidCommand } from './command.ts'

const GENERATION_MAX = 50_000

let memory: BidMemory
beforeEach(() => {
  memory = new BidMemory()
})

/** As one whose verdict is to come. */
function remember(command: BidCommand): void {
  memory.remember(command, command)
}

function bid(bidId: string | null, { auctionId = 5, bidderId = 21 } = {}): BidCommand {
  return bidCommand([auctionId, bidderId, 20_500, bidId, 'amira'], 0, { settle: () => {} }, 0)
}

describe('the memory of bids', () => {
  it('finds a bid by its auction, its bidder and his id of it', () => {
    const first = bid('a')
    remember(first)
    expect(memory.find(bid('a'))).toBe(first)
    expect(memory.find(bid('b'))).toBeUndefined()
    expect(memory.find(bid('a', { auctionId: 6 }))).toBeUndefined()
    expect(memory.find(bid('a', { bidderId: 22 }))).toBeUndefined()
  })

  it('keeps no bid without an id', () => {
    remember(bid(null))
    expect(memory.find(bid(null))).toBeUndefined()
  })

  it('forgets the very bid, and not another one with its id', () => {
    const first = bid('a')
    remember(first)
    memory.forget(bid('a'))
    expect(memory.find(bid('a'))).toBe(first)
    memory.forget(first)
    expect(memory.find(bid('a'))).toBeUndefined()
  })

  it('remembers the last of two', () => {
    const second = bid('a')
    remember(bid('a'))
    remember(second)
    expect(memory.find(bid('a'))).toBe(second)
  })

  it('holds of a settled bid only what whoever repeats it is told', () => {
    const first = bid('a')
    remember(first)
    const told = accepted(7, 20_500)
    memory.remember(first, told)
    expect(memory.find(bid('a'))).toBe(told)
    memory.forget(first)
    expect(memory.find(bid('a'))).toBe(told)
  })

  it('keeps fifty thousand at least, and says when it has forgotten any', () => {
    for (let count = 0; count < 2 * GENERATION_MAX; count += 1) remember(bid(`first-${count}`))
    expect(memory.hasForgotten).toBe(false)
    expect(memory.find(bid('first-0'))).toBeDefined()
    remember(bid('one more'))
    expect(memory.hasForgotten).toBe(true)
    expect(memory.find(bid('first-0'))).toBeUndefined()
    for (const kept of [`first-${GENERATION_MAX}`, `first-${2 * GENERATION_MAX - 1}`, 'one more']) {
      expect(memory.find(bid(kept))).toBeDefined()
    }
  })

  it('forgets a bid of the older generation as well', () => {
    const old = bid('old')
    remember(old)
    for (let count = 0; count < GENERATION_MAX; count += 1) remember(bid(`next-${count}`))
    expect(memory.find(bid('old'))).toBe(old)
    memory.forget(old)
    expect(memory.find(bid('old'))).toBeUndefined()
  })
})
