import type { ListingType, ProductSort } from '@wangian/contracts/catalogue.ts'
import type { CountedGroup, FacetFilter } from './facets.ts'

/** What a search has to know of a listing to narrow, order and count what it finds. */
export interface FoundListing {
  readonly id: number
  /** Its place in the order of relevance: the tier of what it was found by, twice, and one more for what is not boosted. */
  readonly rank: number
  readonly priceSen: number
  readonly salesCount: number
  /** `Number.MAX_SAFE_INTEGER` for what is not in an auction. */
  readonly auctionEndMs: number
  readonly categoryId: number
  readonly listingType: ListingType
  readonly brandKey: string
  readonly brand: string
  readonly remainingPercentage: number
}

/** Where a product is in a list; `key` is its place in the order, 0 where the id alone decides. The next page begins behind the last one. */
export interface Place {
  readonly id: number
  readonly key: number
}

export interface FoundFilter extends FacetFilter {
  /** How full bottles are at least, in percent. */
  readonly minRemaining?: number | undefined
}

interface Order {
  readonly keyOf: (listing: FoundListing) => number
  /** 1 for an ascending one. */
  readonly keys: 1 | -1
  readonly ids: 1 | -1
}

/** The same orders as `ordered` of the store has. */
const orders: Readonly<Record<ProductSort | 'relevance', Order>> = {
  relevance: { keyOf: ({ rank }) => rank, keys: 1, ids: -1 },
  newest: { keyOf: () => 0, keys: 1, ids: -1 },
  featured: { keyOf: ({ rank }) => 1 - (rank % 2), keys: -1, ids: -1 },
  'price-asc': { keyOf: ({ priceSen }) => priceSen, keys: 1, ids: 1 },
  'price-desc': { keyOf: ({ priceSen }) => priceSen, keys: -1, ids: -1 },
  'best-selling': { keyOf: ({ salesCount }) => salesCount, keys: -1, ids: -1 },
  'ending-soonest': { keyOf: ({ auctionEndMs }) => auctionEndMs, keys: 1, ids: 1 },
}

/**
 * A page of what a search has found, and how many there are on all its pages.
 * @param page without a `sort` by relevance
 */
export function pageOfFound(
  listings: readonly FoundListing[],
  filter: FoundFilter,
  page: { readonly sort: ProductSort | undefined; readonly after: Place | null; readonly limit: number },
): { readonly places: readonly Place[]; readonly total: number } {
  const { keyOf, keys, ids } = orders[page.sort ?? 'relevance']
  const compare = (one: Place, other: Place) => keys * (one.key - other.key) || ids * (one.id - other.id)
  const { after } = page
  const all = listings.filter((listing) => isOf(listing, filter))
  const places = all.map((listing) => ({ id: listing.id, key: keyOf(listing) }))
  const behind = after === null ? places : places.filter((place) => compare(place, after) > 0)
  return { places: behind.sort(compare).slice(0, page.limit), total: all.length }
}

/** The counts of what a search has found and is so full, as `countProducts` of the store makes them of everything. */
export function groupsOfFound(
  listings: readonly FoundListing[],
  minRemaining: number | undefined,
): readonly CountedGroup[] {
  const full = listings.filter((listing) => isOf(listing, { minRemaining }))
  const byGroup = Map.groupBy(
    full,
    ({ categoryId, listingType, brandKey }) => `${categoryId} ${listingType} ${brandKey}`,
  )
  return [...byGroup.values()].map(groupOf)
}

function groupOf(members: readonly FoundListing[]): CountedGroup {
  const [{ categoryId, listingType, brandKey }] = members as [FoundListing]
  const [brand = ''] = members.map((member) => member.brand).sort()
  const ascending = members.map(({ priceSen }) => priceSen).sort((one, other) => one - other)
  // Of equal ones the last one counts.
  const countsUpTo = new Map(ascending.map((price, place) => [price, place + 1]))
  return {
    categoryId,
    listingType,
    brandKey,
    brand,
    pricesSen: [...countsUpTo.keys()],
    countsUpTo: [...countsUpTo.values()],
  }
}

function isOf(listing: FoundListing, filter: FoundFilter): boolean {
  const { categoryId, listingTypes = [], brandKeys = [], minPriceSen, maxPriceSen, minRemaining } = filter
  return (
    (categoryId === undefined || listing.categoryId === categoryId) &&
    (listingTypes.length === 0 || listingTypes.includes(listing.listingType)) &&
    (brandKeys.length === 0 || brandKeys.includes(listing.brandKey)) &&
    (minPriceSen === undefined || listing.priceSen >= minPriceSen) &&
    (maxPriceSen === undefined || listing.priceSen <= maxPriceSen) &&
    (minRemaining === undefined || listing.remainingPercentage >= minRemaining)
  )
}
