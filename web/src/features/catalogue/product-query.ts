import { BRANDS_ASKED_MAX, type FillBound, fillBounds, ListingType, ProductSort } from '@wangian/contracts/catalogue.ts'
import { type CategoryId, categoryFrom } from '../../cards/category-names.ts'
import { cutTo } from '../../lib/cut.ts'
import { paths } from '../../paths.ts'

/** The slider goes from nothing to here; its upper end means that there is no limit. */
export const PRICE_SLIDER_MAX = 500
export const PRICE_SLIDER_STEP = 10

/** In ringgit. A lowest price of 0 and a highest one of {@link PRICE_SLIDER_MAX} or more leave nothing out. */
export type PriceRange = readonly [lowest: number, highest: number]

/** Before anybody has chosen, and after a reset; on the slider they look alike, and neither leaves anything out. */
const untouchedPrice: PriceRange = [0, 2000]
const resetPrice: PriceRange = [0, PRICE_SLIDER_MAX]

/** What a list of products is narrowed by. */
export interface ProductFilters {
  readonly category: CategoryId | null
  readonly type: ListingType | null
  readonly price: PriceRange
  /** How full the bottles are at least, in percent; `null` leaves nothing out. */
  readonly fill: FillBound | null
  readonly brands: readonly string[]
}

/** What a list of products shows, as its address says it. */
export interface ProductQuery extends ProductFilters {
  readonly search: string
  /** `null` for the order that comes by itself: the best match of a search, otherwise what is featured. */
  readonly sort: ProductSort | null
}

export const noFilters: ProductFilters = { category: null, type: null, price: resetPrice, fill: null, brands: [] }

/** Whatever an address says that makes no sense is left out. */
export function readProductQuery(parameters: URLSearchParams): ProductQuery {
  const brands = parameters.getAll('brand').map((brand) => brand.trim())
  return {
    search: cutTo((parameters.get('search') ?? '').trim(), 100),
    category: categoryFrom(parameters.get('category')),
    type: ListingType.safeParse(parameters.get('type')).data ?? null,
    price: readPrice(parameters.get('minPrice'), parameters.get('maxPrice')),
    fill: fillBounds.find((bound) => String(bound) === parameters.get('minRemaining')) ?? null,
    brands: [...new Set(brands)].filter((brand) => brand !== '' && brand.length <= 80).slice(0, BRANDS_ASKED_MAX),
    sort: ProductSort.safeParse(parameters.get('sort')).data ?? null,
  }
}

function readPrice(minPrice: string | null, maxPrice: string | null): PriceRange {
  const lowest = Math.min(readAmount(minPrice) ?? untouchedPrice[0], PRICE_SLIDER_MAX)
  const highest = readAmount(maxPrice) ?? untouchedPrice[1]
  return lowest <= highest ? [lowest, highest] : [highest, lowest]
}

function readAmount(parameter: string | null): number | null {
  return parameter !== null && /^\d{1,7}(\.\d{1,2})?$/.test(parameter) ? Number(parameter) : null
}

/** Where a list of products can be found again. */
export function addressOf(query: ProductQuery): string {
  return paths.products({ ...filtersSent(query), search: query.search, sort: query.sort ?? undefined })
}

/** What the server is asked for, without the page. */
export function listQueryOf(query: ProductQuery) {
  const isFeatured = query.sort === null && query.search === ''
  return { ...facetsQueryOf(query), sort: isFeatured ? 'featured' : (query.sort ?? undefined) }
}

/** The facets of a list do not depend on its order. */
export function facetsQueryOf(query: ProductFilters & { readonly search: string }) {
  return { ...filtersSent(query), search: query.search || undefined }
}

function filtersSent({ category, type, price: [lowest, highest], fill, brands }: ProductFilters) {
  return {
    category: category ?? undefined,
    type: type ?? undefined,
    minPrice: lowest > 0 ? lowest : undefined,
    maxPrice: highest < PRICE_SLIDER_MAX ? highest : undefined,
    minRemaining: fill ?? undefined,
    brand: brands.length > 0 ? brands : undefined,
  }
}

/** One thing that a list is narrowed by, and the list without it. */
export interface ActiveFilter {
  readonly kind: 'category' | 'type' | 'price' | 'fill' | 'brand'
  readonly value: string
  readonly without: ProductQuery
}

/** In the order in which they stand in the panel. */
export function activeFiltersOf(query: ProductQuery): readonly ActiveFilter[] {
  const { category, type, fill, brands } = query
  const { minPrice, maxPrice } = filtersSent(query)
  const found: ActiveFilter[] = []
  if (type) found.push({ kind: 'type', value: type, without: { ...query, type: null } })
  if (category) found.push({ kind: 'category', value: String(category), without: { ...query, category: null } })
  if (minPrice !== undefined || maxPrice !== undefined) {
    const value = `${minPrice ?? 0}-${maxPrice ?? ''}`
    found.push({ kind: 'price', value, without: { ...query, price: resetPrice } })
  }
  if (fill) found.push({ kind: 'fill', value: String(fill), without: { ...query, fill: null } })
  for (const brand of brands) {
    found.push({ kind: 'brand', value: brand, without: { ...query, brands: brands.filter((each) => each !== brand) } })
  }
  return found
}
