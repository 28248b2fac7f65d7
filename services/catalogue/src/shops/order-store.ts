import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { noteWordsAbout, PlaceRow, type Some } from '@wangian/kit/people/erased-words.ts'
import { lockProducts } from '../store.ts'

/** What messaging tells of sales and of what buyers said. The figures of a product are counted anew from all of its rows each time. */

type Facts<Type extends keyof typeof messagingEvents> = PublishedData<(typeof messagingEvents)[Type]>

export async function saveReviews(
  transaction: Transaction,
  reviews: readonly Facts<'ReviewSubmitted'>[],
): Promise<void> {
  const productIds = reviews.map(({ productId }) => productId)
  await transaction.query(sql.unsafe`
    insert into reviews (id, product_id, product_name, seller_id, buyer_id, rating, comment, submitted_at)
    select "reviewId", "productId", "productName", "sellerId", "buyerId", rating, comment, "submittedAt"
      from jsonb_to_recordset(${JSON.stringify(reviews)}::jsonb)
             as said ("reviewId" bigint, "productId" bigint, "productName" text, "sellerId" bigint, "buyerId" bigint,
                      rating numeric, comment text, "submittedAt" timestamptz)
     order by "reviewId"
    on conflict (id) do nothing`)
  await lockProducts(transaction, productIds)
  await transaction.query(sql.unsafe`
    update products p
       set review_count = r.count, average_rating = r.average
      from (select product_id, count(*) as count, avg(rating) as average from reviews
             where product_id = any (${sql.array(productIds, 'int8')}) group by product_id) r
     where p.id = r.product_id`)
  const withWords = reviews.filter(({ comment }) => comment !== null)
  await noteWordsAbout(
    transaction,
    withWords.flatMap(({ buyerId, sellerId }) => [buyerId, sellerId]),
  )
}

/** What buyers wrote goes with them, and what was written about a seller with the seller; the stars stay. @returns as `BlankSome` */
export function blankReviews(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  const own = (column: string) => sql.fragment`
    (select id from reviews
      where ${sql.identifier([column])} = ${userId} and comment is not null and id > ${afterId} order by id limit ${limit})`
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select id from (${own('buyer_id')} union ${own('seller_id')}) own order by id limit ${limit}
    ), blanked as (
      update reviews set comment = null where id in (select id from page)
    )
    select max(id) as id from page`)
}

/** At the end of a rebuild, which may have read what was blanked meanwhile. */
export async function dropCommentsOfErased(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`
    update reviews r set comment = null
     where comment is not null
       and exists (select from known_people k where k.user_id in (r.buyer_id, r.seller_id) and k.is_erased)`)
}

/** Orders as they now are, whichever of their events comes last; `version` is that of the event in the order's stream. */
export async function saveOrders(
  transaction: Transaction,
  orders: readonly (Facts<'OrderStatusChanged'> & { readonly version: number })[],
): Promise<void> {
  const paid = ['processing', 'shipped', 'delivered']
  const productIds = orders.map(({ productId }) => productId)
  await transaction.query(sql.unsafe`
    with said as (
      select *, case when status = any (${sql.array(paid, 'text')}) then "changedAt" end as paid_at
        from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb)
               as said ("orderId" bigint, "productId" bigint, "sellerId" bigint, "totalSen" bigint, status text,
                        "changedAt" timestamptz, version integer)
    )
    insert into orders as known (id, product_id, seller_id, total_sen, status, paid_at, version)
    select distinct on ("orderId") "orderId", "productId", "sellerId", "totalSen", status,
           min(paid_at) over (partition by "orderId"), version
      from said
     order by "orderId", version desc
    on conflict (id) do update
       set paid_at = least(known.paid_at, excluded.paid_at),
           status = case when excluded.version > known.version then excluded.status else known.status end,
           total_sen = case when excluded.version > known.version then excluded.total_sen else known.total_sen end,
           version = greatest(known.version, excluded.version)`)
  await lockProducts(transaction, productIds)
  await transaction.query(sql.unsafe`
    update products p
       set sales_count = (select count(*) from orders o
                           where o.product_id = p.id and o.status = any (${sql.array(paid, 'text')}))
     where p.id = any (${sql.array(productIds, 'int8')})`)
}
