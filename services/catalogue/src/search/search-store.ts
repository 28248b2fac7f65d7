import { ListingType, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { type Executor, type Fragment, sql, type Transaction, textPreparer } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isPublic, ProductIdRow, productVersion } from '../store.ts'
import type { CountedGroup } from './domain/facets.ts'
import type { FoundFilter, FoundListing, Place } from './domain/found.ts'
import { type AskedWord, FORMS_MAX, isLikeEnough, SEARCH_WORDS_MAX, USES_COUNTED_MAX } from './search-terms.ts'

/** Every statement that finds products. */

/** Of a list so many products are walked in its order for words; fewer than a page among them makes the words rare. */
const WALKED_MAX = 1000
/** So many products with its words are fetched for a search at once; where more have them, one page is found sooner by walking. */
const FEW_MAX = 2000
/** Words that are compared with one that was typed. */
const NEAR_WORDS_MAX = 40
/** Places in the order of relevance. */
const NAME_TIER = 0
const TITLE_TIER = 1
const DESCRIPTION_TIER = 2
const CORRECTED_TIER = 3

export interface ProductFilter extends FoundFilter {
  /** As `searchTerms` makes it. */
  readonly tsquery?: string | undefined
}

const FoundPlaceRow = z.object({ id: z.number(), key: z.number(), version: z.string() })
/** With which version of the product counts: to ask for it later would be another statement. */
export type FoundPlace = z.infer<typeof FoundPlaceRow>

/** As many as a page of the site has, and the one that tells whether there is another page. */
const USUAL_LIMIT = 25
const prepared = textPreparer('list')
const preparedFew = textPreparer('few')

interface PageAsked {
  readonly limit: number
  readonly after: Place | null
  /** How many are walked for words. */
  readonly walkedMax?: number | undefined
}

const AskedWordRow = z.object({
  part: z.number(),
  word: z.string(),
  forms: z.array(z.string()),
  uses: z.number(),
  near: z.array(z.string()),
})

/**
 * The words of each part of what somebody typed, and how many listings that everybody may see have each, or a longer one. Likeness is looked up
 * only among words of names and brands that everybody may see.
 * @param nearUpToUses of words with more uses nothing like them is looked up
 * @returns as many lists as there are parts
 */
export async function askedWords(
  executor: Executor,
  parts: readonly string[],
  nearUpToUses: number,
): Promise<readonly (readonly AskedWord[])[]> {
  const rows = await executor.any(sql.type(AskedWordRow)`
    with asked as (
      select part, number, word,
             array(select listed.word from listed_words listed
                    where listed.word >= asked.word and listed.word < asked.word || chr(1114111)
                    order by listed.word
                    limit ${FORMS_MAX + 1}) as forms
        from unnest(${sql.array([...parts], 'text')}) with ordinality as typed (text, part),
             unnest(string_to_array(search_text(text), ' ')) with ordinality as asked (word, number)
       where word <> '' and number <= ${SEARCH_WORDS_MAX}
    ), counted as (
      -- What so many words begin with is frequent, and to count it takes longest.
      select *, case when cardinality(forms) > ${FORMS_MAX} then ${USES_COUNTED_MAX}::integer
                     else ${usesOf(sql.fragment`p.search @@ to_tsquery('simple', '''' || array_to_string(word || forms, ''' | ''') || '''')`)}
                 end as uses
        from asked
    )
    select part, word, forms, uses,
           case when uses > ${nearUpToUses} then '{}'
                else array(select like_it.word
                             from (select word from search_words order by word operator(extensions.<->) counted.word
                                    limit ${NEAR_WORDS_MAX}) like_it)
            end as near
      from counted
     order by part, number`)
  const words = rows.map(({ near, ...row }) => ({ ...row, near: near.filter((word) => isLikeEnough(row.word, word)) }))
  const uses = await countUses(executor, [...new Set(words.flatMap(({ near }) => near))])
  const known = words.map(({ part, forms, near, ...row }) => ({
    part,
    asked: {
      ...row,
      forms: forms.length > FORMS_MAX ? null : forms,
      near: near.map((like) => ({ word: like, uses: uses.get(like) ?? 0 })),
    },
  }))
  return parts.map((_, index) => known.filter(({ part }) => part === index + 1).map(({ asked }) => asked))
}

const UsesRow = z.object({ word: z.string(), uses: z.number() })

/** Reading in which listings a frequent word is takes milliseconds: it is done for words that may be meant only. */
async function countUses(executor: Executor, words: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (words.length === 0) return new Map()
  const rows = await executor.any(sql.type(UsesRow)`
    select word, ${usesOf(sql.fragment`p.title_search @@ to_tsquery('simple', '''' || word || '''')`)} as uses
      from unnest(${sql.array([...words], 'text')}) as word`)
  return new Map(rows.map(({ word, uses }) => [word, uses]))
}

const usesOf = (inIndex: Fragment) => sql.fragment`
  (select count(*)::integer from (select from products p where ${inIndex} and ${isPublic} limit ${USES_COUNTED_MAX}) found)`

const FoundRow = z.object({ found: z.array(z.boolean()) })

/** Whether each of these searches finds anything that everybody may see. */
export async function areFound(executor: Executor, tsqueries: readonly string[]): Promise<readonly boolean[]> {
  // By the index of words: Postgres would rather walk through the products until one has them.
  const isFound = (tsquery: string) => sql.fragment`exists (
    with found as materialized (select p.seller_id, p.status from products p where ${inText(tsquery)})
    select from found p where ${isPublic})`
  const { found } = await executor.one(sql.type(FoundRow)`
    select array[${sql.join(tsqueries.map(isFound), sql.fragment`, `)}] as found`)
  return found
}

/** Adds the words of a name and a brand; sorted, so that two who add the same ones never wait for each other. */
export async function rememberWords(transaction: Transaction, text: string): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into search_words (word)
    select distinct word from unnest(string_to_array(search_names(${text}), ' ')) as word where word <> '' order by word
    on conflict do nothing`)
}

/** A page of what everybody may see, by an index in the page's order: page 100 costs what page 1 costs. */
export async function listProducts(
  executor: Executor,
  { tsquery, ...filter }: ProductFilter,
  page: PageAsked & { readonly sort: ProductSort },
): Promise<readonly FoundPlace[]> {
  const { limit, walkedMax } = page
  const { key, order, isAfter } = ordered(page.sort, page.after)
  const condition = sql.fragment`${matches(filter)} and ${isAfter}`
  if (tsquery !== undefined) {
    return findByWords(executor, { condition, hasWords: inText(tsquery), key, order, limit, walkedMax })
  }
  const isOneWalk = limit === USUAL_LIMIT && isWalkedFromOnePlace(filter, page.sort)
  const statement = sql.type(FoundPlaceRow)`
    select p.id, ${key} as key, ${productVersion()} as version
      from products p
     where ${condition}
     order by ${order}
     limit ${isOneWalk ? sql.literalValue(`${USUAL_LIMIT}`) : limit}`
  return executor.any(isOneWalk ? prepared(statement) : statement)
}

/**
 * Whether all that a list leaves out is before or behind what its order's index is walked through: then that is the way for all values, and the
 * statement is prepared. Where it is not, the best way depends on how many products there are of what is asked for. Postgres takes one plan for
 * all values only where it knows for how many rows, so these are a part of the text.
 */
function isWalkedFromOnePlace(
  { categoryId, listingTypes = [], minPriceSen, maxPriceSen, brandKeys = [], minRemaining }: ProductFilter,
  sort: ProductSort,
): boolean {
  const isByPrice = sort === 'price-asc' || sort === 'price-desc'
  const hasBounds = minPriceSen !== undefined || maxPriceSen !== undefined
  const hasOthers =
    categoryId !== undefined || minRemaining !== undefined || listingTypes.length > 0 || brandKeys.length > 0
  return !hasOthers && (isByPrice || !hasBounds)
}

const written = sql.fragment`p.written`

const Numbers = z.array(z.number())
const Texts = z.array(z.string())
/** By columns: to write a thousand rows one by one takes Postgres as long as to find them. */
const FewRow = z.object({
  ids: Numbers,
  ranks: Numbers,
  pricesSen: Numbers,
  salesCounts: Numbers,
  auctionEndsMs: Numbers,
  categoryIds: Numbers,
  listingTypes: z.array(ListingType),
  brandKeys: Texts,
  brands: Texts,
  remainingPercentages: Numbers,
})
const column = (name: Fragment) => sql.fragment`coalesce(array_to_json(array_agg(${name})), '[]')`

/**
 * All that a search finds, when few products have its words: these are fetched by the index of words and ranked as `listByRelevance` has them, for
 * whatever they are narrowed and ordered by afterwards. `null` when more than `FEW_MAX` have them.
 */
export async function findFew(
  executor: Executor,
  tsquery: string,
  ranking: Ranking,
): Promise<readonly FoundListing[] | null> {
  const { ids, ...found } = await executor.one(
    preparedFew(sql.type(FewRow)`
    select ${column(sql.fragment`id`)} as ids,
           ${column(sql.fragment`rank`)} as ranks,
           ${column(sql.fragment`current_price_sen`)} as "pricesSen",
           ${column(sql.fragment`sales_count`)} as "salesCounts",
           ${column(sql.fragment`auction_end_ms`)} as "auctionEndsMs",
           ${column(sql.fragment`category_id`)} as "categoryIds",
           ${column(sql.fragment`listing_type`)} as "listingTypes",
           ${column(sql.fragment`brand_key`)} as "brandKeys",
           ${column(sql.fragment`brand`)} as brands,
           ${column(sql.fragment`remaining_percentage`)} as "remainingPercentages"
      from (select p.*, ${rankOf(tsquery, ranking)} as rank
              from products p
             where p.search @@ ${madeOnce(tsquery)} and ${isPublic}
             limit ${FEW_MAX + 1}) found`),
  )
  if (ids.length > FEW_MAX) return null
  return ids.map((id, place) => ({
    id,
    rank: found.ranks[place] ?? 0,
    priceSen: found.pricesSen[place] ?? 0,
    salesCount: found.salesCounts[place] ?? 0,
    auctionEndMs: found.auctionEndsMs[place] ?? 0,
    categoryId: found.categoryIds[place] ?? 0,
    listingType: found.listingTypes[place] ?? 'fixed',
    brandKey: found.brandKeys[place] ?? '',
    brand: found.brands[place] ?? '',
    remainingPercentage: found.remainingPercentages[place] ?? 0,
  }))
}

/**
 * The places of a page of a search. Frequent words are found soon when the list is walked in its order, rare ones by the index of words, which
 * fetches and sorts all that has them. Which they are cannot be known beforehand: Postgres guesses badly how frequent words are together,
 * and a wrong guess walks through everything for the one product that has them. So a part is walked, and when that does not fill the page,
 * the words are rare enough to be fetched.
 */
async function findByWords(
  executor: Executor,
  search: Omit<PageAsked, 'after'> & Readonly<Record<'condition' | 'hasWords' | 'key' | 'order', Fragment>>,
): Promise<readonly FoundPlace[]> {
  const { condition, hasWords, key, order, limit, walkedMax = WALKED_MAX } = search
  const walked =
    walkedMax === 0
      ? []
      : await executor.any(sql.type(FoundPlaceRow)`
    select p.id, ${key} as key, ${productVersion(written)} as version
      from (select p.*, p.xmin as written from products p where ${condition} order by ${order} limit ${walkedMax}) p
     where ${hasWords} order by ${order} limit ${limit}`)
  if (walked.length >= limit) return walked
  // `offset 0` keeps Postgres from walking the list all the same.
  return executor.any(sql.type(FoundPlaceRow)`
    select p.id, ${key} as key, ${productVersion(written)} as version
      from (select p.*, p.xmin as written from products p where ${condition} and ${hasWords} offset 0) p order by ${order} limit ${limit}`)
}

/**
 * The products whose auction runs now by the database's clock, those that end first coming first. An auction that was set up again has
 * two summaries, of which the newest counts, and that one is never closed while it runs.
 */
export function listLive(executor: Executor, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(ProductIdRow)`
    select p.id
      from auction_summaries s
      join products p on p.id = s.product_id
     where s.closed_as is null and s.starts_at <= now() and s.ends_at > now() and p.listing_type = 'auction' and ${isPublic}
     order by s.ends_at, s.auction_id
     limit ${limit}`)
}

/** What a search without a wish for an order is ordered by, beside what it finds. */
export interface Ranking {
  /** What was typed, as `searchTerms` makes it: whatever has it comes before what was found by corrected words only. */
  readonly leading: string
  /** Names, as `search_key` of the database makes them, of which one may be the very name that is looked for. */
  readonly nameKeys: readonly string[]
}

/**
 * A page of a search without a wish for an order: what is named exactly so, then whose name or brand matches, then whose description does, then
 * what was found by corrected words only; of each what is boosted comes first, then the newest. What comes later is looked through only when
 * the page is not full. The key of a place is its rank.
 */
export async function listByRelevance(
  executor: Executor,
  { tsquery, ...filter }: ProductFilter & { readonly tsquery: string },
  { leading, nameKeys }: Ranking,
  page: PageAsked,
): Promise<readonly FoundPlace[]> {
  const { after, limit, walkedMax } = page
  const begun = after === null ? null : tierOf(after)
  const isNamedSo = isNamed(nameKeys)
  const inTitle = hasTitle(leading)
  const found: FoundPlace[] = []
  for (const [tier, hasWords] of [
    [NAME_TIER, sql.fragment`${inText(tsquery)} and ${isNamedSo}`],
    [TITLE_TIER, sql.fragment`${inTitle} and not ${isNamedSo}`],
    [DESCRIPTION_TIER, sql.fragment`${inText(leading)} and not ${inTitle} and not ${isNamedSo}`],
    [CORRECTED_TIER, sql.fragment`${inText(tsquery)} and not ${inText(leading)} and not ${isNamedSo}`],
  ] as const) {
    if (found.length >= limit || (begun !== null && begun.tier > tier)) continue
    if (tier === CORRECTED_TIER && leading === tsquery) continue
    const { key, order, isAfter } = ordered('featured', begun?.tier === tier ? begun.place : null)
    const condition = sql.fragment`${matches(filter)} and ${isAfter}`
    const isRare = tier === NAME_TIER
    const asked = { condition, hasWords, key, order, limit: limit - found.length, walkedMax: isRare ? 0 : walkedMax }
    const places = await findByWords(executor, asked)
    found.push(...places.map(({ key: isFeatured, ...place }) => ({ ...place, key: 2 * tier + 1 - isFeatured })))
  }
  return found
}

/** The same rank, of a product that a search finds: see `FoundListing`. */
const rankOf = (tsquery: string, { leading, nameKeys }: Ranking) => sql.fragment`
  2 * case when ${isNamed(nameKeys)} then ${NAME_TIER}::integer
           when p.title_search @@ ${madeOnce(leading)} then ${TITLE_TIER}::integer
           ${leading === tsquery ? sql.fragment`` : sql.fragment`when not p.search @@ ${madeOnce(leading)} then ${CORRECTED_TIER}::integer`}
           else ${DESCRIPTION_TIER}::integer end + 1 - p.is_featured::integer`

function isNamed(nameKeys: readonly string[]) {
  const keys = sql.array([...nameKeys], 'text')
  return sql.fragment`(p.name_key = any (${keys}) or p.full_name_key = any (${keys}))`
}

/** Where a plan is for all values, a value that is no part of a subselect of its own would be made for each row. */
const madeOnce = (tsquery: string) => sql.fragment`(select to_tsquery('simple', ${tsquery}))`

const hasTitle = (tsquery: string) => sql.fragment`p.title_search @@ to_tsquery('simple', ${tsquery})`

/** In which tier a place of a search is, and where in its order. */
function tierOf({ key: rank, id }: Place): { readonly tier: number; readonly place: Place } {
  return { tier: Math.floor(rank / 2), place: { key: rank % 2 === 0 ? 1 : 0, id } }
}

const CountedGroupRow = z.object({
  categoryId: z.number(),
  listingType: ListingType,
  brandKey: z.string(),
  brand: z.string(),
  pricesSen: z.array(z.number()),
  countsUpTo: z.array(z.number()),
})

/**
 * Everything that everybody may see, or what of it a search finds and is so full, as counts by category, type, brand and price: so many as there are
 * such combinations, whichever way they are narrowed afterwards.
 */
export function countProducts(
  executor: Executor,
  { tsquery, minRemaining }: Pick<ProductFilter, 'tsquery' | 'minRemaining'>,
): Promise<readonly CountedGroup[]> {
  return executor.any(sql.type(CountedGroupRow)`
    with cells as (
      select p.category_id, p.listing_type, p.brand_key, p.current_price_sen as price_sen, min(p.brand) as brand,
             sum(count(*)) over (partition by p.category_id, p.listing_type, p.brand_key order by p.current_price_sen) as up_to
        from products p
       where ${matches({ minRemaining })} and ${tsquery === undefined ? sql.fragment`true` : inText(tsquery)}
       group by p.category_id, p.listing_type, p.brand_key, p.current_price_sen
    )
    select category_id as "categoryId", listing_type as "listingType", brand_key as "brandKey", min(brand) as brand,
           array_agg(price_sen::integer order by price_sen) as "pricesSen",
           array_agg(up_to::integer order by price_sen) as "countsUpTo"
      from cells
     group by category_id, listing_type, brand_key`)
}

const inText = (tsquery: string) => sql.fragment`p.search @@ to_tsquery('simple', ${tsquery})`

const KeyRow = z.object({ key: z.string() })

/** Brands as they are compared: without case, accents and punctuation. */
export function brandKeysOf(executor: Executor, brands: readonly string[]): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(KeyRow)`
    select search_text(brand) as key from unnest(${sql.array([...brands], 'text')}) as brand`)
}

function matches({
  categoryId,
  listingTypes = [],
  minPriceSen,
  maxPriceSen,
  brandKeys = [],
  minRemaining,
}: Omit<ProductFilter, 'tsquery'>) {
  const conditions = [isPublic]
  if (categoryId !== undefined) conditions.push(sql.fragment`p.category_id = ${categoryId}`)
  if (listingTypes.length > 0) {
    conditions.push(sql.fragment`p.listing_type = any (${sql.array([...listingTypes], 'text')})`)
  }
  if (minPriceSen !== undefined) conditions.push(sql.fragment`p.current_price_sen >= ${minPriceSen}`)
  if (maxPriceSen !== undefined) conditions.push(sql.fragment`p.current_price_sen <= ${maxPriceSen}`)
  if (minRemaining !== undefined) conditions.push(sql.fragment`p.remaining_percentage >= ${minRemaining}`)
  if (brandKeys.length > 0) conditions.push(sql.fragment`p.brand_key = any (${sql.array([...brandKeys], 'text')})`)
  return sql.join(conditions, sql.fragment` and `)
}

function ordered(sort: ProductSort, after: Place | null) {
  const everything = sql.fragment`true`
  switch (sort) {
    case 'newest':
      return {
        key: sql.fragment`0`,
        order: sql.fragment`p.id desc`,
        isAfter: after ? sql.fragment`p.id < ${after.id}` : everything,
      }
    case 'featured':
      return {
        key: sql.fragment`p.is_featured::integer`,
        order: sql.fragment`p.is_featured desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.is_featured, p.id) < (${after.key === 1}, ${after.id})` : everything,
      }
    case 'price-asc':
      return {
        key: sql.fragment`p.current_price_sen`,
        order: sql.fragment`p.current_price_sen, p.id`,
        isAfter: after ? sql.fragment`(p.current_price_sen, p.id) > (${after.key}, ${after.id})` : everything,
      }
    case 'price-desc':
      return {
        key: sql.fragment`p.current_price_sen`,
        order: sql.fragment`p.current_price_sen desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.current_price_sen, p.id) < (${after.key}, ${after.id})` : everything,
      }
    case 'best-selling':
      return {
        key: sql.fragment`p.sales_count`,
        order: sql.fragment`p.sales_count desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.sales_count, p.id) < (${after.key}::int8, ${after.id})` : everything,
      }
    case 'ending-soonest':
      return {
        key: sql.fragment`p.auction_end_ms`,
        order: sql.fragment`p.auction_end_ms, p.id`,
        isAfter: after ? sql.fragment`(p.auction_end_ms, p.id) > (${after.key}, ${after.id})` : everything,
      }
    default:
      return sort satisfies never
  }
}
