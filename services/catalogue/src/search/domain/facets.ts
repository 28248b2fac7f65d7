import type { ListingType } from '@wangian/contracts/catalogue.ts'
import { countBefore } from './halving.ts'

/** How many products of one category, listing type and brand everybody may see, by their prices. */
export interface CountedGroup {
  readonly categoryId: number
  readonly listingType: ListingType
  /** The brand as it is compared. */
  readonly brandKey: string
  /** One of the ways in which sellers write it. */
  readonly brand: string
  /** Ascending, each once; sen. */
  readonly pricesSen: readonly number[]
  /** How many cost as much as the price in the same place, or less. */
  readonly countsUpTo: readonly number[]
}

/** Narrows facets; what is missing or empty is any. */
export interface FacetFilter {
  readonly categoryId?: number | undefined
  readonly listingTypes?: readonly ListingType[] | undefined
  readonly brandKeys?: readonly string[] | undefined
  readonly minPriceSen?: number | undefined
  readonly maxPriceSen?: number | undefined
}

export interface Facets {
  /** The most frequent first. They are those of all that matches whichever brands are chosen. */
  readonly brands: readonly { readonly brand: string; readonly count: number }[]
  /** Of all that matches whatever range is chosen; `null` when nothing does. */
  readonly price: { readonly minSen: number; readonly maxSen: number } | null
  readonly total: number
}

/** How many products match: two looks at each group, however many products there are. */
export function countMatching(groups: readonly CountedGroup[], filter: FacetFilter): number {
  return groups.reduce((sum, group) => sum + (matches(group, filter) ? countInRange(group, filter) : 0), 0)
}

/** What a list may be narrowed by. A facet does not narrow itself: other brands and prices can still be chosen. */
export function summarise(groups: readonly CountedGroup[], filter: FacetFilter, brandsMax: number): Facets {
  const counts = new Map<string, { readonly brand: string; count: number }>()
  for (const group of groups) {
    if (!matches(group, { ...filter, brandKeys: [] })) continue
    const count = countInRange(group, filter)
    const known = counts.get(group.brandKey)
    if (known !== undefined) known.count += count
    else if (count > 0) counts.set(group.brandKey, { brand: group.brand, count })
  }
  const brands = [...counts]
    .sort(([key, { count }], [otherKey, other]) => other.count - count || (key < otherKey ? -1 : 1))
    .slice(0, brandsMax)
    .map(([, brand]) => brand)
  const matching = groups.filter((group) => matches(group, filter))
  return { brands, price: priceRange(matching), total: countMatching(matching, filter) }
}

function priceRange(groups: readonly CountedGroup[]): Facets['price'] {
  if (groups.length === 0) return null
  return {
    minSen: Math.min(...groups.map(({ pricesSen }) => pricesSen[0] ?? Infinity)),
    maxSen: Math.max(...groups.map(({ pricesSen }) => pricesSen.at(-1) ?? 0)),
  }
}

/** Whether a group is of what is asked for, whatever its prices. */
function matches(group: CountedGroup, { categoryId, listingTypes = [], brandKeys = [] }: FacetFilter): boolean {
  if (categoryId !== undefined && group.categoryId !== categoryId) return false
  if (listingTypes.length > 0 && !listingTypes.includes(group.listingType)) return false
  return brandKeys.length === 0 || brandKeys.includes(group.brandKey)
}

function countInRange(
  { pricesSen, countsUpTo }: CountedGroup,
  { minPriceSen = 0, maxPriceSen = Infinity }: FacetFilter,
): number {
  const countBelow = (priceSen: number) =>
    countsUpTo[countBefore(pricesSen.length, (place) => (pricesSen[place] ?? Infinity) < priceSen) - 1] ?? 0
  // Prices are whole.
  return Math.max(0, countBelow(maxPriceSen + 1) - countBelow(minPriceSen))
}
