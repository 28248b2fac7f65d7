import { catalogueRoutes, type Product, type ProductFacets, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import { BriefMemory } from '@wangian/kit/brief-memory.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { z } from 'zod'
import { listFeatured } from './featured-store.ts'
import { nextPageUrl, pageHeaders, readCursor } from './page-cursor.ts'
import { presentProduct } from './presenter.ts'
import {
  askedWords,
  countBrands,
  countProducts,
  findPriceRange,
  listByRelevance,
  listLive,
  listProducts,
  type Place,
  type ProductFilter,
  placeOf,
} from './search-store.ts'
import { type SearchTerms, searchTerms } from './search-terms.ts'
import type { ProductRow } from './store.ts'

/** How many come when no limit is asked for. */
const PAGE_PRODUCTS_MAX = 500
/** Up to here the total is counted, beyond it is estimated. */
const EXACT_COUNT_MAX = 10_000
const BRANDS_MAX = 200
/** Facets may lag behind the list by this much. */
const FACETS_TTL_MS = 2_000
const TERMS_TTL_MS = 60_000
const MEMORY_ENTRIES_MAX = 1000

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
}

/** The list of products and what it may be narrowed by. */
export function addSearchRoutes(app: App, { pool, listAgeMaxMs = 0 }: SearchDependencies): void {
  const pages = new BriefMemory<ListAnswer>({ ttlMs: listAgeMaxMs, entriesMax: MEMORY_ENTRIES_MAX })
  const featured = new BriefMemory<Product[]>({ ttlMs: listAgeMaxMs, entriesMax: MEMORY_ENTRIES_MAX })
  const terms = new BriefMemory<SearchTerms>({ ttlMs: TERMS_TTL_MS, entriesMax: MEMORY_ENTRIES_MAX })
  const facets = new BriefMemory<ProductFacets>({ ttlMs: FACETS_TTL_MS, entriesMax: MEMORY_ENTRIES_MAX })

  /** `null` when the search has no word, so nothing can match. */
  async function understand(filters: Filters): Promise<{ filter: ProductFilter; corrected: string | null } | null> {
    const { search = '' } = filters
    const filter: ProductFilter = {
      categoryId: filters.category,
      listingTypes: filters.type,
      minPriceSen: boundSen(filters.minPrice),
      maxPriceSen: boundSen(filters.maxPrice),
      brands: filters.brand,
    }
    if (search === '') return { filter, corrected: null }
    const { tsquery, corrected } = await terms.get(search, async () => searchTerms(await askedWords(pool, search)))
    return tsquery === '' ? null : { filter: { ...filter, tsquery }, corrected }
  }

  const totalOf = (filter: ProductFilter) => countProducts(pool, filter, EXACT_COUNT_MAX)

  async function answerList(query: ListQuery, url: string): Promise<ListAnswer> {
    const understood = await understand(query)
    if (understood === null) return { products: [], total: 0, next: null }
    const { filter } = understood
    const limit = query.limit ?? PAGE_PRODUCTS_MAX
    const after = query.cursor === undefined ? null : readPlace(query.cursor)
    // One more than asked for tells whether there is another page.
    const [{ rows, place }, total] = await Promise.all([
      findPage(pool, filter, { sort: query.sort, limit: limit + 1, after }),
      totalOf(filter),
    ])
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = rows.length > limit && last !== undefined ? nextPageUrl(url, writePlace(place(last))) : null
    return { products: page.map(presentProduct), total, next }
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
    const body = await facets.get(JSON.stringify(filter), async () => {
      const [brands, range, total] = await Promise.all([
        countBrands(pool, filter, BRANDS_MAX),
        findPriceRange(pool, filter),
        totalOf(filter),
      ])
      const { minSen, maxSen } = range
      const price =
        minSen === null || maxSen === null ? null : { min: ringgitFromSen(minSen), max: ringgitFromSen(maxSen) }
      return { brands: [...brands], price, total, correctedSearch: corrected }
    })
    return { status: 200, body }
  })
}

async function findPage(
  pool: DatabasePool,
  filter: ProductFilter,
  page: { readonly sort: ProductSort | undefined; readonly limit: number; readonly after: Place | null },
): Promise<{ rows: readonly ProductRow[]; place: (row: ProductRow) => Place }> {
  const { sort, limit, after } = page
  const { tsquery } = filter
  if (sort === undefined && tsquery !== undefined) {
    const rows = await listByRelevance(pool, { ...filter, tsquery }, { limit, after })
    const tiers = new Map<number, number>(rows.map(({ id, tier }) => [id, tier]))
    return { rows, place: ({ id }) => ({ key: tiers.get(id) ?? 0, id }) }
  }
  const order = sort ?? 'newest'
  return { rows: await listProducts(pool, filter, { sort: order, limit, after }), place: (row) => placeOf(order, row) }
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
