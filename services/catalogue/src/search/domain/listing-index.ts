import { ListingType, type ProductSort } from '@wangian/contracts/catalogue.ts'
import type { FacetFilter, Facets } from './facets.ts'
import { countBefore } from './halving.ts'
import type { Place } from './place.ts'
import { grown } from './texts-of-words.ts'
import { type Term, WordIndex, type WordQuery } from './word-index.ts'

/** What lists have to know of a listing that everybody may see. */
export interface IndexedListing {
  readonly id: number
  readonly categoryId: number
  readonly listingType: ListingType
  readonly priceSen: number
  readonly salesCount: number
  /** `Number.MAX_SAFE_INTEGER` for what is not in an auction. */
  readonly auctionEndMs: number
  readonly remainingPercentage: number
  readonly isFeatured: boolean
  readonly brand: string
  /** The brand as it is compared. */
  readonly brandKey: string
  /** The name, and the brand with the name, as somebody looks for the very name. */
  readonly nameKey: string
  readonly fullNameKey: string
  /** Of brand and name, and those that only the description has; each once. */
  readonly titleWords: readonly string[]
  readonly otherWords: readonly string[]
  /** Another number when its words and names have become others. */
  readonly wordsVersion: number
}

export interface ListingFilter extends FacetFilter {
  /** How full bottles are at least, in percent. */
  readonly minRemaining?: number | undefined
}

/** What is looked for, and what comes first of what is found. */
export interface Search {
  /** What was typed, if that may find anything: it comes first. */
  readonly leading: WordQuery
  /** What else it may mean. */
  readonly other: WordQuery | null
  /** Names of which one may be the very name that is looked for. */
  readonly nameKeys: readonly string[]
}

export interface Found {
  /** Whether the search finds anything, however it is narrowed. */
  readonly isFound: boolean
}

export interface PageAsked {
  /** By relevance when not given. */
  readonly sort: ProductSort | undefined
  readonly after: Place | null
  readonly limit: number
}

/**
 * What comes first without a wish for an order: what is named exactly so, then whose name or brand matches, then whose description does, then what was
 * found by corrected words only; of each what is boosted comes first, then the newest.
 */
const NAME_TIER = 0
const TITLE_TIER = 1
const DESCRIPTION_TIER = 2
const CORRECTED_TIER = 3

/** Less that is of no use is not worth filling an index anew: a megabyte or two. */
const USELESS_WEIGHT_MIN = 10_000

const columnTypes = {
  id: Float64Array,
  priceSen: Float64Array,
  auctionEndMs: Float64Array,
  wordsVersion: Float64Array,
  salesCount: Uint32Array,
  brand: Uint32Array,
  brandKey: Uint32Array,
  nameKey: Uint32Array,
  fullNameKey: Uint32Array,
  categoryId: Uint16Array,
  /** How many words it has, and one more for what a row takes without any. */
  weight: Uint16Array,
  listingType: Uint8Array,
  remainingPercentage: Uint8Array,
  isFeatured: Uint8Array,
} as const
type ColumnName = keyof typeof columnTypes
type Columns = { -readonly [Name in ColumnName]: InstanceType<(typeof columnTypes)[Name]> }

interface Order {
  readonly keyOf: (row: number, rank: number) => number
  /** 1 for an ascending one. */
  readonly keys: 1 | -1
  readonly ids: 1 | -1
}

/**
 * All listings that everybody may see, in memory: finds them by their words, narrows, orders and counts them. What it finds is what it was told last. A listing has
 * a row of numbers, and another row once its words are others; the rows that were left are of no use.
 */
export class ListingIndex {
  readonly #rowOf = new Map<number, number>()
  readonly #words = new WordIndex()
  readonly #brands = new Numbering()
  readonly #brandKeys = new Numbering()
  readonly #names = new Numbering()
  #columns = columnsOf((Kind) => new Kind(0))
  #rows = 0
  /** Of all rows, and of those that are of use. */
  #weight = 0
  #weightInUse = 0
  #foundRows = new Uint32Array()
  #foundRanks = new Uint8Array()
  #foundCount = 0
  /** By row: in which search it was found last. */
  #foundIn = new Uint32Array()
  #searches = 0

  readonly #orders: Readonly<Record<ProductSort | 'relevance', Order>> = {
    relevance: { keyOf: (_, rank) => rank, keys: 1, ids: -1 },
    newest: { keyOf: () => 0, keys: 1, ids: -1 },
    featured: { keyOf: (row) => this.#columns.isFeatured[row] ?? 0, keys: -1, ids: -1 },
    'price-asc': { keyOf: (row) => this.#columns.priceSen[row] ?? 0, keys: 1, ids: 1 },
    'price-desc': { keyOf: (row) => this.#columns.priceSen[row] ?? 0, keys: -1, ids: -1 },
    'best-selling': { keyOf: (row) => this.#columns.salesCount[row] ?? 0, keys: -1, ids: -1 },
    'ending-soonest': { keyOf: (row) => this.#columns.auctionEndMs[row] ?? 0, keys: 1, ids: 1 },
  }

  /** Whether so much of it is of no use that it is filled anew: a seller may change a listing often, each time to hundreds of words that nobody has used. */
  get isWorn(): boolean {
    return this.#weight - this.#weightInUse > this.#weightInUse / 4 + USELESS_WEIGHT_MIN
  }

  save(listing: IndexedListing): void {
    const known = this.#rowOf.get(listing.id)
    if (known !== undefined && this.#columns.wordsVersion[known] === listing.wordsVersion) {
      this.#write(known, listing)
      return
    }
    this.drop(listing.id)
    const row = this.#rows
    this.#rows += 1
    if (row >= this.#foundIn.length) this.#grow()
    this.#rowOf.set(listing.id, row)
    this.#write(row, listing)
    const weight = 1 + listing.titleWords.length + listing.otherWords.length
    this.#columns.weight[row] = weight
    this.#weight += weight
    this.#weightInUse += weight
    this.#words.add(row, listing.titleWords, listing.otherWords)
  }

  drop(productId: number): void {
    const row = this.#rowOf.get(productId)
    if (row === undefined) return
    this.#rowOf.delete(productId)
    this.#weightInUse -= this.#columns.weight[row] ?? 0
    this.#words.remove(row)
  }

  /** How many listings have one of these words, or have it in brand or name, as far as `max`. */
  countUses(terms: readonly Term[], max: number, where?: 'text' | 'title'): number {
    return this.#words.count(terms, max, where)
  }

  hasAny(query: WordQuery): boolean {
    return this.#words.match(query, () => {}) > 0
  }

  /** A page of what a search finds, and how many there are on all its pages. */
  page(
    search: Search,
    filter: ListingFilter,
    page: PageAsked,
  ): Found & { readonly places: readonly Place[]; readonly total: number } {
    this.#find(search)
    const isOf = this.#narrower(filter)
    const { keyOf, keys, ids } = this.#orders[page.sort ?? 'relevance']
    const isBefore = (one: Place, other: Place) => (keys * (one.key - other.key) || ids * (one.id - other.id)) < 0
    const { after, limit } = page
    const places: Place[] = []
    let total = 0
    // By age as the order has those that are alike: what comes behind a full page is passed over.
    const [start, step] = ids === 1 ? [0, 1] : [this.#foundCount - 1, -1]
    for (let place = start; place >= 0 && place < this.#foundCount; place += step) {
      const row = this.#foundRows[place] ?? 0
      if (!isOf(row)) continue
      total += 1
      const found = { id: this.#columns.id[row] ?? 0, key: keyOf(row, this.#foundRanks[place] ?? 0) }
      const last = places[limit - 1]
      if (last !== undefined && !isBefore(found, last)) continue
      if (after !== null && (isBefore(found, after) || found.id === after.id)) continue
      const behind = countBefore(places.length, (known) => isBefore(places[known] ?? found, found))
      places.splice(behind, 0, found)
      if (places.length > limit) places.pop()
    }
    return { places, total, isFound: this.#foundCount > 0 }
  }

  /** What a search may be narrowed by, as `summarise` says it of everything. */
  facets(search: Search, filter: ListingFilter, brandsMax: number): Found & Facets {
    this.#find(search)
    const { brandKeys: _, minPriceSen = 0, maxPriceSen = Infinity, ...others } = filter
    const isOfOthers = this.#narrower(others)
    const isOfBrands = this.#narrower({ brandKeys: filter.brandKeys })
    const brands = new Map<number, { brand: string; count: number }>()
    let [minSen, maxSen, total] = [Infinity, -Infinity, 0]
    for (let place = 0; place < this.#foundCount; place += 1) {
      const row = this.#foundRows[place] ?? 0
      if (!isOfOthers(row)) continue
      const priceSen = this.#columns.priceSen[row] ?? 0
      const isInRange = priceSen >= minPriceSen && priceSen <= maxPriceSen
      if (isInRange) this.#countBrand(row, brands)
      if (!isOfBrands(row)) continue
      minSen = Math.min(minSen, priceSen)
      maxSen = Math.max(maxSen, priceSen)
      if (isInRange) total += 1
    }
    const keyOf = ([key]: readonly [number, unknown]) => this.#brandKeys.textOf(key)
    const sorted = [...brands].sort(
      (one, other) => other[1].count - one[1].count || (keyOf(one) < keyOf(other) ? -1 : 1),
    )
    return {
      brands: sorted.slice(0, brandsMax).map(([, brand]) => brand),
      price: minSen > maxSen ? null : { minSen, maxSen },
      total,
      isFound: this.#foundCount > 0,
    }
  }

  /** Of the ways in which sellers write a brand the first by the alphabet is shown. */
  #countBrand(row: number, brands: Map<number, { brand: string; count: number }>): void {
    const key = this.#columns.brandKey[row] ?? 0
    const brand = this.#brands.textOf(this.#columns.brand[row] ?? 0)
    const known = brands.get(key)
    if (known === undefined) {
      brands.set(key, { brand, count: 1 })
      return
    }
    known.count += 1
    if (brand < known.brand) known.brand = brand
  }

  /** Fills the found rows, until the next search: their ranks are their tiers, twice, and one more for what is not boosted. */
  #find({ leading, other, nameKeys }: Search): void {
    const names = new Set(nameKeys.flatMap((key) => this.#names.find(key) ?? []))
    const { nameKey, fullNameKey, isFeatured } = this.#columns
    this.#foundCount = 0
    this.#searches += 1
    const add = (row: number, tierOfOthers: number) => {
      if (this.#foundIn[row] === this.#searches) return
      this.#foundIn[row] = this.#searches
      const isNamedSo = names.size > 0 && (names.has(nameKey[row] ?? 0) || names.has(fullNameKey[row] ?? 0))
      const tier = isNamedSo ? NAME_TIER : tierOfOthers
      this.#foundRows[this.#foundCount] = row
      this.#foundRanks[this.#foundCount] = 2 * tier + 1 - (isFeatured[row] ?? 0)
      this.#foundCount += 1
    }
    this.#words.match(leading, (row, isInTitle) => add(row, isInTitle ? TITLE_TIER : DESCRIPTION_TIER))
    if (other !== null) this.#words.match(other, (row) => add(row, CORRECTED_TIER))
  }

  #narrower(filter: ListingFilter): (row: number) => boolean {
    const {
      categoryId,
      listingTypes = [],
      brandKeys = [],
      minPriceSen = 0,
      maxPriceSen = Infinity,
      minRemaining = 0,
    } = filter
    const columns = this.#columns
    const types = new Set(listingTypes.map((type) => ListingType.options.indexOf(type)))
    const brands = new Set(brandKeys.map((key) => this.#brandKeys.find(key)))
    return (row) => {
      const priceSen = columns.priceSen[row] ?? 0
      return (
        (categoryId === undefined || columns.categoryId[row] === categoryId) &&
        priceSen >= minPriceSen &&
        priceSen <= maxPriceSen &&
        (columns.remainingPercentage[row] ?? 0) >= minRemaining &&
        (types.size === 0 || types.has(columns.listingType[row] ?? 0)) &&
        (brands.size === 0 || brands.has(columns.brandKey[row]))
      )
    }
  }

  #write(row: number, listing: IndexedListing): void {
    const columns = this.#columns
    columns.id[row] = listing.id
    columns.priceSen[row] = listing.priceSen
    columns.auctionEndMs[row] = listing.auctionEndMs
    columns.wordsVersion[row] = listing.wordsVersion
    columns.salesCount[row] = listing.salesCount
    columns.brand[row] = this.#brands.numberOf(listing.brand)
    columns.brandKey[row] = this.#brandKeys.numberOf(listing.brandKey)
    columns.nameKey[row] = this.#names.numberOf(listing.nameKey)
    columns.fullNameKey[row] = this.#names.numberOf(listing.fullNameKey)
    columns.categoryId[row] = listing.categoryId
    columns.listingType[row] = ListingType.options.indexOf(listing.listingType)
    columns.remainingPercentage[row] = listing.remainingPercentage
    columns.isFeatured[row] = listing.isFeatured ? 1 : 0
  }

  #grow(): void {
    const room = Math.max(64, this.#rows * 2)
    this.#columns = columnsOf((_, name) => grown(this.#columns[name], room))
    this.#foundRows = grown(this.#foundRows, room)
    this.#foundRanks = grown(this.#foundRanks, room)
    this.#foundIn = grown(this.#foundIn, room)
  }
}

function columnsOf(make: (Kind: (typeof columnTypes)[ColumnName], name: ColumnName) => Columns[ColumnName]): Columns {
  const names = Object.keys(columnTypes) as ColumnName[]
  return Object.fromEntries(names.map((name) => [name, make(columnTypes[name], name)])) as Columns
}

/** Texts by numbers from 0 on, each once. */
class Numbering {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []

  numberOf(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.#texts.length)
    return this.#texts.push(text) - 1
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text)
  }

  textOf(number: number): string {
    return this.#texts[number] ?? ''
  }
}
