import type { auctionEvents } from '@wangian/contracts/events/auction.ts'
import type { boostEvents } from '@wangian/contracts/events/boost.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import { sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'

/** What boost tells of orders and their payments. */

type Facts<Type extends keyof typeof boostEvents> = PublishedData<(typeof boostEvents)[Type]>

export async function insertPayments(
  transaction: Transaction,
  orders: readonly Facts<'BoostOrderPlaced'>[],
): Promise<void> {
  const said = orders.map(({ products, ...order }) => ({
    ...order,
    productNames: products.map(({ name }) => name).join(', '),
  }))
  await transaction.query(sql.unsafe`
    insert into payments (id, order_id, user_id, package_name, amount_sen, created_at, product_names)
    select "paymentId", "orderId", "userId", "packageName", "amountSen", "placedAt", "productNames"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("paymentId" bigint, "orderId" uuid, "userId" bigint, "packageName" text, "amountSen" bigint,
                      "placedAt" timestamptz, "productNames" text)
     order by "paymentId"
    on conflict (id) do nothing`)
  const products = orders.flatMap(({ orderId, products }) =>
    products.map(({ productId, name }, number) => ({ orderId, productId, number, name })),
  )
  await transaction.query(sql.unsafe`
    insert into paid_products (order_id, product_id, number, name)
    select "orderId", "productId", number, name
      from jsonb_to_recordset(${JSON.stringify(products)}::jsonb)
             as said ("orderId" uuid, "productId" bigint, number smallint, name text)
     order by "orderId", "productId"
    on conflict do nothing`)
}

export async function settlePayments(
  transaction: Transaction,
  orders: readonly Facts<'BoostOrderSettled'>[],
): Promise<void> {
  const said = lastOfEach(orders, ({ orderId }) => orderId).map(({ orderId, billId, paidAt }) => ({
    orderId,
    billId,
    paidAt,
  }))
  await transaction.query(sql.unsafe`
    update payments p set status = 'paid', bill_id = said."billId", paid_at = said."paidAt"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb) as said ("orderId" uuid, "billId" text, "paidAt" timestamptz)
     where p.order_id = said."orderId"`)
}

interface OfOrder {
  readonly orderId: string
}

export async function endPayments(
  transaction: Transaction,
  orders: readonly OfOrder[],
  status: 'failed' | 'cancelled',
): Promise<void> {
  const ids = orders.map(({ orderId }) => orderId)
  await transaction.query(sql.unsafe`
    update payments set status = ${status} where order_id = any (${sql.array(ids, 'uuid')})`)
}

/** Of what was ordered; what was chosen in a case is no product of the order. */
export async function setProductStates(
  transaction: Transaction,
  products: readonly (OfOrder & { readonly productId: number })[],
  state: 'boosted' | 'case',
): Promise<void> {
  const said = products.map(({ orderId, productId }) => ({ orderId, productId }))
  await transaction.query(sql.unsafe`
    update paid_products p set state = ${state}
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb) as said ("orderId" uuid, "productId" bigint)
     where p.order_id = said."orderId" and p.product_id = said."productId"`)
}

export async function insertAuctions(
  transaction: Transaction,
  auctions: readonly PublishedData<typeof auctionEvents.AuctionOpened>[],
): Promise<void> {
  const column = (values: readonly number[]) => sql.array([...values], 'int8')
  await transaction.query(sql.unsafe`
    insert into auctions (id, product_id)
    select * from unnest(${column(auctions.map(({ auctionId }) => auctionId))},
                         ${column(auctions.map(({ productId }) => productId))})
    on conflict do nothing`)
}
