import type { ListingType, ProductSort } from '@wangian/contracts/catalogue.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/postgres.ts'
import { z } from 'zod'
import { type AskedWord, SEARCH_WORDS_MAX } from './search-terms.ts'
import { isPublic, ProductRow, productColumns, productTables } from './store.ts'

/** Every statement that finds products. */

export interface ProductFilter {
  readonly categoryId?: number | undefined
  /** None is any. */
  readonly listingTypes?: readonly ListingType[] | undefined
  readonly minPriceSen?: number | undefined
  readonly maxPriceSen?: number | undefined
  /** However their letters are written; none is any. */
  readonly brands?: readonly string[] | undefined
  /** As `searchTerms` makes it. */
  readonly tsquery?: string | undefined
}

/** Where a page begins: behind the product with this id, whose place in the order is `key` (0 where the id alone decides). */
export interface Place {
  readonly key: number
  readonly id: number
}

const AskedWordRow = z.object({ word: z.string(), isKnown: z.boolean(), near: z.array(z.string()) })

/** The words of what somebody typed. A prefix is looked up among all words, likeness only among those of names and brands. */
export function askedWords(executor: Executor, text: string): Promise<readonly AskedWord[]> {
  return executor.any(sql.type(AskedWordRow)`
    with asked as (
      select word, number, exists (select from search_words known where known.word ^@ asked.word)
          or exists (select from products where search @@ to_tsquery('simple', '''' || asked.word || ''':*')) as known
        from unnest(string_to_array(search_text(${text}), ' ')) with ordinality as asked (word, number)
       where word <> ''
       order by number
       limit ${SEARCH_WORDS_MAX}
    )
    select word, known as "isKnown",
           case when known then '{}'
                else array(select near.word from search_words near order by near.word operator(extensions.<->) asked.word limit 12)
            end as near
      from asked
     order by number`)
}

/** Adds the words of a name and a brand; sorted, so that two who add the same ones never wait for each other. */
export async function rememberWords(transaction: Transaction, text: string): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into search_words (word)
    select distinct word from unnest(string_to_array(search_text(${text}), ' ')) as word where word <> '' order by word
    on conflict do nothing`)
}

/** What the order is by, so that the next page can begin behind the last product of this one. */
export function placeOf(sort: ProductSort, row: ProductRow): Place {
  switch (sort) {
    case 'featured':
      return { key: row.isFeatured ? 1 : 0, id: row.id }
    case 'price-asc':
    case 'price-desc':
      return { key: row.priceSen, id: row.id }
    case 'best-selling':
      return { key: row.salesCount, id: row.id }
    case 'newest':
      return { key: 0, id: row.id }
    default:
      return sort satisfies never
  }
}

/**
 * A page of what everybody may see. The page's ids are found first, by an index in the page's order where that is the cheapest, and only
 * they are looked up with their sellers and auctions: page 100 costs what page 1 costs.
 */
export async function listProducts(
  executor: Executor,
  filter: ProductFilter,
  page: { readonly sort: ProductSort; readonly limit: number; readonly after: Place | null },
): Promise<readonly ProductRow[]> {
  const { order, isAfter } = ordered(page.sort, page.after)
  return executor.any(sql.type(ProductRow)`
    with page as materialized (
      select p.id from products p where ${matches(filter)} and ${isAfter} order by ${order} limit ${page.limit}
    )
    select ${productColumns} from page join ${productTables} on p.id = page.id order by ${order}`)
}

/**
 * The products whose auction runs now by the database's clock, those that end first coming first. An auction that was set up again has
 * two summaries, of which the newest counts, and that one is never closed while it runs.
 */
export function listLive(executor: Executor, limit: number): Promise<readonly ProductRow[]> {
  return executor.any(sql.type(ProductRow)`
    with running as materialized (
      select s.product_id, s.ends_at
        from auction_summaries s
        join products p on p.id = s.product_id
       where s.closed_as is null and s.starts_at <= now() and s.ends_at > now() and p.listing_type = 'auction' and ${isPublic}
       order by s.ends_at, s.auction_id
       limit ${limit}
    )
    select ${productColumns} from running join ${productTables} on p.id = running.product_id order by running.ends_at, p.id`)
}

/** The same for a search without a wish for an order: whose name or brand matches comes before whose description does, the newest first. */
export async function listByRelevance(
  executor: Executor,
  filter: ProductFilter & { readonly tsquery: string },
  page: { readonly limit: number; readonly after: Place | null },
): Promise<readonly (ProductRow & { readonly tier: number })[]> {
  const { after, limit } = page
  const { tsquery, ...others } = filter
  const inTitle = sql.fragment`p.title_search @@ to_tsquery('simple', ${tsquery})`
  const inText = sql.fragment`p.search @@ to_tsquery('simple', ${tsquery}) and not ${inTitle}`
  const behind = (tier: number) => {
    if (after === null || after.key < tier) return sql.fragment`true`
    return after.key === tier ? sql.fragment`p.id < ${after.id}` : sql.fragment`false`
  }
  const tier = (number: number, condition: typeof inTitle) => sql.fragment`
    (select p.id, ${number}::int as tier from products p where ${matches(others)} and ${condition} and ${behind(number)}
      order by p.id desc limit ${limit})`
  return executor.any(sql.type(RelevantRow)`
    with page as materialized (
      select id, tier from (${tier(1, inTitle)} union all ${tier(2, inText)}) as both_tiers order by tier, id desc limit ${limit}
    )
    select page.tier, ${productColumns} from page join ${productTables} on p.id = page.id order by page.tier, p.id desc`)
}

const RelevantRow = ProductRow.extend({ tier: z.number() })

/** How many products match: exact up to `exactMax`, beyond that what the planner expects. */
export async function countProducts(executor: Executor, filter: ProductFilter, exactMax: number): Promise<number> {
  const counted = await executor.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from (select from products p where ${matches(filter)} limit ${exactMax + 1}) as matching`)
  if (counted <= exactMax) return counted
  const plan = await executor.oneFirst(
    sql.type(PlanRow)`explain (format json) select from products p where ${matches(filter)}`,
  )
  return Math.max(counted, plan[0]?.Plan['Plan Rows'] ?? 0)
}

const PlanRow = z.object({ 'QUERY PLAN': z.array(z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })) })

const FacetRow = z.object({ brand: z.string(), count: z.number() })

/** The brands of all that matches, whichever of them are ticked, the most frequent first; each under its commonest spelling. */
export function countBrands(executor: Executor, filter: ProductFilter, limit: number) {
  return executor.any(sql.type(FacetRow)`
    select min(p.brand) as brand, count(*) as count
      from products p
     where ${matches({ ...filter, brands: undefined })}
     group by p.brand_key
     order by count(*) desc, p.brand_key
     limit ${limit}`)
}

const PriceRow = z.object({ minSen: z.number().nullable(), maxSen: z.number().nullable() })

/** The range of prices of all that matches, whatever range is asked for; `null` when nothing does. */
export function findPriceRange(executor: Executor, filter: ProductFilter) {
  return executor.one(sql.type(PriceRow)`
    select min(p.price_sen) as "minSen", max(p.price_sen) as "maxSen"
      from products p
     where ${matches({ ...filter, minPriceSen: undefined, maxPriceSen: undefined })}`)
}

function matches({ categoryId, listingTypes = [], minPriceSen, maxPriceSen, brands = [], tsquery }: ProductFilter) {
  const conditions = [isPublic]
  if (categoryId !== undefined) conditions.push(sql.fragment`p.category_id = ${categoryId}`)
  if (listingTypes.length > 0) {
    conditions.push(sql.fragment`p.listing_type = any (${sql.array([...listingTypes], 'text')})`)
  }
  if (minPriceSen !== undefined) conditions.push(sql.fragment`p.price_sen >= ${minPriceSen}`)
  if (maxPriceSen !== undefined) conditions.push(sql.fragment`p.price_sen <= ${maxPriceSen}`)
  if (brands.length > 0) {
    conditions.push(
      sql.fragment`p.brand_key = any (select search_text(name) from unnest(${sql.array([...brands], 'text')}) as name)`,
    )
  }
  if (tsquery !== undefined) conditions.push(sql.fragment`p.search @@ to_tsquery('simple', ${tsquery})`)
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
        order: sql.fragment`p.price_sen, p.id`,
        isAfter: after ? sql.fragment`(p.price_sen, p.id) > (${after.key}, ${after.id})` : everything,
      }
    case 'price-desc':
      return {
        order: sql.fragment`p.price_sen desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.price_sen, p.id) < (${after.key}, ${after.id})` : everything,
      }
    case 'best-selling':
      return {
        order: sql.fragment`p.sales_count desc, p.id desc`,
        isAfter: after ? sql.fragment`(p.sales_count, p.id) < (${after.key}, ${after.id})` : everything,
      }
    default:
      return sort satisfies never
  }
}
