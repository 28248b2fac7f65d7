import type { ListingType } from '@wangian/contracts/catalogue.ts'

/** What everybody may see of one category, listing type and brand, by its prices. */
export interface FacetGroup {
  readonly categoryId: number
  readonly listingType: ListingType
  /** The brand as it is compared. */
  readonly brandKey: string
  /** One of the ways in which sellers write it. */
  readonly brand: string
  /** Of a search: whether it finds these by their names and brands, and not by their descriptions alone. */
  readonly isTitled: boolean
  /** Ascending, each once; sen. */
  readonly pricesSen: readonly number[]
  /** How many cost as much as the price in the same place, or less. */
  readonly cumulativeCounts: readonly number[]
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

/** @param counted the prices in any order, each once, with `counts`: how many cost as much as the price in the same place */
export function facetGroup(
  counted: Omit<FacetGroup, 'cumulativeCounts'> & { readonly counts: readonly number[] },
): FacetGroup {
  const { counts, pricesSen, ...group } = counted
  const byPrice = pricesSen
    .map((priceSen, place) => ({ priceSen, count: counts[place] ?? 0 }))
    .sort((one, other) => one.priceSen - other.priceSen)
  let sum = 0
  return {
    ...group,
    pricesSen: byPrice.map(({ priceSen }) => priceSen),
    cumulativeCounts: byPrice.map(({ count }) => (sum += count)),
  }
}

/** How many products match. Costs two binary searches a group, however many products there are. */
export function countMatching(groups: readonly FacetGroup[], filter: FacetFilter): number {
  return groups.reduce((sum, group) => sum + (matches(group, filter) ? countInRange(group, filter) : 0), 0)
}

/** What a list may be narrowed by. A facet does not narrow itself: other brands and prices can still be chosen. */
export function summarise(groups: readonly FacetGroup[], filter: FacetFilter, brandsMax: number): Facets {
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
  const price = matching.length === 0 ? null : { minSen: lowest(matching), maxSen: highest(matching) }
  return { brands, price, total: countMatching(matching, filter) }
}

const lowest = (groups: readonly FacetGroup[]) => Math.min(...groups.map(({ pricesSen }) => pricesSen[0] ?? Infinity))
const highest = (groups: readonly FacetGroup[]) => Math.max(...groups.map(({ pricesSen }) => pricesSen.at(-1) ?? 0))

/** Whether a group is of what is asked for, whatever its prices. */
function matches(group: FacetGroup, { categoryId, listingTypes = [], brandKeys = [] }: FacetFilter): boolean {
  if (categoryId !== undefined && group.categoryId !== categoryId) return false
  if (listingTypes.length > 0 && !listingTypes.includes(group.listingType)) return false
  return brandKeys.length === 0 || brandKeys.includes(group.brandKey)
}

function countInRange(
  { pricesSen, cumulativeCounts }: FacetGroup,
  { minPriceSen = 0, maxPriceSen = Infinity }: FacetFilter,
): number {
  const upTo = (priceSen: number) => cumulativeCounts[placeAbove(pricesSen, priceSen) - 1] ?? 0
  // The prices are whole sen.
  return Math.max(0, upTo(maxPriceSen) - upTo(minPriceSen - 1))
}

/** Of an ascending list, the place of the first that is above a value. */
function placeAbove(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low
}
