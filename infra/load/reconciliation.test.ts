import { describe, expect, it } from 'vitest'
import { reconcile } from './reconciliation.ts'

const acknowledged = [
  { auctionId: 7, seq: 1, bidId: 'a' },
  { auctionId: 7, seq: 2, bidId: 'b' },
  { auctionId: 8, seq: 1, bidId: 'c' },
]
const first = { seq: 1, bidId: 'a' }
const second = { seq: 2, bidId: 'b' }
const eight = { auctionId: 8, bidCount: 1, bids: [{ seq: 1, bidId: 'c' }] }

describe('reconciliation', () => {
  it('finds nothing where everything that was acknowledged is stored', () => {
    expect(reconcile(acknowledged, [{ auctionId: 7, bidCount: 2, bids: [second, first] }, eight], 0)).toEqual([])
  })

  it('finds an acknowledged bid that is not stored', () => {
    const found = reconcile(acknowledged, [{ auctionId: 7, bidCount: 1, bids: [first] }, eight], 0)
    expect(found).toEqual(['auction 7: acknowledged bid 2 is not stored'])
  })

  it('finds another bid under the number of an acknowledged one', () => {
    const bids = [first, { seq: 2, bidId: 'x' }]
    expect(reconcile(acknowledged, [{ auctionId: 7, bidCount: 2, bids }, eight], 0)).toEqual([
      'auction 7: acknowledged bid 2 is not stored',
    ])
  })

  it('finds two acknowledgements of one number', () => {
    const twice = [...acknowledged, { auctionId: 7, seq: 2, bidId: 'd' }]
    expect(reconcile(twice, [{ auctionId: 7, bidCount: 2, bids: [first, second] }, eight], 0)).toEqual([
      'auction 7: acknowledged bid 2 is not stored',
    ])
  })

  it('finds stored bids that nobody was told of, unless so many were left without an answer', () => {
    const bids = [first, second, { seq: 3, bidId: 'd' }]
    const stored = [{ auctionId: 7, bidCount: 3, bids }, eight]
    expect(reconcile(acknowledged, stored, 0)).toEqual(['1 stored bids were never acknowledged'])
    expect(reconcile(acknowledged, stored, 1)).toEqual([])
  })

  it('finds a count that is not that of the bids', () => {
    const stored = [{ auctionId: 7, bidCount: 3, bids: [first, second] }, eight]
    expect(reconcile(acknowledged, stored, 1)).toEqual(['auction 7: has 2 bids and says 3'])
  })

  it('finds acknowledgements for an auction that nobody bid on', () => {
    expect(reconcile(acknowledged, [{ auctionId: 7, bidCount: 2, bids: [first, second] }], 0)).toEqual([
      '1 acknowledged bids are on auctions that were not asked for',
    ])
  })
})
