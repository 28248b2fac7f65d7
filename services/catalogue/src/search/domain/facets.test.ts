import { describe, expect, it } from 'vitest'
import { type CountedGroup, countMatching, summarise } from './facets.ts'

interface Product {
  readonly categoryId: number
  readonly listingType: 'fixed' | 'negotiable' | 'auction'
  readonly brandKey: string
  readonly priceSen: number
}

const types = ['fixed', 'negotiable', 'auction'] as const
const brands = ['ajmal', 'byredo', 'creed']
/** Every product of a small world, so that counting them one by one is the proof. */
const products: readonly Product[] = Array.from({ length: 240 }, (_, index) => ({
  categoryId: (index % 4) + 1,
  listingType: types[index % 3] as Product['listingType'],
  brandKey: brands[((index * 7) % 5) % 3] as string,
  priceSen: 1000 + ((index * 37) % 11) * 500,
}))

const groups = grouped(products)

function grouped(all: readonly Product[]): readonly CountedGroup[] {
  const byGroup = Map.groupBy(all, ({ categoryId, listingType, brandKey }) => `${categoryId}${listingType}${brandKey}`)
  return [...byGroup.values()].map((members) => {
    const [{ categoryId, listingType, brandKey }] = members as [Product]
    const pricesSen = [...new Set(members.map(({ priceSen }) => priceSen))].sort((one, other) => one - other)
    const countsUpTo = pricesSen.map((price) => members.filter(({ priceSen }) => priceSen <= price).length)
    return { categoryId, listingType, brandKey, brand: brandKey.toUpperCase(), pricesSen, countsUpTo }
  })
}

describe('counting', () => {
  const filters = [undefined, 2, 9].flatMap((categoryId) =>
    [[], ['auction'], ['fixed', 'negotiable']].flatMap((listingTypes) =>
      [[], ['creed'], ['ajmal', 'byredo'], ['nobody']].flatMap((brandKeys) =>
        [
          [undefined, undefined],
          [1000, 1000],
          [1001, 1499],
          [undefined, 2500],
          [2500, undefined],
          [2499, 4001],
          [5000, 2000],
          [900_000, undefined],
        ].map(([minPriceSen, maxPriceSen]) => ({
          categoryId,
          listingTypes: listingTypes as Product['listingType'][],
          brandKeys,
          minPriceSen,
          maxPriceSen,
        })),
      ),
    ),
  )
  const isIn = (filter: (typeof filters)[number], narrowed: { brand: boolean; price: boolean }) => (product: Product) =>
    (filter.categoryId ?? product.categoryId) === product.categoryId &&
    (filter.listingTypes.length === 0 || filter.listingTypes.includes(product.listingType)) &&
    (!narrowed.brand || filter.brandKeys.length === 0 || filter.brandKeys.includes(product.brandKey)) &&
    (!narrowed.price ||
      (product.priceSen >= (filter.minPriceSen ?? 0) && product.priceSen <= (filter.maxPriceSen ?? Infinity)))

  it.each(filters)('says what counting one by one says, for %j', (filter) => {
    const both = products.filter(isIn(filter, { brand: true, price: true }))
    expect(countMatching(groups, filter)).toBe(both.length)

    const ofAnyBrand = products.filter(isIn(filter, { brand: false, price: true }))
    const expected = brands
      .map((brand) => ({
        brand: brand.toUpperCase(),
        count: ofAnyBrand.filter(({ brandKey }) => brandKey === brand).length,
      }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || (one.brand < other.brand ? -1 : 1))
    const prices = products.filter(isIn(filter, { brand: true, price: false })).map(({ priceSen }) => priceSen)
    const price = prices.length === 0 ? null : { minSen: Math.min(...prices), maxSen: Math.max(...prices) }
    expect(summarise(groups, filter, 10)).toEqual({ brands: expected, price, total: both.length })
  })
})

it('names so many brands as are asked for, those with the most products', () => {
  expect(summarise(groups, {}, 1).brands).toEqual(summarise(groups, {}, 10).brands.slice(0, 1))
})
