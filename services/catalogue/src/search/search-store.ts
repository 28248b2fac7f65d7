import { ListingType, type ProductSort } from '@wangian/contracts/catalogue.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { findProducts, isPublic, ProductIdRow, type ProductRow } from '../store.ts'
import { type FacetFilter, type FacetGroup, facetGroup } from './domain/facets.ts'
import type { SearchCosts } from './domain/search-cost.ts'
import { type AskedWord, SEARCH_WORDS_MAX } from './search-terms.ts'

/** Every statement that finds products. */

export interface ProductFilter extends FacetFilter {
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

/** A page of what everybody may see, by an index in the page's order where that is the cheapest: page 100 costs what page 1 costs. */
export async function listProducts(
  executor: Executor,
  filter: ProductFilter,
  page: { readonly sort: ProductSort; readonly limit: number; readonly after: Place | null; readonly isRare: boolean },
): Promise<readonly ProductRow[]> {
  const { sort, limit, after, isRare } = page
  const { order, isAfter } = ordered(sort, after)
  const ids = await executor.anyFirst(sql.type(ProductIdRow)`
    select id from ${matching(sql.fragment`${matches(filter)} and ${isAfter}`, isRare)} order by ${order} limit ${limit}`)
  return findProducts(executor, ids)
}

/** All that fulfils a condition, as `p`; fetched before anything else is done with it when it `isRare` (see `searchCosts`). */
function matching(condition: Fragment, isRare: boolean): Fragment {
  // `offset 0` keeps the planner from walking the list in the order that is asked of it.
  const fence = isRare ? sql.fragment`offset 0` : sql.fragment``
  return sql.fragment`
    (select p.id, p.price_sen, p.sales_count, p.is_featured from products p where ${condition} ${fence}) p`
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

/**
 * A page of a search without a wish for an order: whose name or brand matches comes before whose description does, the newest first.
 * Descriptions are looked through only when names do not fill the page.
 */
export async function listByRelevance(
  executor: Executor,
  filter: ProductFilter & { readonly tsquery: string },
  page: { readonly limit: number; readonly after: Place | null; readonly costs: SearchCosts },
): Promise<readonly (ProductRow & { readonly tier: number })[]> {
  const { after, limit, costs } = page
  const { tsquery, ...others } = filter
  const inTitle = sql.fragment`p.title_search @@ to_tsquery('simple', ${tsquery})`
  const part = (tier: number, condition: Fragment, isRare: boolean) => {
    const isAfter = after?.key === tier ? sql.fragment`p.id < ${after.id}` : sql.fragment`true`
    return sql.fragment`
      (select id, ${tier}::integer as tier from ${matching(sql.fragment`${condition} and ${isAfter}`, isRare)} order by id desc limit ${limit})`
  }
  const titled = part(1, sql.fragment`${matches(others)} and ${inTitle}`, costs.isTitledRare)
  const described = part(2, sql.fragment`${matches(filter)} and not ${inTitle}`, costs.isDescribedRare)
  const find = (parts: readonly Fragment[]) =>
    executor.any(sql.type(TieredRow)`
      select id, tier from (${sql.join(parts, sql.fragment` union all `)}) as parts order by tier, id desc limit ${limit}`)

  let found: readonly z.infer<typeof TieredRow>[] = []
  if (after !== null && after.key > 1) found = await find([described])
  else {
    if (costs.titledCount >= limit) found = await find([titled])
    if (found.length < limit) found = await find([titled, described])
  }
  const tiers = new Map(found.map(({ id, tier }) => [id, tier]))
  const rows = await findProducts(executor, [...tiers.keys()])
  return rows.map((row) => ({ ...row, tier: tiers.get(row.id) ?? 1 }))
}

const TieredRow = ProductIdRow.extend({ tier: z.number() })

const FacetGroupRow = z.object({
  categoryId: z.number(),
  listingType: ListingType,
  brandKey: z.string(),
  brand: z.string(),
  isTitled: z.boolean(),
  pricesSen: z.array(z.number()),
  counts: z.array(z.number()),
})

/**
 * Everything that everybody may see, or what of it a search finds, as counts by category, type, brand and price: so many rows as there are
 * such combinations, whichever way they are narrowed afterwards.
 */
export async function findFacetGroups(executor: Executor, tsquery: string | undefined): Promise<readonly FacetGroup[]> {
  const isTitled =
    tsquery === undefined ? sql.fragment`false` : sql.fragment`p.title_search @@ to_tsquery('simple', ${tsquery})`
  const rows = await executor.any(sql.type(FacetGroupRow)`
    with cells as (
      select p.category_id, p.listing_type, p.brand_key, ${isTitled} as is_titled, p.price_sen, min(p.brand) as brand, count(*) as products
        from products p
       where ${matches({ tsquery })}
       group by p.category_id, p.listing_type, p.brand_key, is_titled, p.price_sen
    )
    select category_id as "categoryId", listing_type as "listingType", brand_key as "brandKey", min(brand) as brand,
           is_titled as "isTitled", array_agg(price_sen::integer) as "pricesSen", array_agg(products::integer) as counts
      from cells
     group by category_id, listing_type, brand_key, is_titled`)
  return rows.map(facetGroup)
}

/** Brands as they are compared: without case, accents and punctuation. */
export function brandKeysOf(executor: Executor, brands: readonly string[]): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(z.object({ key: z.string() }))`
    select search_text(brand) as key from unnest(${sql.array([...brands], 'text')}) as brand`)
}

function matches({ categoryId, listingTypes = [], minPriceSen, maxPriceSen, brandKeys = [], tsquery }: ProductFilter) {
  const conditions = [isPublic]
  if (categoryId !== undefined) conditions.push(sql.fragment`p.category_id = ${categoryId}`)
  if (listingTypes.length > 0) {
    conditions.push(sql.fragment`p.listing_type = any (${sql.array([...listingTypes], 'text')})`)
  }
  if (minPriceSen !== undefined) conditions.push(sql.fragment`p.price_sen >= ${minPriceSen}`)
  if (maxPriceSen !== undefined) conditions.push(sql.fragment`p.price_sen <= ${maxPriceSen}`)
  if (brandKeys.length > 0) conditions.push(sql.fragment`p.brand_key = any (${sql.array([...brandKeys], 'text')})`)
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
