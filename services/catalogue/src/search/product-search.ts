import { setTimeout as wait } from 'node:timers/promises'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import { type AnswerAge, AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { FairGate, type FairGateLimits, timesAsMuch } from '@wangian/kit/fair-gate.ts'
import { PreparedBody, prepareBody } from '@wangian/kit/http/http.ts'
import { readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { listFeatured } from '../featured/featured-store.ts'
import { jsonOfAll, type ProductDocument, type ProductDocuments } from '../listings/product-documents.ts'
import { isPublicRow } from '../store.ts'
import { type CountedGroup, countMatching, type Facets, summarise } from './domain/facets.ts'
import type { Found, ListingFilter, ListingIndex, PageAsked, Search } from './domain/listing-index.ts'
import type { Place } from './domain/place.ts'
import { IndexedListings } from './indexed-listings.ts'
import { brandKeysOf, countProducts, listProducts, wordsLike, wordsOfParts } from './search-store.ts'
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
/** What brands and words are compared as does not change. */
const COMPARED_AGE: AnswerAge = { freshMs: 60_000 }
/** As long may a misspelt word not be taken for one that nobody had used before. */
const LIKENESS_AGE: AnswerAge = { freshMs: 10_000 }
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

export interface ProductSearchOptions {
  readonly pool: DatabasePool
  readonly documents: ProductDocuments
  /** What searches go by; read on the first search when not given. */
  readonly listings?: IndexedListings | undefined
  /**
   * How old an answer of the list may be, in ms: a page that many look at is then found once. As old may be what a search goes by; whether everybody may
   * see what it has found, and what that shows, is as it is now. Exact when not given.
   */
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
  /** How many times more than in production one address may have. */
  readonly rateLimitFactor?: number | undefined
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

interface Understood extends Search {
  readonly corrected: string | null
}

/** A page before it is written down. */
interface FoundPage extends Pick<ProductsPage, 'nextPlace'> {
  readonly documents: readonly ProductDocument[]
  readonly total: () => number | Promise<number | null>
}

/** Finds and counts products for everybody, and keeps the answers for a moment. */
export class ProductSearch {
  readonly #pool: DatabasePool
  readonly #documents: ProductDocuments
  readonly #listings: IndexedListings
  readonly #pageAge: AnswerAge
  readonly #countsAge: AnswerAge
  readonly #totalWaitMaxMs: number | undefined
  readonly #facetsWaitMaxMs: number | undefined
  readonly #answers = new AnswerCache({ bytesMax: ANSWERS_BYTES_MAX })
  readonly #finding: FairGate
  readonly #counting: FairGate

  constructor({ listAgeMaxMs = 0, countsAgeMaxMs = 0, ...options }: ProductSearchOptions) {
    this.#pool = options.pool
    this.#documents = options.documents
    this.#listings = options.listings ?? new IndexedListings({ pool: options.pool, ageMaxMs: listAgeMaxMs })
    const { rateLimitFactor = 1 } = options
    this.#finding = new FairGate(timesAsMuch(FINDING, rateLimitFactor))
    this.#counting = new FairGate(timesAsMuch(COUNTING, rateLimitFactor))
    this.#pageAge = { freshMs: listAgeMaxMs }
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
      const facets = counted ?? (await this.#countFor(filters, address))
      return prepareBody(catalogueRoutes.listFacets, presentFacets(facets))
    }
    return this.#answers.get(question, this.#pageAge, find, lengthOf)
  }

  /** The total comes later than the page where it has to be counted. */
  async #findPage(query: ListQuery, address: string | null) {
    const { search = '', sort, limit = PAGE_PRODUCTS } = query
    const after = query.cursor === undefined ? null : readPlace(query.cursor)
    const filter = await this.#filterOf(query)
    // One more than asked for tells whether there is another page.
    const page = { sort, limit: limit + 1, after }
    const found = search === '' ? this.#walk(filter, page, address) : this.#search(search, filter, page)
    const { documents, total, nextPlace } = await found
    const products = new PreparedBody(catalogueRoutes.listProducts, jsonOfAll(documents))
    const isAll = after === null && nextPlace === null
    return { products, total: isAll ? documents.length : total(), nextPlace }
  }

  async #walk(filter: ListingFilter, page: PageAsked, address: string | null): Promise<FoundPage> {
    const { sort = 'newest', limit } = page
    const places = await listProducts(this.#pool, filter, { ...page, sort })
    const documents = await this.#documents.listOf(places.slice(0, limit - 1))
    return { documents, total: () => this.#totalOf(filter, address), nextPlace: nextPlaceOf(places, limit) }
  }

  async #search(search: string, filter: ListingFilter, page: PageAsked): Promise<FoundPage> {
    const { places, total } = await this.#askIndex(search, (index, understood) => index.page(understood, filter, page))
    const documents = await this.#documents.list(places.slice(0, page.limit - 1).map(({ id }) => id))
    // They may have been found a moment ago.
    const shown = documents.filter(isPublicRow)
    return { documents: shown, total: () => total, nextPlace: nextPlaceOf(places, page.limit) }
  }

  async #countFor(filters: Filters, address: string | null): Promise<Facets & Pick<Understood, 'corrected'>> {
    const { search = '' } = filters
    const { filter, found } = await this.#finding.run(address, async () => {
      const filter = await this.#filterOf(filters)
      const ask = (index: ListingIndex, understood: Understood) => index.facets(understood, filter, BRANDS_MAX)
      return { filter, found: search === '' ? null : await this.#askIndex(search, ask) }
    })
    if (found !== null) return found
    const groups = await this.#count(filter, address, this.#facetsWaitMaxMs)
    if (groups === null) throw new Rejection('unavailable')
    return { ...summarise(groups, filter, BRANDS_MAX), corrected: null }
  }

  async #filterOf({ brand: brands = [], ...filters }: Filters): Promise<ListingFilter> {
    return {
      categoryId: filters.category,
      listingTypes: filters.type,
      minPriceSen: boundSen(filters.minPrice),
      maxPriceSen: boundSen(filters.maxPrice),
      minRemaining: filters.minRemaining,
      brandKeys: brands.length === 0 ? [] : await this.#brandKeysOf(brands),
    }
  }

  /** Words of which each is known may be in no listing together: then one of them is taken for another, if that finds something. */
  async #askIndex<Answer extends Found>(
    search: string,
    ask: (index: ListingIndex, understood: Understood) => Answer,
  ): Promise<Answer & Pick<Understood, 'corrected'>> {
    const index = await this.#listings.current()
    const words = await this.#wordsOf(search)
    const answer = (terms: SearchTerms) => ({ ...ask(index, withNames(terms, words)), corrected: terms.corrected })
    const typed = answer(searchTerms(await this.#asked(words, index, RARE_USES_MAX)))
    if (typed.isFound || words.length < 2) return typed
    const others = otherTerms(await this.#asked(words, index, USES_COUNTED_MAX))
    const other = others.find(({ leading }) => index.hasAny(leading))
    return other === undefined ? typed : answer(other)
  }

  /** Few people type a word that nobody has typed a moment ago: that is kept part by part, and those that are not known are asked for together. */
  async #wordsOf(search: string): Promise<readonly string[]> {
    const words = await this.#keptSingly('words', partsOf(search), COMPARED_AGE, (parts) =>
      wordsOfParts(this.#pool, parts),
    )
    return words.flat().slice(0, SEARCH_WORDS_MAX)
  }

  /** @param nearUpToUses of words with more uses nothing like them is looked up */
  async #asked(words: readonly string[], index: ListingIndex, nearUpToUses: number): Promise<readonly AskedWord[]> {
    const known = words.map((word) => ({
      word,
      uses: index.countUses([{ word, isBeginning: true }], USES_COUNTED_MAX),
    }))
    const rare = known.filter(({ uses }) => uses <= nearUpToUses).map(({ word }) => word)
    const near = await this.#keptSingly('like', rare, LIKENESS_AGE, (missing) => wordsLike(this.#pool, missing))
    const usesOf = (word: string) => index.countUses([{ word, isBeginning: false }], USES_COUNTED_MAX, 'title')
    return known.map(({ word, uses }) => ({
      word,
      uses,
      near: (near[rare.indexOf(word)] ?? []).map((like) => ({ word: like, uses: usesOf(like) })),
    }))
  }

  /** What belongs to each of these texts, in their order; what is not known of them is looked up at once. */
  #keptSingly<Value>(
    kind: string,
    texts: readonly string[],
    age: AnswerAge,
    lookUp: (missing: readonly string[]) => Promise<readonly Value[]>,
  ): Promise<readonly Value[]> {
    const missing: string[] = []
    let lookingUp: Promise<readonly Value[]> | undefined
    const find = async (text: string) => {
      const place = missing.push(text) - 1
      // A moment later, when it is known of all whether they are missing.
      lookingUp ??= Promise.resolve().then(() => lookUp(missing))
      return (await lookingUp)[place] as Value
    }
    return Promise.all(texts.map((text) => this.#answers.get([kind, text], age, () => find(text))))
  }

  #brandKeysOf(brands: readonly string[]): Promise<readonly string[]> {
    return this.#answers.get(['brands', brands], COMPARED_AGE, () => brandKeysOf(this.#pool, brands))
  }

  /** `null` when it is not known soon, for whatever reason: the page is there. */
  async #totalOf(filter: ListingFilter, address: string | null): Promise<number | null> {
    const counted = await this.#count(filter, address, this.#totalWaitMaxMs).catch(() => null)
    return counted && countMatching(counted, filter)
  }

  /** Everything, counted once for whatever it is narrowed by; `null` when it takes longer. */
  async #count(
    { minRemaining }: ListingFilter,
    address: string | null,
    waitMaxMs: number | undefined,
  ): Promise<readonly CountedGroup[] | null> {
    const question = ['counts', minRemaining ?? null]
    const count = () => countProducts(this.#pool, { minRemaining })
    const counted = this.#answers.knows(question)
      ? this.#answers.get(question, this.#countsAge, () => this.#counting.run(null, count))
      : this.#counting.run(address, () => this.#answers.get(question, this.#countsAge, count))
    return waitMaxMs === undefined ? counted : Promise.race([counted, wait(waitMaxMs, null, { ref: false })])
  }
}

function presentFacets({
  brands,
  price,
  total,
  corrected,
}: Facets & Pick<Understood, 'corrected'>): z.input<(typeof catalogueRoutes.listFacets.answers)[200]> {
  return {
    brands: [...brands],
    price: price && { min: ringgitFromSen(price.minSen), max: ringgitFromSen(price.maxSen) },
    total,
    correctedSearch: corrected,
  }
}

function withNames({ leading, other, corrected }: SearchTerms, words: readonly string[]): Understood {
  const nameKeys = [...nameKeysOf(words), ...(corrected === null ? [] : nameKeysOf(corrected.split(' ')))]
  return { leading, other, nameKeys, corrected }
}

/** Of a page on which the last of `limit` tells whether there is another one. */
function nextPlaceOf(places: readonly Place[], limit: number): z.infer<typeof Cursor> | null {
  const last = places.length === limit ? places[limit - 2] : undefined
  return last === undefined ? null : writePlace(last)
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
