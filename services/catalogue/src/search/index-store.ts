import { ListingType } from '@wangian/contracts/catalogue.ts'
import { type Executor, type Fragment, sql, textPreparer } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isPublic } from '../store.ts'
import type { IndexedListing } from './domain/listing-index.ts'

/** Read at once: some milliseconds of Postgres, and of the process that takes them. */
const CHANGES_MAX = 1000

/** Where reading of the changes goes on: behind the change of this product by this transaction. */
export interface ChangesPosition {
  readonly tx: number
  readonly productId: number
  /** While all listings are read, as they are: what becomes of sellers meanwhile comes behind `resume`. */
  readonly isFilling: boolean
}

export const CHANGES_START: ChangesPosition = { tx: 0, productId: 0, isFilling: true }

export interface Changes {
  /** What everybody may see, as it is now; once, one after the other, as their words take long to part. */
  readonly shown: Iterable<IndexedListing>
  /** The ids of what nobody sees any more. */
  readonly hidden: readonly number[]
  /** Behind the last of these; `null` when there are no more. */
  readonly next: ChangesPosition | null
  /** Where reading begins the next time: whatever is not among these changes, nor among what comes behind them now, comes behind it later. */
  readonly resume: ChangesPosition
}

const Numbers = z.array(z.number())
const Texts = z.array(z.string())
/** By columns: to write a thousand rows one by one takes Postgres as long as to find them. */
const ChangesRow = z.object({
  resumeTx: z.number(),
  lastTx: z.number(),
  changedIds: Numbers,
  ids: Numbers,
  categoryIds: Numbers,
  listingTypes: z.array(ListingType),
  pricesSen: Numbers,
  salesCounts: Numbers,
  auctionEndsMs: Numbers,
  remainingPercentages: Numbers,
  areFeatured: z.array(z.boolean()),
  brands: Texts,
  brandKeys: Texts,
  nameKeys: Texts,
  fullNameKeys: Texts,
  titleWords: Texts,
  otherWords: Texts,
  wordsVersions: Numbers,
})

const prepared = textPreparer('changes')
const column = (value: Fragment) =>
  sql.fragment`coalesce(array_to_json(array_agg(${value}) filter (where p.id is not null)), '[]')`

/**
 * What lists show otherwise since a position, some of it. A listing comes once, as it is now, and again when a transaction was under way. Numbers of transactions that
 * this server has not given yet are from the one that the database was copied from: they are read from the start only.
 */
export async function readChanges(executor: Pick<Executor, 'one'>, after: ChangesPosition): Promise<Changes> {
  const isBehind = (tx: Fragment, productId: Fragment) => sql.fragment`
    (${tx}, ${productId}) > (${String(after.tx)}::xid8, ${after.productId})
    and (${after.isFilling} or ${tx} < pg_snapshot_xmax(pg_current_snapshot()))`
  const { changedIds, ids, ...row } = await executor.one(
    prepared(sql.type(ChangesRow)`
    with changed as materialized (
      (select product_id, tx, words_tx
         from listing_changes
        where ${isBehind(sql.fragment`tx`, sql.fragment`product_id`)}
        order by tx, product_id
        limit ${CHANGES_MAX})
      union all
      (select p.id, s.tx, l.words_tx
         from seller_changes s
         join products p on p.seller_id = s.user_id
         join listing_changes l on l.product_id = p.id
        where not ${after.isFilling} and s.tx >= ${String(after.tx)}::xid8 and ${isBehind(sql.fragment`s.tx`, sql.fragment`p.id`)}
        order by s.tx, p.id
        limit ${CHANGES_MAX})
       order by tx, product_id
       limit ${CHANGES_MAX}
    )
    select pg_snapshot_xmin(pg_current_snapshot())::text::int8 as "resumeTx",
           coalesce(max(c.tx)::text::int8, 0) as "lastTx",
           coalesce(array_to_json(array_agg(c.product_id order by c.tx, c.product_id)), '[]') as "changedIds",
           ${column(sql.fragment`p.id`)} as ids,
           ${column(sql.fragment`p.category_id`)} as "categoryIds",
           ${column(sql.fragment`p.listing_type`)} as "listingTypes",
           ${column(sql.fragment`p.current_price_sen`)} as "pricesSen",
           ${column(sql.fragment`p.sales_count`)} as "salesCounts",
           ${column(sql.fragment`p.auction_end_ms`)} as "auctionEndsMs",
           ${column(sql.fragment`p.remaining_percentage`)} as "remainingPercentages",
           ${column(sql.fragment`p.is_featured`)} as "areFeatured",
           ${column(sql.fragment`p.brand`)} as brands,
           ${column(sql.fragment`p.brand_key`)} as "brandKeys",
           ${column(sql.fragment`p.name_key`)} as "nameKeys",
           ${column(sql.fragment`p.full_name_key`)} as "fullNameKeys",
           ${column(sql.fragment`array_to_string(tsvector_to_array(p.title_search), ' ')`)} as "titleWords",
           ${column(sql.fragment`array_to_string(tsvector_to_array(ts_delete(p.search, tsvector_to_array(p.title_search))), ' ')`)} as "otherWords",
           ${column(sql.fragment`c.words_tx::text::int8`)} as "wordsVersions"
      from changed c
      left join products p on p.id = c.product_id and ${isPublic}`),
  )
  const isShown = new Set(ids)
  return {
    shown: ids.values().map((id, place) => ({
      id,
      categoryId: row.categoryIds[place] ?? 0,
      listingType: row.listingTypes[place] ?? 'fixed',
      priceSen: row.pricesSen[place] ?? 0,
      salesCount: row.salesCounts[place] ?? 0,
      auctionEndMs: row.auctionEndsMs[place] ?? 0,
      remainingPercentage: row.remainingPercentages[place] ?? 0,
      isFeatured: row.areFeatured[place] ?? false,
      brand: row.brands[place] ?? '',
      brandKey: row.brandKeys[place] ?? '',
      nameKey: row.nameKeys[place] ?? '',
      fullNameKey: row.fullNameKeys[place] ?? '',
      titleWords: wordsOf(row.titleWords[place]),
      otherWords: wordsOf(row.otherWords[place]),
      wordsVersion: row.wordsVersions[place] ?? 0,
    })),
    hidden: changedIds.filter((id) => !isShown.has(id)),
    next: changedIds.length === CHANGES_MAX ? { ...after, tx: row.lastTx, productId: changedIds.at(-1) ?? 0 } : null,
    resume: { tx: row.resumeTx, productId: 0, isFilling: false },
  }
}

const wordsOf = (text = '') => text.split(' ').filter((word) => word !== '')
