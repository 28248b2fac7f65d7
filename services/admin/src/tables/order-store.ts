import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'

type OrderFacts = Omit<PublishedData<typeof messagingEvents.OrderStatusChanged>, 'changedAt' | 'admin'> & {
  /** ISO 8601; of the first thing that is said of an order it is when that was placed. */
  readonly at: string
}

/** Orders as they now are, in the order in which it is said of them. */
export async function saveOrders(transaction: Transaction, orders: readonly OrderFacts[]): Promise<void> {
  const said = lastOfEach(orders, ({ orderId }) => orderId)
  await transaction.query(sql.unsafe`
    insert into orders (id, buyer_id, seller_id, product_id, product_name, total_sen, status, placed_at, updated_at)
    select "orderId", "buyerId", "sellerId", "productId", "productName", "totalSen", status, at, at
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("orderId" bigint, "buyerId" bigint, "sellerId" bigint, "productId" bigint, "productName" text,
                      "totalSen" bigint, status text, at timestamptz)
     order by "orderId"
    on conflict (id) do update
       set total_sen = excluded.total_sen, status = excluded.status, updated_at = excluded.updated_at`)
}
