import { catalogueRoutes, type Product, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import { BriefMemory } from '@wangian/kit/brief-memory.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { createGate } from '@wangian/kit/gate.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { z } from 'zod'
import { listFeatured } from '../featured/featured-store.ts'
import { presentProduct } from '../listings/presenter.ts'
import type { ProductRow } from '../store.ts'
import { countMatching, type FacetGroup, summarise } from './domain/facets.ts'
import { searchCosts } from './domain/search-cost.ts'
import { nextPageUrl, pageHeaders, readCursor } from './page-cursor.ts'
import {
  askedWords,
  brandKeysOf,
  findFacetGroups,
  listByRelevance,
  listLive,
  listProducts,
  type Place,
  type ProductFilter,
  placeOf,
} from './search-store.ts'
import { type SearchTerms, searchTerms } from './search-terms.ts'

/** How many come when no limit is asked for. */
const PAGE_PRODUCTS_MAX = 500
const BRANDS_MAX = 200
/** Words, brands and what they are compared as hardly change. */
const TERMS_TTL_MS = 60_000
const MEMORY_ENTRIES_MAX = 1000
/** For so many times their age, counts are still better than waiting for new ones. */
const STALE_COUNTS = 5
const COUNTS_WAITING_MAX = 200
/** Each may hold a group for every brand with all its prices. */
const COUNTED_SEARCHES_MAX = 64

interface ListAnswer {
  readonly products: Product[]
  readonly total: number
  /** The address of the next page. */
  readonly next: string | null
}

type ListQuery = z.infer<typeof catalogueRoutes.listProducts.query>
type Filters = z.infer<typeof catalogueRoutes.listFacets.query>

export interface SearchDependencies {
  readonly pool: DatabasePool
  /** How old an answer of the list may be, in ms: a page that many look at is then found once. Exact when not given. */
  readonly listAgeMaxMs?: number
  /**
   * How old totals and facets may be while they are asked for all the time, in ms; whoever asks after a pause may get those from before
   * it, if it was no longer than `STALE_COUNTS` times this. Exact when not given.
   */
  readonly countsAgeMaxMs?: number
}

/** The list of products and what it may be narrowed by. */
export function addSearchRoutes(app: App, { pool, listAgeMaxMs = 0, countsAgeMaxMs = 0 }: SearchDependencies): void {
  const pages = new BriefMemory<ListAnswer>({ ttlMs: listAgeMaxMs, entriesMax: MEMORY_ENTRIES_MAX })
  const featured = new BriefMemory<Product[]>({ ttlMs: listAgeMaxMs, entriesMax: MEMORY_ENTRIES_MAX })
  const terms = new BriefMemory<SearchTerms>({ ttlMs: TERMS_TTL_MS, entriesMax: MEMORY_ENTRIES_MAX })
  const brandKeys = new BriefMemory<readonly string[]>({ ttlMs: TERMS_TTL_MS, entriesMax: MEMORY_ENTRIES_MAX })
  // Counting is the longest of what is asked of the database; pages do not wait for several at once.
  const counting = createGate({ runningMax: 1, waitingMax: COUNTS_WAITING_MAX })
  const groups = new BriefMemory<readonly FacetGroup[]>({
    ttlMs: countsAgeMaxMs,
    staleMs: countsAgeMaxMs * STALE_COUNTS,
    entriesMax: COUNTED_SEARCHES_MAX,
  })

  /** `null` when the search has no word, so nothing can match. */
  async function understand(filters: Filters): Promise<{ filter: ProductFilter; corrected: string | null } | null> {
    const { search = '', brand: brands = [] } = filters
    const filter: ProductFilter = {
      categoryId: filters.category,
      listingTypes: filters.type,
      minPriceSen: boundSen(filters.minPrice),
      maxPriceSen: boundSen(filters.maxPrice),
      brandKeys:
        brands.length === 0 ? [] : await brandKeys.get(JSON.stringify(brands), () => brandKeysOf(pool, brands)),
    }
    if (search === '') return { filter, corrected: null }
    const { tsquery, corrected } = await terms.get(search, async () => searchTerms(await askedWords(pool, search)))
    return tsquery === '' ? null : { filter: { ...filter, tsquery }, corrected }
  }

  /** What a search finds, or everything, counted once for whatever it is narrowed by. */
  const groupsOf = ({ tsquery }: ProductFilter) =>
    groups.get(tsquery ?? '', () => counting.run(() => findFacetGroups(pool, tsquery)))

  async function findPage(
    filter: ProductFilter,
    page: { readonly sort: ProductSort | undefined; readonly limit: number; readonly after: Place | null },
  ): Promise<{ rows: readonly ProductRow[]; place: (row: ProductRow) => Place }> {
    const { sort, limit, after } = page
    const { tsquery } = filter
    if (tsquery === undefined) {
      const order = sort ?? 'newest'
      const rows = await listProducts(pool, filter, { sort: order, limit, after, isRare: false })
      return { rows, place: (row) => placeOf(order, row) }
    }
    const [everything, found] = await Promise.all([groupsOf({}), groupsOf(filter)])
    const costs = searchCosts(found, filter, { everythingCount: countMatching(everything, {}), limit })
    if (sort !== undefined) {
      const rows = await listProducts(pool, filter, { sort, limit, after, isRare: costs.isRare })
      return { rows, place: (row) => placeOf(sort, row) }
    }
    const rows = await listByRelevance(pool, { ...filter, tsquery }, { limit, after, costs })
    const tiers = new Map<number, number>(rows.map(({ id, tier }) => [id, tier]))
    return { rows, place: ({ id }) => ({ key: tiers.get(id) ?? 0, id }) }
  }

  async function answerList(query: ListQuery, url: string): Promise<ListAnswer> {
    const understood = await understand(query)
    if (understood === null) return { products: [], total: 0, next: null }
    const { filter } = understood
    const limit = query.limit ?? PAGE_PRODUCTS_MAX
    const after = query.cursor === undefined ? null : readPlace(query.cursor)
    // One more than asked for tells whether there is another page.
    const { rows, place } = await findPage(filter, { sort: query.sort, limit: limit + 1, after })
    const products = rows.slice(0, limit).map(presentProduct)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    if (after === null && last === undefined) return { products, total: products.length, next: null }
    const next = last === undefined ? null : nextPageUrl(url, writePlace(place(last)))
    return { products, total: countMatching(await groupsOf(filter), filter), next }
  }

  handle(app, catalogueRoutes.listProducts, async ({ query, request }) => {
    const { products, total, next } = await pages.get(request.url, () => answerList(query, request.url))
    return {
      status: 200,
      body: products,
      headers: pageHeaders({ total, next }),
    }
  })

  handle(app, catalogueRoutes.listLive, async ({ query }) => {
    const rows = await listLive(pool, query.limit)
    return { status: 200, body: rows.map(presentProduct) }
  })

  handle(app, catalogueRoutes.listFeatured, async ({ query: { limit } }) => {
    const body = await featured.get(String(limit), async () => (await listFeatured(pool, limit)).map(presentProduct))
    return { status: 200, body }
  })

  handle(app, catalogueRoutes.listFacets, async ({ query }) => {
    const understood = await understand(query)
    if (understood === null) {
      return { status: 200, body: { brands: [], price: null, total: 0, correctedSearch: null } }
    }
    const { filter, corrected } = understood
    const { brands, price, total } = summarise(await groupsOf(filter), filter, BRANDS_MAX)
    const body = {
      brands: [...brands],
      price: price && { min: ringgitFromSen(price.minSen), max: ringgitFromSen(price.maxSen) },
      total,
      correctedSearch: corrected,
    }
    return { status: 200, body }
  })
}

/** @throws Rejection('bad-request') for an amount with more than two decimals */
function boundSen(ringgit: number | undefined): number | undefined {
  if (ringgit === undefined) return undefined
  const sen = ringgit === 0 ? 0 : senFromRinggit(ringgit)
  if (sen === null) throw new Rejection('bad-request', 'A price has at most two decimals')
  return sen
}

const Cursor = z.tuple([z.number(), z.int().positive()])

const writePlace = ({ key, id }: Place) => [key, id]

function readPlace(cursor: string): Place {
  const [key, id] = readCursor(Cursor, cursor)
  return { key, id }
}
