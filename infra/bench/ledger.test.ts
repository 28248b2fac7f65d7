import { describe, expect, it } from 'vitest'
import { Ledger } from '../load/ledger.ts'
import { compareWithLedger } from './contender-database.ts'

const acknowledged = (...seqs: number[]) => {
  const ledger = new Ledger()
  for (const seq of seqs) ledger.accept(7, seq)
  return ledger
}
const stored = (...seqs: number[]) => [
  {
    auctionId: 7,
    count: seqs.length,
    highestSeq: Math.max(0, ...seqs),
    seqSum: seqs.reduce((sum, seq) => sum + seq, 0),
  },
]

describe('acknowledged bids compared with stored ones', () => {
  it('agree when each is there', () => {
    expect(compareWithLedger(acknowledged(2, 1, 3), stored(1, 2, 3), 0)).toEqual([])
    expect(compareWithLedger(acknowledged(8, 9), stored(8, 9), 0, new Map([[7, 7]]))).toEqual([])
  })

  it('show one that is missing', () => {
    expect(compareWithLedger(acknowledged(1, 2, 3), stored(1, 2), 0).join()).toContain('3 bids were acknowledged')
    expect(compareWithLedger(acknowledged(1), [], 0).join()).toContain('1 bids were acknowledged')
  })

  it('show one that was acknowledged as another', () => {
    expect(compareWithLedger(acknowledged(1, 2, 2), stored(1, 2, 3), 0).join()).toContain('other bids')
  })

  it('show a gap', () => {
    expect(compareWithLedger(acknowledged(1, 3), stored(1, 3), 0).join()).toContain('gaps')
  })

  it('show one that nobody was told about, unless somebody was told that nobody knows', () => {
    expect(compareWithLedger(acknowledged(1), stored(1, 2), 0).join()).toContain('1 bids are stored')
    expect(compareWithLedger(acknowledged(1), stored(1, 2), 1)).toEqual([])
  })
})
