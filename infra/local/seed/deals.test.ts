import { ReviewForm } from '@wangian/contracts/messaging.ts'
import { describe, expect, it } from 'vitest'
import { deals } from './deals.ts'
import { perfumes } from './perfumes.ts'

const perfumeOf = ({ seller, perfume }: { seller: string; perfume: string }) =>
  perfumes.find((each) => each.seller === seller && each.name === perfume)

describe('the demo deals', () => {
  it('are about perfumes that their sellers list and do not auction, one of each for a buyer', () => {
    for (const deal of deals) expect(perfumeOf(deal)?.auction, JSON.stringify(deal)).toBeUndefined()
    for (const deal of deals) expect(perfumeOf(deal), JSON.stringify(deal)).toBeDefined()
    const keys = deals.map(({ seller, buyer, perfume }) => `${seller} ${buyer} ${perfume}`)
    expect(new Set(keys).size).toBe(deals.length)
  })

  it('give every seller three to six reviews, and sell some perfumes out', () => {
    const reviewed = deals.filter(({ stage }) => stage === 'completed')
    for (const { review } of reviewed) expect(ReviewForm.safeParse(review).error).toBeUndefined()
    const counts = Map.groupBy(reviewed, ({ seller }) => seller)
    expect(counts.size).toBe(8)
    for (const list of counts.values()) {
      expect(list.length).toBeGreaterThanOrEqual(3)
      expect(list.length).toBeLessThanOrEqual(6)
    }
    const paid = deals.filter(({ stage }) => ['delivery', 'review', 'completed'].includes(stage))
    const sold = Map.groupBy(paid, (deal) => perfumeOf(deal))
    const soldOut = [...sold].filter(([perfume, list]) => perfume?.stock === list.length)
    expect(soldOut.length).toBeGreaterThanOrEqual(5)
  })

  it('keep a bottle back where one is only kept, so that the listing is still found', () => {
    const held = deals.filter(({ stage }) => !['purchase', 'cancelled'].includes(stage))
    for (const [perfume, list] of Map.groupBy(held, (deal) => perfumeOf(deal))) {
      const isHeld = list.some(({ stage }) => stage === 'payment')
      expect(perfume?.stock).toBeGreaterThanOrEqual(list.length + (isHeld ? 1 : 0))
    }
  })

  it.each(['sarah', 'hafiz', 'bala', 'mei'])('let something wait for %s', (who) => {
    const waiting = deals.filter(({ stage, seller, buyer }) =>
      stage === 'payment' ? seller === who : ['purchase', 'delivery', 'review'].includes(stage) && buyer === who,
    )
    expect(waiting.length).toBeGreaterThan(0)
  })
})
