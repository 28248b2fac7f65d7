import { describe, expect, it } from 'vitest'
import { parseConsole, sumOf } from './k6-run.ts'
import { shareOf } from './preparation.ts'

describe('the console of a script', () => {
  it('has facts by what they are, and remarks', () => {
    const acks = [1, 2].map((seq) => ({ auctionId: 7, seq, bidId: 'abc' }))
    const output = `ack ${JSON.stringify(acks[0])}\nbusy: Please try again.\n\nack ${JSON.stringify(acks[1])}\ntally {"page_time":{"3":1}}\n`
    const { facts, remarks } = parseConsole(output)
    expect(facts.get('ack')).toEqual(acks)
    expect(facts.get('tally')).toEqual([{ page_time: { 3: 1 } }])
    expect(remarks).toEqual(['busy: Please try again.'])
  })
})

describe('several processes', () => {
  it('have counts that add up', () => {
    expect(sumOf([{ bids_sent: 3, bids_accepted: 1 }, { bids_sent: 4 }])).toEqual({ bids_sent: 7, bids_accepted: 1 })
  })

  it.each([
    [200, 2],
    [7, 3],
    [1, 4],
    [0, 2],
  ])('share %i people among %i evenly', (total, processes) => {
    const shares = Array.from({ length: processes }, (_, index) => shareOf(total, processes, index))
    expect(shares.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    expect(Math.max(...shares.map(({ count }) => count)) - Math.min(...shares.map(({ count }) => count))).toBeLessThan(
      2,
    )
    for (const [index, { first }] of shares.entries()) {
      expect(first).toBe(shares.slice(0, index).reduce((sum, { count }) => sum + count, 0))
    }
  })
})
