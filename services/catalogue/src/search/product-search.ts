import { setTimeout as wait } from 'node:timers/promises'
import { catalogueRoutes, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import { type AnswerAge, AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { FairGate, type FairGateLimits } from '@wangian/kit/fair-gate.ts'
import { PreparedBody, prepareBody } from '@wangian/kit/http/http.ts'
import { readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { listFeatured } from '../featured/featured-store.ts'
import { jsonOfAll, type ProductDocument, type ProductDocuments } from '../listings/product-documents.ts'
import { isPublicRow } from '../store.ts'
import { type CountedGroup, countMatching, summarise } from './domain/facets.ts'
import { type FoundListing, groupsOfFound, type Place, pageOfFound } from './domain/found.ts'
import {
  areFound,
  askedWords,
  brandKeysOf,
  countProducts,
  findFew,
  listByRelevance,
  listProducts,
  type ProductFilter,
  type Ranking,
} from './search-store.ts'
import {
  type AskedWord,
  nameKeysOf,
  otherTerms,
  partsOf,
  RARE_USES_MAX,
  SEARCH_WORDS_MAX,
  type SearchTerms,
  searchTerms,
  USES_COUNTED_MAX,
} from './search-terms.ts'

/** How many come when no limit is asked for. */
const PAGE_PRODUCTS = 100
const BRANDS_MAX = 200
/** What brands are compared as hardly changes, nor whether words are frequent. */
const TERMS_AGE: AnswerAge = { freshMs: 60_000 }
/** As long may the beginning of a word not find what is listed with a word that nobody has used. */
const WORDS_AGE: AnswerAge = { freshMs: 10_000 }
/** For so many times their age, counts are still better than waiting for new ones. */
const STALE_COUNTS = 5
/**
 * Of what is found anew: so many at a time leave connections for everything else, and one address never has more of Postgres and the processor than
 * a quarter of one of them in the long run. People who browse need hundredths of that.
 */
const FINDING: FairGateLimits = {
  runningMax: 4,
  runningPerKeyMax: 1,
  waitingPerKeyMax: 500,
  waitingMax: 1_000,
  burstMs: 500,
  msPerS: 250,
}
/** Counting is the longest of what is asked of the database; pages do not wait for several at once, and whoever would wait behind more is not kept waiting. */
const COUNTING: FairGateLimits = {
  runningMax: 1,
  runningPerKeyMax: 1,
  waitingPerKeyMax: 8,
  waitingMax: 64,
  burstMs: 1_000,
  msPerS: 250,
}
/** As JSON; the objects take about three times as much. */
const ANSWERS_BYTES_MAX = 16 * 1024 * 1024
/** So few are found as fast as they are looked up: whoever has just listed one of them finds it. */
const FOUND_ANEW_MAX = 100
/** Of a listing that a search finds, as JSON. */
const FOUND_BYTES = 200

export interface ProductSearchOptions {
  readonly pool: DatabasePool
  readonly documents: ProductDocuments
  /** How old an answer of the list may be, in ms: a page that many look at is then found once. Exact when not given. */
  readonly listAgeMaxMs?: number
  /**
   * How old it may be which of hundreds of listings a search finds, and in which order, in ms. Whether everybody may see them, and what they show,
   * is as it is now. Exact when not given.
   */
  readonly foundAgeMaxMs?: number
  /**
   * How old totals and facets may be while they are asked for all the time, in ms; whoever asks after a pause may get those from before
   * it, if it was no longer than `STALE_COUNTS` times this. Exact when not given.
   */
  readonly countsAgeMaxMs?: number
  /** How long a page waits for its total, in ms; then it comes without. As long as it takes when not given. */
  readonly totalWaitMaxMs?: number
  /** How long facets are waited for, in ms; then they are refused. As long as it takes when not given. */
  readonly facetsWaitMaxMs?: number
  /** How many times more than in production one address may have. */
  readonly rateLimitFactor?: number | undefined
}

/** What the service runs with; tests ask for exact answers. */
export const searchTimings = {
  /** A ban takes effect within a second, and this is a part of it. */
  listAgeMaxMs: 500,
  /** Whoever looks through what a search has found narrows it, orders it, and goes from page to page. */
  foundAgeMaxMs: 5_000,
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

/** What is looked for, and in which order it comes. */
interface Understood {
  readonly filter: ProductFilter
  readonly ranking: Ranking
  /** Those of the search. */
  readonly words: readonly AskedWord[]
  readonly corrected: string | null
}

interface FoundPage extends Omit<ProductsPage, 'total'> {
  /** Comes later than the page where it has to be counted. */
  readonly total: number | null | Promise<number | null>
}

interface Counted {
  readonly understood: Understood
  readonly groups: readonly CountedGroup[]
}

interface PageAsked {
  readonly sort: ProductSort | undefined
  readonly limit: number
  readonly after: Place | null
}

interface Found {
  readonly places: readonly Place[]
  /** On all pages, where finding tells. */
  readonly total: number | null
  /** What is at the first so many places, in their order, without what nobody may see any more. */
  readonly read: (count: number) => Promise<readonly ProductDocument[]>
}

/** The terms of a search without a word, which nothing matches. */
const NOTHING = ''

/** Finds and counts products for everybody, and keeps the answers for a moment. */
export class ProductSearch {
  readonly #pool: DatabasePool
  readonly #documents: ProductDocuments
  readonly #pageAge: AnswerAge
  readonly #foundAge: AnswerAge
  readonly #countsAge: AnswerAge
  readonly #totalWaitMaxMs: number | undefined
  readonly #facetsWaitMaxMs: number | undefined
  readonly #answers = new AnswerCache({ bytesMax: ANSWERS_BYTES_MAX })
  readonly #finding: FairGate
  readonly #counting: FairGate

  constructor({ listAgeMaxMs = 0, foundAgeMaxMs = 0, countsAgeMaxMs = 0, ...options }: ProductSearchOptions) {
    this.#pool = options.pool
    this.#documents = options.documents
    const { rateLimitFactor = 1 } = options
    this.#finding = new FairGate(timesAsMuch(FINDING, rateLimitFactor))
    this.#counting = new FairGate(timesAsMuch(COUNTING, rateLimitFactor))
    this.#pageAge = { freshMs: listAgeMaxMs }
    this.#foundAge = { freshMs: foundAgeMaxMs }
    this.#countsAge = { freshMs: countsAgeMaxMs, staleMs: countsAgeMaxMs * STALE_COUNTS }
    this.#totalWaitMaxMs = options.totalWaitMaxMs
    this.#facetsWaitMaxMs = options.facetsWaitMaxMs
  }

  /**
   * @param address whose turn it is when it has to be found; `null` for who asks on their own behalf
   * @throws Rejection('unavailable') when too many wait
   */
  async page(query: ListQuery, address: string | null): Promise<ProductsPage> {
    const question = ['page', query]
    const find = () =>
      this.#answers.get(
        question,
        this.#pageAge,
        () => this.#findPage(query, address),
        ({ products }) => lengthOf(products),
      )
    // The turn comes before the question: nobody waits for the turn of somebody else who has asked the same.
    const { total, ...page } = await (this.#answers.knows(question) ? find() : this.#finding.run(address, find))
    return { ...page, total: await total }
  }

  featured(limit: number): Promise<PreparedBody<typeof catalogueRoutes.listFeatured>> {
    const find = async () => {
      const documents = await this.#documents.list(await listFeatured(this.#pool, limit))
      return new PreparedBody(catalogueRoutes.listFeatured, jsonOfAll(documents))
    }
    return this.#answers.get(['featured', limit], this.#pageAge, find, lengthOf)
  }

  /**
   * @param address whose turn it is when something has to be counted
   * @throws Rejection('unavailable') when counting takes too long, or too many wait for it
   */
  async facets(filters: Filters, address: string | null): Promise<PreparedBody<typeof catalogueRoutes.listFacets>> {
    const question = ['facets', filters]
    const counted = this.#answers.knows(question) ? null : await this.#countFor(filters, address)
    const find = async () => {
      const { understood, groups } = counted ?? (await this.#countFor(filters, address))
      return prepareBody(catalogueRoutes.listFacets, presentFacets(understood, groups))
    }
    return this.#answers.get(question, this.#pageAge, find, lengthOf)
  }

  async #findPage(query: ListQuery, address: string | null): Promise<FoundPage> {
    const { limit = PAGE_PRODUCTS } = query
    const after = query.cursor === undefined ? null : readPlace(query.cursor)
    const typed = await this.#understand(query)
    // One more than asked for tells whether there is another page.
    const page = { sort: query.sort, limit: limit + 1, after }
    const found = await this.#findPlaces(typed, page)
    const understood = found.places.length > 0 ? typed : await this.#understandOtherwise(query, typed)
    const { places, total, read } = understood === typed ? found : await this.#findPlaces(understood, page)
    const documents = await read(limit)
    const products = new PreparedBody(catalogueRoutes.listProducts, jsonOfAll(documents))
    const last = places.length > limit ? places[limit - 1] : undefined
    if (after === null && last === undefined) return { products, total: documents.length, nextPlace: null }
    return {
      products,
      total: total ?? this.#totalOf(understood.filter, address),
      nextPlace: last ? writePlace(last) : null,
    }
  }

  async #countFor(filters: Filters, address: string | null): Promise<Counted> {
    const { understood, few } = await this.#finding.run(address, async () => {
      const understood = await this.#understandOtherwise(filters, await this.#understand(filters))
      return { understood, few: await this.#findFew(understood) }
    })
    if (few !== null) return { understood, groups: groupsOfFound(few, understood.filter.minRemaining) }
    const groups = await this.#count(understood.filter, address, this.#facetsWaitMaxMs)
    if (groups === null) throw new Rejection('unavailable')
    return { understood, groups }
  }

  async #findPlaces(understood: Understood, page: PageAsked): Promise<Found> {
    const { ranking } = understood
    const { tsquery, ...filter } = understood.filter
    const few = await this.#findFew(understood)
    if (few !== null) {
      const { places, total } = pageOfFound(few, filter, page)
      return { places, total, read: (count) => this.#readPublic(places.slice(0, count)) }
    }
    const { sort = 'newest' } = page
    const walked =
      tsquery !== undefined && page.sort === undefined
        ? await listByRelevance(this.#pool, { ...filter, tsquery }, ranking, page)
        : await listProducts(this.#pool, understood.filter, { ...page, sort })
    return { places: walked, total: null, read: (count) => this.#documents.listOf(walked.slice(0, count)) }
  }

  /** All that these words find, where few listings have them: pages, totals and facets of whoever asks for a part of it come from it. */
  async #findFew({ filter: { tsquery }, ranking, words }: Understood): Promise<readonly FoundListing[] | null> {
    if (tsquery === undefined) return null
    if (tsquery === NOTHING) return []
    let few: readonly FoundListing[] | null = null
    const find = (age: AnswerAge) =>
      this.#answers.get(
        ['found', tsquery, ranking],
        age,
        () => findFew(this.#pool, tsquery, ranking),
        (found) => (found?.length ?? 0) * FOUND_BYTES,
      )
    const count = await this.#answers.get(['few', tsquery], TERMS_AGE, async () => {
      // The first letters of many words have many, and take longest by the index.
      if (words.every(({ forms }) => forms === null)) return null
      few = await find(this.#pageAge)
      return few?.length ?? null
    })
    if (count === null) return null
    return few ?? find(count > FOUND_ANEW_MAX ? this.#foundAge : this.#pageAge)
  }

  /** As they are now: they may have been found a while ago. */
  async #readPublic(places: readonly Place[]): Promise<readonly ProductDocument[]> {
    const documents = await this.#documents.list(places.map(({ id }) => id))
    return documents.filter(isPublicRow)
  }

  async #understand(filters: Filters): Promise<Understood> {
    const { search = '', brand: brands = [] } = filters
    const words = search === '' ? [] : await this.#wordsOf(search, RARE_USES_MAX)
    const filter = {
      categoryId: filters.category,
      listingTypes: filters.type,
      minPriceSen: boundSen(filters.minPrice),
      maxPriceSen: boundSen(filters.maxPrice),
      minRemaining: filters.minRemaining,
      brandKeys: brands.length === 0 ? [] : await this.#brandKeysOf(brands),
    }
    return search === '' ? withoutSearch(filter) : withTerms({ filter, words }, searchTerms(words))
  }

  /** Few people type a word that nobody has typed a moment ago: that is kept word by word, and those that are not known are asked for together. */
  async #wordsOf(search: string, nearUpToUses: number): Promise<readonly AskedWord[]> {
    const missing: string[] = []
    let asking: ReturnType<typeof askedWords> | undefined
    const find = async (part: string) => {
      const index = missing.push(part) - 1
      // A moment later, when it is known of all parts whether they are missing.
      asking ??= Promise.resolve().then(() => askedWords(this.#pool, missing, nearUpToUses))
      return (await asking)[index] ?? []
    }
    const words = await Promise.all(
      partsOf(search).map((part) => this.#answers.get(['words', part, nearUpToUses], WORDS_AGE, () => find(part))),
    )
    return words.flat().slice(0, SEARCH_WORDS_MAX)
  }

  /** Words of which each is known may be in no listing together: then one of them is taken for another, if that finds something. */
  async #understandOtherwise(filters: Filters, typed: Understood): Promise<Understood> {
    const { search = '' } = filters
    if (typed.words.length < 2) return typed
    const terms = await this.#answers.get(['other terms', search], WORDS_AGE, async () => {
      const { tsquery = NOTHING } = typed.filter
      const others = otherTerms(await this.#wordsOf(search, USES_COUNTED_MAX))
      const [isFound, ...areOthersFound] = await areFound(this.#pool, [
        tsquery,
        ...others.map((other) => other.tsquery),
      ])
      return isFound ? null : (others.find((_, index) => areOthersFound[index]) ?? null)
    })
    return terms === null ? typed : withTerms(typed, terms)
  }

  #brandKeysOf(brands: readonly string[]): Promise<readonly string[]> {
    return this.#answers.get(['brands', brands], TERMS_AGE, () => brandKeysOf(this.#pool, brands))
  }

  /** `null` when it is not known soon, for whatever reason: the page is there. */
  async #totalOf(filter: ProductFilter, address: string | null): Promise<number | null> {
    const counted = await this.#count(filter, address, this.#totalWaitMaxMs).catch(() => null)
    return counted && countMatching(counted, filter)
  }

  /** What a search finds, or everything, counted once for whatever else it is narrowed by; `null` when it takes longer. */
  async #count(
    { tsquery, minRemaining }: ProductFilter,
    address: string | null,
    waitMaxMs: number | undefined,
  ): Promise<readonly CountedGroup[] | null> {
    const question = ['counts', tsquery ?? null, minRemaining ?? null]
    const count = () => countProducts(this.#pool, { tsquery, minRemaining })
    const counted = this.#answers.knows(question)
      ? this.#answers.get(question, this.#countsAge, () => this.#counting.run(null, count))
      : this.#counting.run(address, () => this.#answers.get(question, this.#countsAge, count))
    return waitMaxMs === undefined ? counted : Promise.race([counted, wait(waitMaxMs, null, { ref: false })])
  }
}

function presentFacets(
  { filter, corrected }: Understood,
  groups: readonly CountedGroup[],
): z.input<(typeof catalogueRoutes.listFacets.answers)[200]> {
  const { brands, price, total } = summarise(groups, filter, BRANDS_MAX)
  return {
    brands: [...brands],
    price: price && { min: ringgitFromSen(price.minSen), max: ringgitFromSen(price.maxSen) },
    total,
    correctedSearch: corrected,
  }
}

function timesAsMuch(limits: FairGateLimits, factor: number): FairGateLimits {
  const { runningPerKeyMax, burstMs, msPerS } = limits
  return {
    ...limits,
    runningPerKeyMax: runningPerKeyMax * factor,
    burstMs: burstMs * factor,
    msPerS: msPerS * factor,
  }
}

function withoutSearch(filter: ProductFilter): Understood {
  return { filter, ranking: { leading: NOTHING, nameKeys: [] }, words: [], corrected: null }
}

function withTerms(
  { filter, words }: Pick<Understood, 'filter' | 'words'>,
  { tsquery, leading, corrected }: SearchTerms,
): Understood {
  const nameKeys = [
    ...nameKeysOf(words.map(({ word }) => word)),
    ...(corrected === null ? [] : nameKeysOf(corrected.split(' '))),
  ]
  return { filter: { ...filter, tsquery }, ranking: { leading, nameKeys }, words, corrected }
}

const lengthOf = ({ json }: { readonly json: string }) => json.length

/** @throws Rejection('bad-request') for an amount with more than two decimals */
function boundSen(ringgit: number | undefined): number | undefined {
  if (ringgit === undefined) return undefined
  const sen = ringgit === 0 ? 0 : senFromRinggit(ringgit)
  if (sen === null) throw new Rejection('bad-request', 'A price has at most two decimals')
  return sen
}

const Cursor = z.tuple([z.int(), z.int().positive()])

const writePlace = ({ key, id }: Place): z.infer<typeof Cursor> => [key, id]

function readPlace(cursor: string): Place {
  const [key, id] = readCursor(Cursor, cursor)
  return { key, id }
}
