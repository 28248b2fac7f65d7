import { ListingType, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { type Executor, sql, type Transaction, textPreparer } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isPublic, ProductIdRow, productVersion } from '../store.ts'
import type { CountedGroup } from './domain/facets.ts'
import type { ListingFilter } from './domain/listing-index.ts'
import type { Place } from './domain/place.ts'
import { isLikeEnough } from './search-terms.ts'

/** Every statement that finds products. */

/** Words that are compared with one that was typed. */
const NEAR_WORDS_MAX = 40
/** Of the parser of texts: what is between words. */
const BLANK_TOKEN = 12
const Texts = z.array(z.string())
const FoundPlaceRow = z.object({ id: z.number(), key: z.number(), version: z.string() })
/** With which version of the product counts: to ask for it later would be another statement. */
export type FoundPlace = z.infer<typeof FoundPlaceRow>

/** As many as a page of the site has, and the one that tells whether there is another page. */
const USUAL_LIMIT = 25
const prepared = textPreparer('list')

interface PageAsked {
  readonly limit: number
  readonly after: Place | null
}

const WordsRow = z.object({ words: Texts })

/** The words of each part of what somebody typed, as `products.search` has them: without case, accents and punctuation, parted as texts are. */
export async function wordsOfParts(
  executor: Executor,
  parts: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const rows = await executor.any(sql.type(WordsRow)`
    select array(select token from ts_parse('default', search_text(text)) where tokid <> ${BLANK_TOKEN}) as words
      from unnest(${sql.array([...parts], 'text')}) with ordinality as typed (text, part)
     order by part`)
  return rows.map(({ words }) => words)
}

/** For each word those of names and brands that are like it, those of what is gone or hidden among them. */
export async function wordsLike(executor: Executor, words: readonly string[]): Promise<readonly (readonly string[])[]> {
  const rows = await executor.any(sql.type(WordsRow)`
    select array(select known.word from search_words known
                  order by known.word operator(extensions.<->) asked.word limit ${NEAR_WORDS_MAX}) as words
      from unnest(${sql.array([...words], 'text')}) with ordinality as asked (word, place)
     order by place`)
  return rows.map(({ words: near }, place) => near.filter((word) => isLikeEnough(words[place] ?? '', word)))
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
  filter: ListingFilter,
  page: PageAsked & { readonly sort: ProductSort },
): Promise<readonly FoundPlace[]> {
  const { limit } = page
  const { key, order, isAfter } = ordered(page.sort, page.after)
  const isOneWalk = limit === USUAL_LIMIT && isWalkedFromOnePlace(filter, page.sort)
  const statement = sql.type(FoundPlaceRow)`
    select p.id, ${key} as key, ${productVersion} as version
      from products p
     where ${matches(filter)} and ${isAfter}
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
  { categoryId, listingTypes = [], minPriceSen, maxPriceSen, brandKeys = [], minRemaining }: ListingFilter,
  sort: ProductSort,
): boolean {
  const isByPrice = sort === 'price-asc' || sort === 'price-desc'
  const hasBounds = minPriceSen !== undefined || maxPriceSen !== undefined
  const hasOthers =
    categoryId !== undefined || minRemaining !== undefined || listingTypes.length > 0 || brandKeys.length > 0
  return !hasOthers && (isByPrice || !hasBounds)
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

const CountedGroupRow = z.object({
  categoryId: z.number(),
  listingType: ListingType,
  brandKey: z.string(),
  brand: z.string(),
  pricesSen: z.array(z.number()),
  countsUpTo: z.array(z.number()),
})

/**
 * Everything that everybody may see and is so full, as counts by category, type, brand and price: so many as there are such combinations, whichever
 * way they are narrowed afterwards.
 */
export function countProducts(
  executor: Executor,
  { minRemaining }: Pick<ListingFilter, 'minRemaining'>,
): Promise<readonly CountedGroup[]> {
  return executor.any(sql.type(CountedGroupRow)`
    with cells as (
      select p.category_id, p.listing_type, p.brand_key, p.current_price_sen as price_sen, min(p.brand) as brand,
             sum(count(*)) over (partition by p.category_id, p.listing_type, p.brand_key order by p.current_price_sen) as up_to
        from products p
       where ${matches({ minRemaining })}
       group by p.category_id, p.listing_type, p.brand_key, p.current_price_sen
    )
    select category_id as "categoryId", listing_type as "listingType", brand_key as "brandKey", min(brand) as brand,
           array_agg(price_sen::integer order by price_sen) as "pricesSen",
           array_agg(up_to::integer order by price_sen) as "countsUpTo"
      from cells
     group by category_id, listing_type, brand_key`)
}

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
}: ListingFilter) {
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
