import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isThere, lockProducts } from '../store.ts'
import { malaysianDay } from './malaysian-day.ts'

/** What happens to listings, counted by Malaysian days. */

export type Figure = 'views' | 'favorites' | 'messages' | 'bids'

export interface Occurrence {
  readonly productId: number
  /** ISO 8601. */
  readonly at: string
  /** One, or minus one for what is taken back. */
  readonly count: number
}

/** Counts what happened to products. Whoever counts one of them has its row, in the order of ids, so that nobody waits for each other. */
export async function countOccurrences(
  transaction: Transaction,
  figure: Figure,
  occurrences: readonly Occurrence[],
): Promise<void> {
  if (occurrences.length === 0) return
  const column = sql.identifier([figure])
  const days = countByDay(occurrences)
  const productIds = sql.array(
    days.map(({ productId }) => productId),
    'int8',
  )
  const occurred = sql.fragment`
    occurred as (
      select p.seller_id, o.day, p.id as product_id, o.count
        from unnest(${productIds}, ${sql.array(
          days.map(({ day }) => day),
          'date',
        )}, ${sql.array(
          days.map(({ count }) => count),
          'int4',
        )}) as o (product_id, day, count)
        join products p on p.id = o.product_id
    )`
  await lockProducts(
    transaction,
    days.map(({ productId }) => productId),
  )
  // A day that is new begins with what was there before it.
  await transaction.query(sql.unsafe`
    with ${occurred}
    insert into product_days (product_id, day, views, favorites, messages, bids)
    select o.product_id, o.day, coalesce(b.views, 0), coalesce(b.favorites, 0), coalesce(b.messages, 0), coalesce(b.bids, 0)
      from occurred o
           left join lateral (select * from product_days known
                               where known.product_id = o.product_id and known.day < o.day
                               order by known.day desc limit 1) b on true
    on conflict (product_id, day) do nothing`)
  await transaction.query(sql.unsafe`
    with ${occurred}, later as (
      select d.product_id, d.day, sum(o.count) as count
        from occurred o join product_days d on d.product_id = o.product_id and d.day >= o.day
       group by 1, 2
    )
    update product_days d
       set ${column} = d.${column} + l.count
      from later l
     where d.product_id = l.product_id and d.day = l.day`)
  await transaction.query(sql.unsafe`
    with ${occurred}
    insert into seller_days as known (seller_id, day, ${column})
    select seller_id, day, sum(count) from occurred group by 1, 2 order by 1, 2
    on conflict (seller_id, day) do update set ${column} = known.${column} + excluded.${column}`)
}

/** One entry for each product and Malaysian day. */
function countByDay(
  occurrences: readonly Occurrence[],
): readonly { readonly productId: number; readonly day: string; readonly count: number }[] {
  const days = new Map<string, { productId: number; day: string; count: number }>()
  for (const { productId, at, count } of occurrences) {
    const day = malaysianDay(Date.parse(at))
    const known = days.get(`${productId} ${day}`)
    if (known === undefined) days.set(`${productId} ${day}`, { productId, day, count })
    else known.count += count
  }
  return [...days.values()]
}

const AuctionProductRow = z.object({ auctionId: z.number(), productId: z.number() })

/** The bids of others' auctions' events, by the product that is for auction; those of an auction not heard of are left out. */
export async function countBids(
  transaction: Transaction,
  bids: readonly { readonly auctionId: number; readonly placedAt: string }[],
): Promise<void> {
  const productIds = await transaction.any(sql.type(AuctionProductRow)`
    select auction_id as "auctionId", product_id as "productId" from auction_summaries
     where product_id is not null and auction_id = any (${sql.array(
       [...new Set(bids.map(({ auctionId }) => auctionId))],
       'int8',
     )})`)
  const productOf = new Map(productIds.map(({ auctionId, productId }) => [auctionId, productId]))
  const occurrences = bids.flatMap(({ auctionId, placedAt: at }) => {
    const productId = productOf.get(auctionId)
    return productId === undefined ? [] : [{ productId, at, count: 1 }]
  })
  await countOccurrences(transaction, 'bids', occurrences)
}

const ProductSellerRow = z.object({ productId: z.number(), sellerId: z.number() })

/** Messages of others about a seller's listing; what the seller says counts nothing. */
export async function countMessages(
  transaction: Transaction,
  messages: readonly { readonly productId: number; readonly senderId: number; readonly sentAt: string }[],
): Promise<void> {
  const sellers = await transaction.any(sql.type(ProductSellerRow)`
    select id as "productId", seller_id as "sellerId" from products
     where id = any (${sql.array([...new Set(messages.map(({ productId }) => productId))], 'int8')})`)
  const sellerOf = new Map(sellers.map(({ productId, sellerId }) => [productId, sellerId]))
  const occurrences = messages
    .filter(({ productId, senderId }) => sellerOf.get(productId) !== senderId)
    .map(({ productId, sentAt: at }) => ({ productId, at, count: 1 }))
  await countOccurrences(transaction, 'messages', occurrences)
}

/** That somebody has looked at something. */
export interface View {
  readonly productId: number
  /** The Malaysian day, `2026-11-22`. */
  readonly day: string
  /** Stands for who it was on that day. */
  readonly viewer: bigint
  /** `null` for a guest. */
  readonly userId: number | null
  readonly at: string
}

const ViewedRow = z.object({ productId: z.number(), at: z.string() })

/** Counts views that were not counted yet, but for those of the owner and of what cannot be seen. */
export async function saveViews(transaction: Transaction, views: readonly View[]): Promise<void> {
  const counted = await transaction.any(sql.type(ViewedRow)`
    with seen as (
      select v.day, p.id as product_id, v.viewer, v.at
        from unnest(${sql.array(
          views.map(({ productId }) => productId),
          'int8',
        )}, ${sql.array(
          views.map(({ day }) => day),
          'date',
        )}, ${sql.array(
          views.map(({ viewer }) => String(viewer)),
          'int8',
        )}, ${sql.array(
          views.map(({ userId }) => userId),
          'int8',
        )}, ${sql.array(
          views.map(({ at }) => at),
          'timestamptz',
        )}) as v (product_id, day, viewer, user_id, at)
        join products p on p.id = v.product_id
       where p.seller_id is distinct from v.user_id and ${isThere}
    ), fresh as (
      insert into product_viewers (day, product_id, viewer)
      select distinct day, product_id, viewer from seen order by 1, 2, 3
      on conflict do nothing
      returning day, product_id, viewer
    )
    select product_id as "productId", min(at) as at from fresh join seen using (day, product_id, viewer)
     group by day, product_id, viewer`)
  await countOccurrences(
    transaction,
    'views',
    counted.map((view) => ({ ...view, count: 1 })),
  )
  await transaction.query(sql.unsafe`
    update products p
       set view_count = view_count + v.count
      from (select id, count(*) as count from unnest(${sql.array(
        counted.map(({ productId }) => productId),
        'int8',
      )}) as id group by id) v
     where p.id = v.id`)
}

/**
 * Who looked at what before this day is nobody's business any more. So many rows go at once: all of a busy day take longer than a statement may.
 * @returns how many went
 */
export async function forgetViewers(executor: Executor, day: string, limit: number): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    delete from product_viewers where ctid = any (array(
      select ctid from product_viewers where day < ${day}::date order by day limit ${limit}))`)
  return rowCount
}
