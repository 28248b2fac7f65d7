import { ListingType, ProductSort } from '@wangian/contracts/catalogue.ts'
import { describe, expect, it } from 'vitest'
import { type IndexedListing, type ListingFilter, ListingIndex, type Search } from './listing-index.ts'
import type { Place } from './place.ts'

const types = ListingType.options
/** A small market in which everything is something else in another way. */
const listings: readonly IndexedListing[] = Array.from({ length: 300 }, (_, place) => {
  const brand = ['Ajmal', 'AJMAL', 'Byredo', 'Creed'][(place * 7) % 4] ?? ''
  return {
    id: place + 1,
    categoryId: (place % 4) + 1,
    listingType: types[place % 3] ?? 'fixed',
    priceSen: 1000 + ((place * 37) % 11) * 500,
    salesCount: (place * 13) % 7,
    auctionEndMs: place % 3 === 2 ? 1_800_000_000_000 + ((place * 29) % 50) : Number.MAX_SAFE_INTEGER,
    remainingPercentage: 50 + (place % 6) * 10,
    isFeatured: place % 5 === 0,
    brand,
    brandKey: brand.toLowerCase(),
    nameKey: place % 9 === 0 ? 'oud' : `oudrose${place}`,
    fullNameKey: `${brand.toLowerCase()}oudrose${place}`,
    titleWords: place % 2 === 0 ? ['oud', brand.toLowerCase()] : [brand.toLowerCase()],
    otherWords: place % 2 === 0 ? ['rose'] : ['oud', 'rose'],
    wordsVersion: 1,
  }
})

const oud: Search = { leading: [[{ word: 'oud', isBeginning: true }]], other: null, nameKeys: ['oud'] }

function filled(): ListingIndex {
  const index = new ListingIndex()
  for (const listing of listings) index.save(listing)
  return index
}

const narrow = (filter: ListingFilter) => (listing: IndexedListing) =>
  (filter.categoryId === undefined || listing.categoryId === filter.categoryId) &&
  (filter.listingTypes === undefined || filter.listingTypes.includes(listing.listingType)) &&
  (filter.brandKeys === undefined || filter.brandKeys.includes(listing.brandKey)) &&
  listing.priceSen >= (filter.minPriceSen ?? 0) &&
  listing.priceSen <= (filter.maxPriceSen ?? Infinity) &&
  listing.remainingPercentage >= (filter.minRemaining ?? 0)

const rankOf = ({ nameKey, titleWords, isFeatured }: IndexedListing) => {
  const tier = nameKey === 'oud' ? 0 : titleWords.includes('oud') ? 1 : 2
  return 2 * tier + (isFeatured ? 0 : 1)
}
const byId = (one: IndexedListing, other: IndexedListing) => other.id - one.id
const orders: Readonly<Record<ProductSort | 'relevance', (one: IndexedListing, other: IndexedListing) => number>> = {
  relevance: (one, other) => rankOf(one) - rankOf(other) || byId(one, other),
  newest: byId,
  featured: (one, other) => Number(other.isFeatured) - Number(one.isFeatured) || byId(one, other),
  'price-asc': (one, other) => one.priceSen - other.priceSen || byId(other, one),
  'price-desc': (one, other) => other.priceSen - one.priceSen || byId(one, other),
  'best-selling': (one, other) => other.salesCount - one.salesCount || byId(one, other),
  'ending-soonest': (one, other) => one.auctionEndMs - other.auctionEndMs || byId(other, one),
}

/** The ids on all pages of so many. */
function idsOf(index: ListingIndex, filter: ListingFilter, sort: ProductSort | undefined, limit: number): number[] {
  const ids: number[] = []
  for (let after: Place | null = null; ; ) {
    const { places, total } = index.page(oud, filter, { sort, after, limit })
    if (places.length === 0) {
      expect(total).toBe(ids.length)
      return ids
    }
    ids.push(...places.map(({ id }) => id))
    after = places.at(-1) ?? null
  }
}

const filters: readonly ListingFilter[] = [
  {},
  { categoryId: 2 },
  { listingTypes: ['auction', 'fixed'] },
  { brandKeys: ['creed', 'nobody'] },
  { brandKeys: ['nobody'] },
  { minPriceSen: 2000, maxPriceSen: 4000 },
  { minRemaining: 80, maxPriceSen: 5500, categoryId: 1 },
]

describe('what a search finds', () => {
  it.each([undefined, ...ProductSort.options])(
    'is in order of %s what sorting all of it says, page by page',
    (sort) => {
      const index = filled()
      for (const filter of filters) {
        const expected = listings.filter(narrow(filter)).sort(orders[sort ?? 'relevance'])
        for (const limit of [7, 500]) {
          expect(idsOf(index, filter, sort, limit)).toEqual(expected.map(({ id }) => id))
        }
      }
    },
  )

  it('is first what was typed, then what else it may mean', () => {
    const index = filled()
    const other = [[{ word: 'rose', isBeginning: false }]]
    const leading = [[{ word: 'creed', isBeginning: false }]]
    const { places, total } = index.page(
      { leading, other, nameKeys: [] },
      {},
      { sort: undefined, after: null, limit: 300 },
    )
    expect(total).toBe(300)
    const creeds = listings.filter(({ brand }) => brand === 'Creed').length
    expect(places.map(({ key }) => Math.floor(key / 2))).toEqual([
      ...Array.from({ length: creeds }, () => 1),
      ...Array.from({ length: 300 - creeds }, () => 3),
    ])
  })

  it.each(filters)('may be narrowed by brands and prices, which do not narrow themselves: %j', (filter) => {
    const { brandKeys: _, ...ofAnyBrand } = filter
    const { minPriceSen: __, maxPriceSen: ___, ...ofAnyPrice } = filter
    const counts = Map.groupBy(listings.filter(narrow(ofAnyBrand)), ({ brandKey }) => brandKey)
    const prices = listings.filter(narrow(ofAnyPrice)).map(({ priceSen }) => priceSen)
    expect(filled().facets(oud, filter, 10)).toEqual({
      brands: [...counts]
        .sort(([key, of], [otherKey, ofOther]) => ofOther.length - of.length || (key < otherKey ? -1 : 1))
        .map(([, of]) => ({ brand: of.map(({ brand }) => brand).sort()[0], count: of.length })),
      price: prices.length === 0 ? null : { minSen: Math.min(...prices), maxSen: Math.max(...prices) },
      total: listings.filter(narrow(filter)).length,
      isFound: true,
    })
  })
})

describe('a listing that changes', () => {
  const first = listings[0] as IndexedListing
  const query = (word: string): Search => ({ leading: [[{ word, isBeginning: false }]], other: null, nameKeys: [] })
  const found = (index: ListingIndex, word: string, filter: ListingFilter = {}) =>
    index.page(query(word), filter, { sort: undefined, after: null, limit: 10 }).places.map(({ id }) => id)

  it('is found by its new words and facts, and not by the old ones', () => {
    const index = new ListingIndex()
    index.save(first)
    index.save({ ...first, priceSen: 99_000 })
    expect(found(index, 'oud', { minPriceSen: 99_000 })).toEqual([1])
    index.save({ ...first, titleWords: ['iris'], wordsVersion: 2 })
    expect([found(index, 'oud'), found(index, 'iris')]).toEqual([[], [1]])
    expect(index.hasAny(query('oud').leading)).toBe(false)
    index.drop(1)
    index.drop(1)
    expect(found(index, 'iris')).toEqual([])
    index.save(first)
    expect(found(index, 'oud')).toEqual([1])
  })

  it('wears the index out by new words only', () => {
    const index = new ListingIndex()
    for (let change = 0; change < 3000; change += 1) index.save({ ...first, priceSen: change })
    expect(index.isWorn).toBe(false)
    for (let change = 0; change < 3000; change += 1) index.save({ ...first, wordsVersion: 2 + change })
    expect(index.isWorn).toBe(true)
  })

  it('wears the index out by its words, not by the changes', () => {
    const index = new ListingIndex()
    for (let id = 1; id <= 3000; id += 1) index.save({ ...first, id })
    const isWorn = Array.from({ length: 30 }, (_, change) => {
      const otherWords = Array.from({ length: 800 }, (_, place) => `${change}w${place}`)
      index.save({ ...first, otherWords, wordsVersion: 2 + change })
      return index.isWorn
    })
    expect([isWorn[9], isWorn[29]]).toEqual([false, true])
  })
})
