import { setTimeout as wait } from 'node:timers/promises'
import { catalogueRoutes, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import { type AnswerAge, AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { createGate } from '@wangian/kit/gate.ts'
import { type PreparedBody, prepareBody } from '@wangian/kit/http/http.ts'
import { readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { listFeatured } from '../featured/featured-store.ts'
import { presentProduct } from '../listings/presenter.ts'
import type { ProductRow } from '../store.ts'
import { type CountedGroup, countMatching, summarise } from './domain/facets.ts'
import {
  askedWords,
  brandKeysOf,
  countProducts,
  isFound,
  listByRelevance,
  listProducts,
  type Place,
  type ProductFilter,
  placeOf,
  type Ranking,
} from './search-store.ts'
import { otherTerms, RARE_USES_MAX, type SearchTerms, searchTerms, USES_COUNTED_MAX } from './search-terms.ts'

/** How many come when no limit is asked for. */
const PAGE_PRODUCTS = 100
const BRANDS_MAX = 200
/** What words and brands are compared as hardly changes. */
const TERMS_AGE_MAX_MS = 60_000
/** For so many times their age, counts are still better than waiting for new ones. */
const STALE_COUNTS = 5
/** Whoever would wait behind more is not kept waiting. */
const COUNTS_WAITING_MAX = 8
/** As JSON; the objects take about three times as much. */
const ANSWERS_BYTES_MAX = 16 * 1024 * 1024

export interface ProductSearchOptions {
  readonly pool: DatabasePool
  /** How old an answer of the list may be, in ms: a page that many look at is then found once. Exact when not given. */
  readonly listAgeMaxMs?: number
  /**
   * How old totals and facets may be while they are asked for all the time, in ms; whoever asks after a pause may get those from before
   * it, if it was no longer than `STALE_COUNTS` times this. Exact when not given.
   */
  readonly countsAgeMaxMs?: number
  /** How long a page waits for its total, in ms; then it comes without. As long as it takes when not given. */
  readonly totalWaitMaxMs?: number
  /** How long facets are waited for, in ms; then they are refused. As long as it takes when not given. */
  readonly facetsWaitMaxMs?: number
}

/** What the service runs with; tests ask for exact answers. */
export const searchTimings = {
  /** A ban takes effect within a second, and this is a part of it. */
  listAgeMaxMs: 500,
  countsAgeMaxMs: 5_000,
  /** Counting takes about a tenth of a second for 100,000 products; who comes behind others gets a page without its total. */
  totalWaitMaxMs: 200,
  facetsWaitMaxMs: 2_000,
} as const satisfies Partial<ProductSearchOptions>

export interface ProductsPage {
  readonly products: PreparedBody<typeof catalogueRoutes.listProducts>
  /** `null` when counting took too long. */
  readonly total: number | null
  /** Behind which product the next page begins, for its cursor; `null` on the last page. */
  readonly nextPlace: z.infer<typeof Cursor> | null
}

type ListQuery = z.infer<typeof catalogueRoutes.listProducts.query>
type Filters = z.infer<typeof catalogueRoutes.listFacets.query>

/** What words and brands are compared as. */
interface Terms extends SearchTerms, Ranking {
  readonly brandKeys: readonly string[]
}

/** Finds and counts products for everybody, and keeps the answers for a moment. */
export class ProductSearch {
  readonly #pool: DatabasePool
  readonly #pageAge: AnswerAge
  readonly #countsAge: AnswerAge
  readonly #totalWaitMaxMs: number | undefined
  readonly #facetsWaitMaxMs: number | undefined
  readonly #answers = new AnswerCache({ bytesMax: ANSWERS_BYTES_MAX })
  /** Counting is the longest of what is asked of the database; pages do not wait for several at once. */
  readonly #counting = createGate({ runningMax: 1, waitingMax: COUNTS_WAITING_MAX })

  constructor({ listAgeMaxMs = 0, countsAgeMaxMs = 0, ...options }: ProductSearchOptions) {
    this.#pool = options.pool
    this.#pageAge = { freshMs: listAgeMaxMs }
    this.#countsAge = { freshMs: countsAgeMaxMs, staleMs: countsAgeMaxMs * STALE_COUNTS }
    this.#totalWaitMaxMs = options.totalWaitMaxMs
    this.#facetsWaitMaxMs = options.facetsWaitMaxMs
  }

  page(query: ListQuery): Promise<ProductsPage> {
    return this.#answers.get(['page', query], this.#pageAge, () => this.#findPage(query))
  }

  featured(limit: number): Promise<PreparedBody<typeof catalogueRoutes.listFeatured>> {
    return this.#answers.get(['featured', limit], this.#pageAge, async () => {
      const rows = await listFeatured(this.#pool, limit)
      return prepareBody(catalogueRoutes.listFeatured, rows.map(presentProduct))
    })
  }

  /** @throws Rejection('unavailable') when counting takes too long, or too many wait for it */
  facets(filters: Filters): Promise<PreparedBody<typeof catalogueRoutes.listFacets>> {
    return this.#answers.get(['facets', filters], this.#pageAge, async () =>
      prepareBody(catalogueRoutes.listFacets, await this.#findFacets(filters)),
    )
  }

  async #findPage(query: ListQuery): Promise<ProductsPage> {
    const understood = await this.#understand(query)
    if (understood === null)
      return { products: prepareBody(catalogueRoutes.listProducts, []), total: 0, nextPlace: null }
    const { filter, ranking } = understood
    const { sort, limit = PAGE_PRODUCTS } = query
    const after = query.cursor === undefined ? null : readPlace(query.cursor)
    // One more than asked for tells whether there is another page.
    const { rows, place } = await this.#findRows(filter, ranking, { sort, limit: limit + 1, after })
    const shown = rows.slice(0, limit)
    const products = prepareBody(catalogueRoutes.listProducts, shown.map(presentProduct))
    const last = rows.length > limit ? rows[limit - 1] : undefined
    if (after === null && last === undefined) return { products, total: shown.length, nextPlace: null }
    return { products, total: await this.#totalOf(filter), nextPlace: last ? writePlace(place(last)) : null }
  }

  async #findFacets(filters: Filters): Promise<z.input<(typeof catalogueRoutes.listFacets.answers)[200]>> {
    const understood = await this.#understand(filters)
    if (understood === null) return { brands: [], price: null, total: 0, correctedSearch: null }
    const { filter, corrected } = understood
    const counted = await this.#count(filter, this.#facetsWaitMaxMs)
    if (counted === null) throw new Rejection('unavailable')
    const { brands, price, total } = summarise(counted, filter, BRANDS_MAX)
    return {
      brands: [...brands],
      price: price && { min: ringgitFromSen(price.minSen), max: ringgitFromSen(price.maxSen) },
      total,
      correctedSearch: corrected,
    }
  }

  async #findRows(
    { tsquery, ...filter }: ProductFilter,
    ranking: Ranking,
    { sort, ...page }: { readonly sort: ProductSort | undefined; readonly limit: number; readonly after: Place | null },
  ): Promise<{ rows: readonly ProductRow[]; place: (row: ProductRow) => Place }> {
    if (tsquery !== undefined && sort === undefined) {
      const rows = await listByRelevance(this.#pool, { ...filter, tsquery }, ranking, page)
      const ranks = new Map<number, number>(rows.map(({ id, rank }) => [id, rank]))
      return { rows, place: ({ id }) => ({ key: ranks.get(id) ?? 0, id }) }
    }
    const order = sort ?? 'newest'
    const rows = await listProducts(this.#pool, { ...filter, tsquery }, { sort: order, ...page })
    return { rows, place: (row) => placeOf(order, row) }
  }

  /** `null` when the search has no word, so nothing can match. */
  async #understand(
    filters: Filters,
  ): Promise<{ readonly filter: ProductFilter; readonly ranking: Ranking; readonly corrected: string | null } | null> {
    const { search = '', brand: brands = [] } = filters
    const { brandKeys, tsquery, corrected, ...ranking } = await this.#answers.get(
      ['terms', search, brands],
      { freshMs: TERMS_AGE_MAX_MS },
      () => this.#findTerms(search, brands),
    )
    if (search !== '' && tsquery === '') return null
    const filter = {
      categoryId: filters.category,
      listingTypes: filters.type,
      minPriceSen: boundSen(filters.minPrice),
      maxPriceSen: boundSen(filters.maxPrice),
      minRemaining: filters.minRemaining,
      brandKeys,
      tsquery: tsquery === '' ? undefined : tsquery,
    }
    return { filter, ranking, corrected }
  }

  async #findTerms(search: string, brands: readonly string[]): Promise<Terms> {
    const words = search === '' ? [] : await askedWords(this.#pool, search, RARE_USES_MAX)
    const terms = await this.#findOther(search, searchTerms(words), words.length)
    const typed = words.map(({ word }) => word).join('')
    return {
      ...terms,
      nameKeys: terms.corrected === null ? [typed] : [typed, terms.corrected.replaceAll(' ', '')],
      brandKeys: brands.length === 0 ? [] : await brandKeysOf(this.#pool, brands),
    }
  }

  /** Words of which each is known may be in no listing together: then one of them is taken for another, if that finds something. */
  async #findOther(search: string, terms: SearchTerms, wordCount: number): Promise<SearchTerms> {
    if (wordCount < 2 || (await isFound(this.#pool, terms.tsquery))) return terms
    for (const other of otherTerms(await askedWords(this.#pool, search, USES_COUNTED_MAX))) {
      if (await isFound(this.#pool, other.tsquery)) return other
    }
    return terms
  }

  /** `null` when it is not known soon, for whatever reason: the page is there. */
  async #totalOf(filter: ProductFilter): Promise<number | null> {
    const counted = await this.#count(filter, this.#totalWaitMaxMs).catch(() => null)
    return counted && countMatching(counted, filter)
  }

  /** What a search finds, or everything, counted once for whatever else it is narrowed by; `null` when it takes longer. */
  async #count(
    { tsquery, minRemaining }: ProductFilter,
    waitMaxMs: number | undefined,
  ): Promise<readonly CountedGroup[] | null> {
    const counted = this.#answers.get(['counts', tsquery ?? null, minRemaining ?? null], this.#countsAge, () =>
      this.#counting.run(() => countProducts(this.#pool, { tsquery, minRemaining })),
    )
    return waitMaxMs === undefined ? counted : Promise.race([counted, wait(waitMaxMs, null, { ref: false })])
  }
}

/** @throws Rejection('bad-request') for an amount with more than two decimals */
function boundSen(ringgit: number | undefined): number | undefined {
  if (ringgit === undefined) return undefined
  const sen = ringgit === 0 ? 0 : senFromRinggit(ringgit)
  if (sen === null) throw new Rejection('bad-request', 'A price has at most two decimals')
  return sen
}

const Cursor = z.tuple([z.number(), z.int().positive()])

const writePlace = ({ key, id }: Place): z.infer<typeof Cursor> => [key, id]

function readPlace(cursor: string): Place {
  const [key, id] = readCursor(Cursor, cursor)
  return { key, id }
}
