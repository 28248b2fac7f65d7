import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { OrderStatus } from '@wangian/contracts/messaging.ts'
import { CountRow, type Executor, IdRow, sql } from '@wangian/kit/database/postgres.ts'
import { PlaceRow, type Some } from '@wangian/kit/people/erased-words.ts'
import { z } from 'zod'
import { before, EXACT_COUNT_MAX, type Listed, listed, type Page, PersonRow, personOf } from '../list-store.ts'
import { type Stage, steps } from './domain.ts'

/** Every statement about deals and orders; their cards are messages. */

type Facts<Type extends keyof typeof messagingEvents> = StoredData<(typeof messagingEvents)[Type]>

const StageColumn = z.enum([...steps, 'completed', 'cancelled']) satisfies z.ZodType<Stage>

export async function nextTransactionId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(IdRow)`select nextval('transaction_ids') as id`)
}

export async function insertDeal(executor: Executor, deal: Facts<'TransactionStarted'>): Promise<void> {
  await executor.query(sql.unsafe`
    insert into deals (id, product_id, product_name, seller_id, buyer_id, amount_sen, auction_id, stage, started_at, waiting_since,
                       updated_at)
    values (${deal.transactionId}, ${deal.productId}, ${deal.productName}, ${deal.sellerId}, ${deal.buyerId}, ${deal.amountSen},
            ${deal.auctionId}, 'purchase', ${deal.startedAt}, ${deal.startedAt}, ${deal.startedAt})
    on conflict (id) do nothing`)
}

/** A deal goes on to another stage. */
export async function setStage(
  executor: Executor,
  transactionId: number,
  { stage, at, cancelledAfter = null }: { stage: Stage; at: string; cancelledAfter?: 'purchase' | 'payment' | null },
): Promise<void> {
  await executor.query(sql.unsafe`
    update deals
       set stage = ${stage}, cancelled_after = ${cancelledAfter}, reminders = 0, waiting_since = ${at}, updated_at = ${at}
     where id = ${transactionId}`)
}

export async function setReminders(executor: Executor, transactionId: number, reminders: number): Promise<void> {
  await executor.query(sql.unsafe`update deals set reminders = ${reminders} where id = ${transactionId}`)
}

export async function setOrderStatus(
  executor: Executor,
  orderId: number,
  { status, at }: { readonly status: OrderStatus; readonly at: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    update deals
       set order_status = ${status}, updated_at = ${at},
           ordered_at = case when ${status} = 'pending' then ${at}::timestamptz else ordered_at end,
           paid_at = case when ${status} = 'processing' then ${at}::timestamptz else paid_at end,
           delivered_at = case when ${status} = 'delivered' then ${at}::timestamptz else delivered_at end
     where id = ${orderId}`)
}

export async function setRating(executor: Executor, transactionId: number, rating: number): Promise<void> {
  await executor.query(sql.unsafe`update deals set rating = ${rating} where id = ${transactionId}`)
}

/**
 * Why an administrator moved an order of somebody, and what its buyer thought of it; the stars stay. Neither is there before there is an order.
 * @returns as `BlankSome`
 */
export function blankDeals(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  const own = (column: string) => sql.fragment`
    (select id from deals
      where ${sql.identifier([column])} = ${userId} and order_status is not null and id > ${afterId}
      order by id limit ${limit})`
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select id from (${own('buyer_id')} union ${own('seller_id')}) own order by id limit ${limit}
    ), blanked as (
      update events
         set data = case type when 'ReviewSubmitted' then data || '{"comment": null}'
                              else jsonb_set(data, '{admin,reason}', 'null') end
       where stream in (select 'deal-' || id from page)
         and (type = 'ReviewSubmitted' and data ->> 'comment' is not null
              or type = 'OrderStatusChanged' and data #>> '{admin,reason}' is not null)
    )
    select max(id) as id from page`)
}

/** The deal in which a buyer is buying a product now. */
export async function findOpenDeal(executor: Executor, productId: number, buyerId: number): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(IdRow)`
    select id from deals
     where product_id = ${productId} and buyer_id = ${buyerId} and stage in ('purchase', 'payment', 'delivery') limit 1`)
}

/** Those about a product that began lately, however they ended. */
export async function countDealsSince(executor: Executor, productId: number, since: string): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    select count(*) as count from deals where product_id = ${productId} and started_at > ${since}`)
}

const PartiesRow = z.object({
  productId: z.number(),
  productName: z.string(),
  sellerId: z.number(),
  buyerId: z.number(),
  amountSen: z.number(),
  auctionId: z.number().nullable(),
  stage: StageColumn,
})

export async function findDeal(executor: Executor, transactionId: number): Promise<z.infer<typeof PartiesRow> | null> {
  return executor.maybeOne(sql.type(PartiesRow)`
    select product_id as "productId", product_name as "productName", seller_id as "sellerId", buyer_id as "buyerId", amount_sen as "amountSen",
           auction_id as "auctionId", stage
      from deals where id = ${transactionId}`)
}

const UnpaidRow = z.object({ transactionId: z.number(), sellerId: z.number(), buyerId: z.number() })

/** Deals about a product that are not paid yet. */
export async function listUnpaid(executor: Executor, productId: number): Promise<readonly z.infer<typeof UnpaidRow>[]> {
  return executor.any(sql.type(UnpaidRow)`
    select id as "transactionId", seller_id as "sellerId", buyer_id as "buyerId"
      from deals where product_id = ${productId} and stage in ('purchase', 'payment') order by id`)
}

/** The deal in which a winner was offered their lot and has not confirmed the purchase. */
export async function findOfferOfLot(
  executor: Executor,
  lot: { readonly productId: number; readonly auctionId: number; readonly buyerId: number },
): Promise<z.infer<typeof UnpaidRow> | null> {
  return executor.maybeOne(sql.type(UnpaidRow)`
    select id as "transactionId", seller_id as "sellerId", buyer_id as "buyerId"
      from deals
     where product_id = ${lot.productId} and buyer_id = ${lot.buyerId} and auction_id = ${lot.auctionId} and stage = 'purchase'`)
}

const StandingRow = z.object({ transactionId: z.number(), stage: StageColumn })

export async function listStages(
  executor: Executor,
  transactionIds: readonly number[],
): Promise<readonly z.infer<typeof StandingRow>[]> {
  return executor.any(sql.type(StandingRow)`
    select id as "transactionId", stage from deals where id = any (${sql.array([...transactionIds], 'int8')})`)
}

const DueRow = z.object({
  transactionId: z.number(),
  sellerId: z.number(),
  buyerId: z.number(),
  step: z.enum(['purchase', 'payment', 'delivery']),
  reminder: z.number(),
})
export type DueRow = z.infer<typeof DueRow>

/**
 * Deals with a reminder that is due, the last one of each, the longest waiting first, but for those with somebody who is banned or has left, and for
 * offers of what is sold. @param afterHours by step and number of the reminder
 */
export async function listDueReminders(
  executor: Executor,
  {
    nowMs,
    afterHours,
    limit,
  }: { nowMs: number; afterHours: Readonly<Record<string, readonly number[]>>; limit: number },
): Promise<readonly DueRow[]> {
  const rules = Object.entries(afterHours).flatMap(([step, hours]) =>
    hours.map((each, index) => ({
      step,
      reminder: index + 1,
      until: new Date(nowMs - each * 3_600_000).toISOString(),
    })),
  )
  return executor.any(sql.type(DueRow)`
    select distinct on (d.waiting_since, d.id)
           d.id as "transactionId", d.seller_id as "sellerId", d.buyer_id as "buyerId", d.stage as step, rule.reminder
      from deals d
      join jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as rule (step text, reminder smallint, until timestamptz)
        on rule.step = d.stage and rule.reminder > d.reminders and d.waiting_since <= rule.until
     where d.stage in ('purchase', 'payment', 'delivery')
       and not exists (select from known_people where user_id in (d.seller_id, d.buyer_id) and (is_banned or is_closed))
       and not (d.stage = 'purchase' and exists (select from products where id = d.product_id and is_sold_out))
     order by d.waiting_since, d.id, rule.reminder desc
     limit ${limit}`)
}

const OrderRow = z.object({
  id: z.number(),
  productId: z.number(),
  productName: z.string(),
  imageUrl: z.string().nullable(),
  isRemoved: z.boolean(),
  amountSen: z.number(),
  stage: StageColumn,
  status: OrderStatus,
  rating: z.number().nullable(),
  orderedAt: z.string(),
  updatedAt: z.string(),
  paidAt: z.string().nullable(),
  deliveredAt: z.string().nullable(),
  waitingSince: z.string(),
  cardId: z.number().nullable(),
  buyer: PersonRow,
  seller: PersonRow,
})
export type OrderRow = z.infer<typeof OrderRow>

/** The card of the step that is waited for, by the names of its stages. */
const cardOfStage = sql.fragment`
  case d.stage when 'purchase' then 'INITIATE' when 'payment' then 'CONFIRM_PAYMENT' when 'delivery' then 'CONFIRM_DELIVERY'
               when 'review' then 'REVIEW' end`

const orderColumns = sql.fragment`
  d.id, d.product_id as "productId", d.product_name as "productName",
  coalesce(p.picture, p.given_image_url) as "imageUrl", coalesce(p.is_removed, false) as "isRemoved",
  d.amount_sen as "amountSen", d.stage, d.order_status as status, d.rating::float8 as rating, d.ordered_at as "orderedAt",
  d.updated_at as "updatedAt", d.paid_at as "paidAt", d.delivered_at as "deliveredAt", d.waiting_since as "waitingSince",
  card.id as "cardId", ${personOf('buyer', 'buyer', sql.fragment`d.buyer_id`)}, ${personOf('seller', 'seller', sql.fragment`d.seller_id`)}`

/** Behind `d`, the deals. */
const whatOrdersNeed = sql.fragment`
    left join messages card on card.transaction_id = d.id and card.action_type = ${cardOfStage}
    left join products p on p.id = d.product_id
    left join known_people buyer on buyer.user_id = d.buyer_id
    left join known_people seller on seller.user_id = d.seller_id`

const partyColumn = { buyer: sql.fragment`d.buyer_id`, seller: sql.fragment`d.seller_id` }
export type Party = keyof typeof partyColumn

const ListedOrderRow = OrderRow.extend({ total: z.number() })

/** What somebody has bought, or sold, the latest first, by prepared statements as messages are. */
export async function listOrders(
  executor: Executor,
  { userId, as }: { readonly userId: number; readonly as: Party },
  page: Page,
): Promise<Listed<OrderRow>> {
  const own = sql.fragment`from deals d where ${partyColumn[as]} = ${userId} and d.order_status is not null`
  const count = sql.fragment`select count(*) as count from (select ${own} limit ${EXACT_COUNT_MAX}) counted`
  return listed(
    executor.any(sql.prepared(`orders-of-${as}`, ListedOrderRow)`
      with page as materialized (select * ${own} and d.id < ${before(page)} order by d.id desc limit ${page.limit})
      select ${orderColumns}, (${count}) as total from page d ${whatOrdersNeed} order by d.id desc`),
    () => executor.oneFirst(sql.prepared(`orders-of-${as}-count`, CountRow)`${count}`),
  )
}

export async function findOrder(executor: Executor, orderId: number, userId: number): Promise<OrderRow | null> {
  return executor.maybeOne(sql.prepared('order-by-id', OrderRow)`
    select ${orderColumns} from deals d ${whatOrdersNeed}
     where d.id = ${orderId} and d.order_status is not null and (d.buyer_id = ${userId} or d.seller_id = ${userId})`)
}

const WaitingRow = z.object({
  transactionId: z.number(),
  messageId: z.number(),
  stage: z.enum(steps),
  amountSen: z.number(),
  waitingSince: z.string(),
  user: PersonRow,
  product: z.object({
    id: z.number(),
    name: z.string(),
    priceSen: z.number(),
    imageUrl: z.string().nullable(),
    isRemoved: z.boolean(),
  }),
})
export type WaitingRow = z.infer<typeof WaitingRow>

/** The cards that wait for somebody, the longest waiting first. */
export async function listWaiting(executor: Executor, userId: number, limit: number): Promise<readonly WaitingRow[]> {
  return executor.any(sql.type(WaitingRow)`
    select d.id as "transactionId", card.id as "messageId", d.stage, d.amount_sen as "amountSen", d.waiting_since as "waitingSince",
           ${personOf('user', 'other', sql.fragment`other_id`)},
           d.product_id as "product.id", d.product_name as "product.name", coalesce(p.price_sen, d.amount_sen) as "product.priceSen",
           coalesce(p.picture, p.given_image_url) as "product.imageUrl", coalesce(p.is_removed, false) as "product.isRemoved"
      from (select *, seller_id as other_id from deals
             where buyer_id = ${userId} and stage in ('purchase', 'delivery', 'review')
            union all
            select *, buyer_id from deals where seller_id = ${userId} and stage = 'payment') d
        join messages card on card.transaction_id = d.id and card.action_type = ${cardOfStage}
        left join products p on p.id = d.product_id
        left join known_people other on other.user_id = d.other_id
     order by d.waiting_since, d.id
     limit ${limit}`)
}
