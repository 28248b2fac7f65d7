import { ListingStatus } from '@wangian/contracts/admin.ts'
import { PaymentStatus } from '@wangian/contracts/boost.ts'
import { ListingType } from '@wangian/contracts/catalogue.ts'
import { OrderStatus } from '@wangian/contracts/messaging.ts'
import { type Executor, type Fragment, sql } from '@wangian/kit/database/postgres.ts'
import { NamedRow, named } from '@wangian/kit/people/people-store.ts'
import { z } from 'zod'
import type { Asked } from './table-store.ts'

/** The rows of the tables with the names of their people. Amounts are in sen, instants are ISO 8601. */

const inOrder = (ids: readonly number[]) =>
  sql.fragment`unnest(${sql.array([...ids], 'int8')}) with ordinality as page (id, place)`

type Wanted<Field extends string> = Readonly<Partial<Record<Field, string | number | undefined>>>

const given = (conditions: readonly (Fragment | false)[]) => conditions.filter((condition) => condition !== false)

/** @param wanted.userId who bought or sold */
export function ordersTable({
  status,
  userId,
  productId,
}: Wanted<'status' | 'userId' | 'productId'>): Omit<Asked, 'search'> {
  const conditions = given([
    status !== undefined && sql.fragment`t.status = ${status}`,
    userId !== undefined && sql.fragment`(t.buyer_id = ${userId} or t.seller_id = ${userId})`,
    productId !== undefined && sql.fragment`t.product_id = ${productId}`,
  ])
  return { table: 'orders', people: ['buyer_id', 'seller_id'], conditions }
}

export function listingsTable({ status, sellerId }: Wanted<'status' | 'sellerId'>): Omit<Asked, 'search'> {
  const conditions = given([
    status !== undefined && sql.fragment`t.status = ${status}`,
    sellerId !== undefined && sql.fragment`t.seller_id = ${sellerId}`,
  ])
  return { table: 'listings', people: ['seller_id'], conditions }
}

export function paymentsTable({ status, userId }: Wanted<'status' | 'userId'>): Omit<Asked, 'search'> {
  const conditions = given([
    status !== undefined && sql.fragment`t.status = ${status}`,
    userId !== undefined && sql.fragment`t.user_id = ${userId}`,
  ])
  return { table: 'payments', people: ['user_id'], conditions }
}

const OrderRow = z.object({
  id: z.number(),
  user: NamedRow,
  seller: NamedRow,
  product: z.object({ id: z.number(), name: z.string() }),
  totalSen: z.number(),
  status: OrderStatus,
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type OrderRow = z.infer<typeof OrderRow>

/** In the order of the ids as given. */
export function findOrders(executor: Executor, ids: readonly number[]): Promise<readonly OrderRow[]> {
  return executor.any(sql.prepared('orders-of-page', OrderRow)`
    select t.id, ${named('t', 'buyer_id')} as user, ${named('t', 'seller_id')} as seller,
           jsonb_build_object('id', t.product_id, 'name', t.product_name) as product, t.total_sen as "totalSen", t.status,
           t.placed_at as "createdAt", t.updated_at as "updatedAt"
      from ${inOrder(ids)} join orders t on t.id = page.id
     order by page.place`)
}

const ListingRow = z.object({
  id: z.number(),
  name: z.string(),
  brand: z.string(),
  priceSen: z.number(),
  imageUrl: z.string().nullable(),
  listingType: ListingType,
  seller: NamedRow,
  status: ListingStatus,
  createdAt: z.string(),
  removedAt: z.string().nullable(),
  removedBy: z.enum(['seller', 'admin']).nullable(),
  removalReason: z.string().nullable(),
})
export type ListingRow = z.infer<typeof ListingRow>

/** In the order of the ids as given. */
export function findListings(executor: Executor, ids: readonly number[]): Promise<readonly ListingRow[]> {
  return executor.any(sql.prepared('listings-of-page', ListingRow)`
    select t.id, t.name, t.brand, t.price_sen as "priceSen", coalesce(t.picture, t.image_url) as "imageUrl",
           t.listing_type as "listingType", ${named('t', 'seller_id')} as seller, t.status, t.created_at as "createdAt",
           t.removed_at as "removedAt", t.removed_by as "removedBy", t.removal_reason as "removalReason"
      from ${inOrder(ids)} join listings t on t.id = page.id
     order by page.place`)
}

const PaymentRow = z.object({
  id: z.number(),
  orderId: z.string(),
  user: NamedRow,
  packageName: z.string(),
  amount: z.number(),
  status: PaymentStatus,
  billId: z.string().nullable(),
  paidAt: z.string().nullable(),
  createdAt: z.string(),
  products: z.array(
    z.object({ productId: z.number(), name: z.string(), state: z.enum(['waiting', 'boosted', 'case']) }),
  ),
})

/** In the order of the ids as given. */
export function findPayments(
  executor: Executor,
  ids: readonly number[],
): Promise<readonly z.infer<typeof PaymentRow>[]> {
  return executor.any(sql.prepared('payments-of-page', PaymentRow)`
    select t.id, t.order_id as "orderId", ${named('t', 'user_id')} as user, t.package_name as "packageName",
           t.amount_sen as amount, t.status, t.bill_id as "billId", t.paid_at as "paidAt", t.created_at as "createdAt",
           (select coalesce(jsonb_agg(jsonb_build_object('productId', product_id, 'name', name, 'state', state) order by number), '[]')
              from paid_products where order_id = t.order_id) as products
      from ${inOrder(ids)} join payments t on t.id = page.id
     order by page.place`)
}
