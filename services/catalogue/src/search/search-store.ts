import { ListingType, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { findProducts, isPublic, ProductIdRow, type ProductRow } from '../store.ts'
import type { CountedGroup, FacetFilter } from './domain/facets.ts'
import { type AskedWord, ERRORS_MAX, SEARCH_WORDS_MAX, USES_COUNTED_MAX } from './search-terms.ts'

/** Every statement that finds products. */

/** Of a list so many products are walked in its order for words; fewer than a page among them makes the words rare. */
const WALKED_MAX = 1000
/** Words that are compared with one that was typed. */
const NEAR_WORDS_MAX = 40
/** Places in the order of relevance. */
const NAME_TIER = 0
const TITLE_TIER = 1
const DESCRIPTION_TIER = 2
const CORRECTED_TIER = 3

export interface ProductFilter extends FacetFilter {
  /** As `searchTerms` makes it. */
  readonly tsquery?: string | undefined
  /** How full bottles are at least, in percent. */
  readonly minRemaining?: number | undefined
}

/** Where a page begins: behind the product with this id, whose place in the order is `key` (0 where the id alone decides). */
export interface Place {
  readonly key: number
  readonly id: number
}

interface PageAsked {
  readonly limit: number
  readonly after: Place | null
  /** How many are walked for words. */
  readonly walkedMax?: number | undefined
}

const AskedWordRow = z.object({
  word: z.string(),
  uses: z.number(),
  near: z.array(z.object({ word: z.string(), uses: z.number() })),
})

/**
 * The words of what somebody typed, and how many listings that everybody may see have each, or a longer one. Likeness is looked up only among
 * words of names and brands that everybody may see.
 * @param nearUpToUses of words with more uses nothing like them is looked up
 */
export function askedWords(executor: Executor, text: string, nearUpToUses: number): Promise<readonly AskedWord[]> {
  const usesOf = (inIndex: Fragment) => sql.fragment`
    (select count(*)::integer from (select from products p where ${inIndex} and ${isPublic} limit ${USES_COUNTED_MAX}) found)`
  return executor.any(sql.type(AskedWordRow)`
    with asked as (
      select word, number, ${usesOf(sql.fragment`p.search @@ to_tsquery('simple', '''' || word || ''':*')`)} as uses
        from unnest(string_to_array(search_text(${text}), ' ')) with ordinality as asked (word, number)
       where word <> ''
       order by number
       limit ${SEARCH_WORDS_MAX}
    )
    select word, uses,
           case when uses > ${nearUpToUses} then '[]'
                else (select coalesce(jsonb_agg(jsonb_build_object('word', near.word, 'uses', near.uses)), '[]')
                        from (select like_it.word, ${usesOf(sql.fragment`p.title_search @@ to_tsquery('simple', '''' || like_it.word || '''')`)} as uses
                                from (select word from search_words order by word operator(extensions.<->) asked.word
                                       limit ${NEAR_WORDS_MAX}) like_it
                               where abs(length(like_it.word) - length(asked.word)) <= ${ERRORS_MAX}) near
                       where near.uses > 0)
            end as near
      from asked
     order by number`)
}

/** Whether a search finds anything that everybody may see. */
export function isFound(executor: Executor, tsquery: string): Promise<boolean> {
  return executor.exists(sql.unsafe`select from products p where ${inText(tsquery)} and ${isPublic}`)
}

/** Adds the words of a name and a brand; sorted, so that two who add the same ones never wait for each other. */
export async function rememberWords(transaction: Transaction, text: string): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into search_words (word)
    select distinct word from unnest(string_to_array(search_names(${text}), ' ')) as word where word <> '' order by word
    on conflict do nothing`)
}

/** What the order is by, so that the next page can begin behind the last product of this one. */
export function placeOf(sort: ProductSort, row: ProductRow): Place {
  switch (sort) {
    case 'featured':
      return { key: row.isFeatured ? 1 : 0, id: row.id }
    case 'price-asc':
    case 'price-desc':
      return { key: row.currentPriceSen, id: row.id }
    case 'best-selling':
      return { key: row.salesCount, id: row.id }
    case 'ending-soonest':
      return { key: row.auctionEndMs, id: row.id }
    case 'newest':
      return { key: 0, id: row.id }
    default:
      return sort satisfies never
  }
}

/** A page of what everybody may see, by an index in the page's order: page 100 costs what page 1 costs. */
export async function listProducts(
  executor: Executor,
  { tsquery, ...filter }: ProductFilter,
  page: PageAsked & { readonly sort: ProductSort },
): Promise<readonly ProductRow[]> {
  const { limit, walkedMax } = page
  const { order, isAfter } = ordered(page.sort, page.after)
  const condition = sql.fragment`${matches(filter)} and ${isAfter}`
  if (tsquery !== undefined) {
    return findProducts(
      executor,
      await findByWords(executor, { condition, hasWords: inText(tsquery), order, limit, walkedMax }),
    )
  }
  const ids = await executor.anyFirst(sql.type(ProductIdRow)`
    select p.id from products p where ${condition} order by ${order} limit ${limit}`)
  return findProducts(executor, ids)
}

/**
 * The ids of a page of a search. Frequent words are found soon when the list is walked in its order, rare ones by the index of words, which
 * fetches and sorts all that has them. Which they are cannot be known beforehand: Postgres guesses badly how frequent words are together,
 * and a wrong guess walks through everything for the one product that has them. So a part is walked, and when that does not fill the page,
 * the words are rare enough to be fetched.
 */
async function findByWords(
  executor: Executor,
  search: Omit<PageAsked, 'after'> & Readonly<Record<'condition' | 'hasWords' | 'order', Fragment>>,
): Promise<readonly number[]> {
  const { condition, hasWords, order, limit, walkedMax = WALKED_MAX } = search
  const walked =
    walkedMax === 0
      ? []
      : await executor.anyFirst(sql.type(ProductIdRow)`
    select p.id from (select * from products p where ${condition} order by ${order} limit ${walkedMax}) p
     where ${hasWords} order by ${order} limit ${limit}`)
  if (walked.length >= limit) return walked
  // `offset 0` keeps Postgres from walking the list all the same.
  return executor.anyFirst(sql.type(ProductIdRow)`
    select p.id from (select * from products p where ${condition} and ${hasWords} offset 0) p order by ${order} limit ${limit}`)
}

type Fragment = ReturnType<typeof sql.fragment>

/**
 * The products whose auction runs now by the database's clock, those that end first coming first. An auction that was set up again has
 * two summaries, of which the newest counts, and that one is never closed while it runs.
 */
export async function listLive(executor: Executor, limit: number): Promise<readonly ProductRow[]> {
  const ids = await executor.anyFirst(sql.type(ProductIdRow)`
    select p.id
      from auction_summaries s
      join products p on p.id = s.product_id
     where s.closed_as is null and s.starts_at <= now() and s.ends_at > now() and p.listing_type = 'auction' and ${isPublic}
     order by s.ends_at, s.auction_id
     limit ${limit}`)
  return findProducts(executor, ids)
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
 * the page is not full.
 * @returns each with its rank, which is the key of its place
 */
export async function listByRelevance(
  executor: Executor,
  { tsquery, ...filter }: ProductFilter & { readonly tsquery: string },
  { leading, nameKeys }: Ranking,
  page: PageAsked,
): Promise<readonly (ProductRow & { readonly rank: number })[]> {
  const { after, limit, walkedMax } = page
  const begun = after === null ? null : tierOf(after)
  const keys = sql.array([...nameKeys], 'text')
  const isNamedSo = sql.fragment`(p.name_key = any (${keys}) or p.full_name_key = any (${keys}))`
  const inTitle = sql.fragment`p.title_search @@ to_tsquery('simple', ${leading})`
  const tiers = new Map<number, number>()
  for (const [tier, hasWords] of [
    [NAME_TIER, sql.fragment`${inText(tsquery)} and ${isNamedSo}`],
    [TITLE_TIER, sql.fragment`${inTitle} and not ${isNamedSo}`],
    [DESCRIPTION_TIER, sql.fragment`${inText(leading)} and not ${inTitle} and not ${isNamedSo}`],
    [CORRECTED_TIER, sql.fragment`${inText(tsquery)} and not ${inText(leading)} and not ${isNamedSo}`],
  ] as const) {
    if (tiers.size >= limit || (begun !== null && begun.tier > tier)) continue
    if (tier === CORRECTED_TIER && leading === tsquery) continue
    const { order, isAfter } = ordered('featured', begun?.tier === tier ? begun.place : null)
    const condition = sql.fragment`${matches(filter)} and ${isAfter}`
    const isRare = tier === NAME_TIER
    const asked = { condition, hasWords, order, limit: limit - tiers.size, walkedMax: isRare ? 0 : walkedMax }
    for (const id of await findByWords(executor, asked)) tiers.set(id, tier)
  }
  const rows = await findProducts(executor, [...tiers.keys()])
  return rows.map((row) => ({ ...row, rank: 2 * (tiers.get(row.id) ?? TITLE_TIER) + (row.isFeatured ? 0 : 1) }))
}

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
  counts: z.array(z.number()),
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
      select p.category_id, p.listing_type, p.brand_key, p.current_price_sen as price_sen, min(p.brand) as brand, count(*) as products
        from products p
       where ${matches({ minRemaining })} and ${tsquery === undefined ? sql.fragment`true` : inText(tsquery)}
       group by p.category_id, p.listing_type, p.brand_key, p.current_price_sen
    )
    select category_id as "categoryId", listing_type as "listingType", brand_key as "brandKey", min(brand) as brand,
           array_agg(price_sen::integer order by price_sen) as "pricesSen",
           array_agg(products::integer order by price_sen) as counts
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
      return { order: sql.fragment`p.id desc`, isAfter: after ? sql.fragment`p.id < ${after.id}` : everything }
    case 'featured':
      return {
        order: sql.fragment`p.is_featured desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.is_featured, p.id) < (${after.key === 1}, ${after.id})` : everything,
      }
    case 'price-asc':
      return {
        order: sql.fragment`p.current_price_sen, p.id`,
        isAfter: after ? sql.fragment`(p.current_price_sen, p.id) > (${after.key}, ${after.id})` : everything,
      }
    case 'price-desc':
      return {
        order: sql.fragment`p.current_price_sen desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.current_price_sen, p.id) < (${after.key}, ${after.id})` : everything,
      }
    case 'best-selling':
      return {
        order: sql.fragment`p.sales_count desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.sales_count, p.id) < (${after.key}, ${after.id})` : everything,
      }
    case 'ending-soonest':
      return {
        order: sql.fragment`p.auction_end_ms, p.id`,
        isAfter: after ? sql.fragment`(p.auction_end_ms, p.id) > (${after.key}, ${after.id})` : everything,
      }
    default:
      return sort satisfies never
  }
}
