import { describe, expect, it } from 'vitest'
import { type FacetGroup, facetGroup } from './facets.ts'
import { searchCosts } from './search-cost.ts'

const group = (isTitled: boolean, count: number, brandKey = 'creed'): FacetGroup =>
  facetGroup({
    categoryId: 4,
    listingType: 'fixed',
    brandKey,
    brand: brandKey,
    isTitled,
    pricesSen: [5000],
    counts: [count],
  })
const all = { everythingCount: 100_000, limit: 25 }

describe('what a search costs', () => {
  it('is least by the index of words for what few have, and by the list for what many have', () => {
    expect(searchCosts([group(true, 3)], {}, all).isRare).toBe(true)
    expect(searchCosts([group(true, 20_000)], {}, all).isRare).toBe(false)
  })

  it('depends on how many are left after the filters, for the list is walked until the page is full', () => {
    const found = [group(true, 5000), group(true, 10, 'byredo')]
    expect(searchCosts(found, { brandKeys: ['creed'] }, all).isRare).toBe(false)
    expect(searchCosts(found, { brandKeys: ['byredo'] }, all).isRare).toBe(true)
  })

  it('is told apart for names and for descriptions alone', () => {
    const onlyInNames = searchCosts([group(true, 6000)], {}, all)
    expect(onlyInNames).toMatchObject({ titledCount: 6000, isTitledRare: false, isDescribedRare: true })
    const onlyInDescriptions = searchCosts([group(false, 6000)], {}, all)
    expect(onlyInDescriptions).toMatchObject({ titledCount: 0, isTitledRare: true, isDescribedRare: false })
  })

  it('is nothing to think about when nothing is found', () => {
    const nothing = { titledCount: 0, isTitledRare: true, isDescribedRare: true, isRare: true }
    expect(searchCosts([], {}, all)).toEqual(nothing)
    expect(searchCosts([], {}, { everythingCount: 0, limit: 25 })).toEqual(nothing)
  })
})
