import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { sql, type Transaction } from '@wangian/kit/database/postgres.ts'

/** What messaging tells of sales and of what buyers said. The figures of a product are counted anew from all of its rows each time. */

type Facts<Type extends keyof typeof messagingEvents> = PublishedData<(typeof messagingEvents)[Type]>

export async function saveReview(transaction: Transaction, review: Facts<'ReviewSubmitted'>): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into reviews (id, product_id, product_name, seller_id, buyer_id, rating, comment, submitted_at)
    values (${review.reviewId}, ${review.productId}, ${review.productName}, ${review.sellerId}, ${review.buyerId},
            ${review.rating}, ${review.comment}, ${review.submittedAt})
    on conflict (id) do nothing`)
  await transaction.query(sql.unsafe`
    update products p
       set review_count = r.count, average_rating = r.average
      from (select count(*) as count, avg(rating) as average from reviews where product_id = ${review.productId}) r
     where p.id = ${review.productId}`)
}

/** An order as it now is, whichever of its events comes last; @param version of the event in the order's stream */
export async function saveOrder(
  transaction: Transaction,
  order: Facts<'OrderStatusChanged'>,
  version: number,
): Promise<void> {
  const isPaid = order.status === 'processing' || order.status === 'shipped' || order.status === 'delivered'
  const paidAt = isPaid ? order.changedAt : null
  await transaction.query(sql.unsafe`
    insert into orders as known (id, product_id, seller_id, total_sen, status, paid_at, version)
    values (${order.orderId}, ${order.productId}, ${order.sellerId}, ${order.totalSen}, ${order.status}, ${paidAt}, ${version})
    on conflict (id) do update
       set paid_at = least(known.paid_at, excluded.paid_at),
           status = case when excluded.version > known.version then excluded.status else known.status end,
           total_sen = case when excluded.version > known.version then excluded.total_sen else known.total_sen end,
           version = greatest(known.version, excluded.version)`)
  await transaction.query(sql.unsafe`
    update products p
       set sales_count = (select count(*) from orders o
                           where o.product_id = p.id and o.status in ('processing', 'shipped', 'delivered'))
     where p.id = ${order.productId}`)
}
