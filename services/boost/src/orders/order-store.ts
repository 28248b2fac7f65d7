import { PaymentStatus } from '@wangian/contracts/boost.ts'
import type { boostEvents } from '@wangian/contracts/events/boost.ts'
import type { StoredData } from '@wangian/contracts/events/definition.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { PlaceRow, type Some } from '@wangian/kit/people/erased-words.ts'
import { NamedRow, named } from '@wangian/kit/people/people-store.ts'
import { z } from 'zod'

/** Every statement about orders, their products and their cases. */

type Facts<Type extends keyof typeof boostEvents> = StoredData<(typeof boostEvents)[Type]>

const NumberRow = z.object({ number: z.number() })

export async function nextPaymentId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(NumberRow)`select nextval('payment_ids') as number`)
}

export async function nextCaseId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(NumberRow)`select nextval('case_ids') as number`)
}

/** Keeps others from ordering for the same seller until the transaction ends. */
export async function lockSeller(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended(${`boost-seller-${userId}`}, 0))`)
}

export async function insertOrder(executor: Executor, order: Facts<'BoostOrderPlaced'>): Promise<void> {
  const { packageName, packageType } = order
  await executor.query(sql.unsafe`
    insert into payments (id, user_id, order_id, amount, feature_duration, boost_option_id, product_ids, created_at, updated_at,
                          expires_at, metadata, request_key)
    values (${order.paymentId}, ${order.userId}, ${order.orderId}, ${order.amountSen}, ${order.durationHours}, ${order.packageId},
            ${sql.array(
              order.products.map(({ productId }) => String(productId)),
              'text',
            )},
            ${order.placedAt}, ${order.placedAt}, ${order.expiresAt}, ${JSON.stringify({ packageName, packageType })}::jsonb,
            ${order.requestKey})
    on conflict (id) do nothing`)
  await executor.query(sql.unsafe`
    insert into ordered_products (order_id, product_id, number, name, amount_sen, is_pending, state)
    select ${order.orderId}, product."productId", product.number, product.name, product."amountSen", true, 'waiting'
      from rows from (jsonb_to_recordset(${JSON.stringify(order.products)}::jsonb) as ("productId" bigint, name text, "amountSen" integer))
           with ordinality as product ("productId", name, "amountSen", number)
    on conflict do nothing`)
}

export async function setBill(
  executor: Executor,
  { orderId, billId, url, madeAt }: Facts<'BoostBillMade'>,
): Promise<void> {
  await executor.query(sql.unsafe`
    update payments
       set bill_id = ${billId}, metadata = metadata || jsonb_build_object('paymentUrl', ${url}::text), updated_at = ${madeAt}
     where order_id = ${orderId}`)
}

/** An order that waits for its payment no more: its products can be ordered again. */
export async function setStatus(
  executor: Executor,
  orderId: string,
  change: {
    readonly status: 'paid' | 'failed' | 'cancelled'
    readonly at: string
    readonly paidAt?: string
    /** Added to what is known besides. */
    readonly metadata?: Readonly<Record<string, string | null>>
  },
): Promise<void> {
  await executor.query(sql.unsafe`
    with freed as (update ordered_products set is_pending = false where order_id = ${orderId} and is_pending)
    update payments
       set status = ${change.status}, paid_at = ${change.paidAt ?? null}, updated_at = ${change.at},
           metadata = metadata || ${JSON.stringify(change.metadata ?? {})}::jsonb
     where order_id = ${orderId}`)
}

export async function setChannel(executor: Executor, { orderId, channel, foundAt }: Facts<'BoostPaymentChannelFound'>) {
  await executor.query(sql.unsafe`
    update payments set payment_channel = ${channel}, updated_at = ${foundAt} where order_id = ${orderId}`)
}

export async function setBoosted(executor: Executor, boosted: Facts<'ProductBoosted'>): Promise<void> {
  const { orderId, productId, boostedUntil, caseId } = boosted
  await executor.query(
    caseId === null
      ? sql.unsafe`
          update ordered_products set state = 'boosted', boosted_until = ${boostedUntil}
           where order_id = ${orderId} and product_id = ${productId}`
      : sql.unsafe`update boost_cases set state = 'boosted' where id = ${caseId}`,
  )
}

export async function insertCase(executor: Executor, opened: Facts<'BoostCaseOpened'>): Promise<void> {
  await executor.query(sql.unsafe`
    insert into boost_cases (id, order_id, user_id, product_id, product_name, amount_sen, duration_hours, state, opened_at, expires_at)
    values (${opened.caseId}, ${opened.orderId}, ${opened.userId}, ${opened.productId}, ${opened.productName}, ${opened.amountSen},
            ${opened.durationHours}, 'open', ${opened.openedAt}, ${opened.expiresAt})
    on conflict (id) do nothing`)
  await executor.query(sql.unsafe`
    update ordered_products set state = 'case' where order_id = ${opened.orderId} and product_id = ${opened.productId}`)
}

export async function setChoice(
  executor: Executor,
  caseId: number,
  { state, productId }: { readonly state: 'open' | 'chosen'; readonly productId: number | null },
): Promise<void> {
  await executor.query(sql.unsafe`
    update boost_cases set state = ${state}, chosen_product_id = ${productId} where id = ${caseId}`)
}

/** Of somebody who was erased, the note is not kept. */
export async function setRefunded(
  executor: Executor,
  { caseId, note, refundedAt }: Facts<'BoostCaseRefunded'>,
): Promise<void> {
  await executor.query(sql.unsafe`
    update boost_cases
       set state = 'refunded', refunded_at = ${refundedAt},
           note = case when exists (select from known_people k where k.user_id = boost_cases.user_id and k.is_erased)
                       then null else ${note} end
     where id = ${caseId}`)
}

export async function removeRefundNotes(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    update boost_cases set note = null where user_id = any (${sql.array([...userIds], 'int8')}) and note is not null`)
}

/** Notes in the log, where a note is all that is about the person themselves. */
export function blankRefundNotes(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select id, order_id from boost_cases where user_id = ${userId} and id > ${afterId} order by id limit ${limit}
    ), blanked as (
      update events set data = data || '{"note": ""}'
       where stream in (select 'boost-order-' || order_id from page) and type = 'BoostCaseRefunded' and data ->> 'note' <> ''
    )
    select max(id) as id from page`)
}

const PaymentRow = z.object({
  id: z.number(),
  userId: z.number(),
  orderId: z.string(),
  billId: z.string().nullable(),
  amountSen: z.number(),
  status: PaymentStatus,
  durationHours: z.number(),
  packageId: z.number(),
  channel: z.string().nullable(),
  paidAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  expiresAt: z.string(),
  metadata: z.object({
    packageName: z.string(),
    packageType: z.enum(['standard', 'premium']),
    paymentUrl: z.string().optional(),
    transactionId: z.string().nullish(),
  }),
  products: z.array(
    z.object({
      productId: z.number(),
      name: z.string(),
      amountSen: z.number(),
      state: z.enum(['waiting', 'boosted', 'case']),
      boostedUntil: z.string().nullable(),
    }),
  ),
})
export type PaymentRow = z.infer<typeof PaymentRow>

const paymentSelect = sql.fragment`
  select p.id, p.user_id as "userId", p.order_id as "orderId", p.bill_id as "billId", p.amount as "amountSen", p.status,
         p.feature_duration as "durationHours", p.boost_option_id as "packageId", p.payment_channel as channel, p.paid_at as "paidAt",
         p.created_at as "createdAt", p.updated_at as "updatedAt", p.expires_at as "expiresAt", p.metadata,
         (select jsonb_agg(jsonb_build_object('productId', o.product_id, 'name', o.name, 'amountSen', o.amount_sen, 'state', o.state,
                                              'boostedUntil', to_char(o.boosted_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                           order by o.number)
            from ordered_products o where o.order_id = p.order_id) as products
    from payments p`

/** Somebody's orders, the latest first. */
export async function listPayments(
  executor: Executor,
  userId: number,
  { limit, beforeId }: { readonly limit: number; readonly beforeId: number | null },
): Promise<readonly PaymentRow[]> {
  return executor.any(sql.type(PaymentRow)`
    ${paymentSelect}
     where p.user_id = ${userId} ${beforeId === null ? sql.fragment`` : sql.fragment`and p.id < ${beforeId}`}
     order by p.id desc
     limit ${limit}`)
}

export async function countPayments(executor: Executor, userId: number, max: number): Promise<number> {
  return executor.oneFirst(sql.type(NumberRow)`
    select count(*) as number from (select from payments where user_id = ${userId} limit ${max}) counted`)
}

export async function findPayment(executor: Executor, orderId: string): Promise<PaymentRow | null> {
  return executor.maybeOne(sql.type(PaymentRow)`${paymentSelect} where p.order_id = ${orderId}`)
}

/** The order that somebody has placed with this key since then. */
export async function findOrderOfKey(
  executor: Executor,
  { userId, requestKey, since }: { readonly userId: number; readonly requestKey: string; readonly since: string },
): Promise<PaymentRow | null> {
  return executor.maybeOne(sql.type(PaymentRow)`
    ${paymentSelect}
     where p.user_id = ${userId} and p.request_key = ${requestKey} and p.created_at > ${since}
     order by p.id desc
     limit 1`)
}

const OrderIdRow = z.object({ orderId: z.string() })

export async function findOrderOfBill(executor: Executor, billId: string): Promise<string | null> {
  return executor.maybeOneFirst(
    sql.type(OrderIdRow)`select order_id as "orderId" from payments where bill_id = ${billId}`,
  )
}

/** Whether one of these products is in an order that waits for its payment. */
export async function isAnyPending(executor: Executor, productIds: readonly number[]): Promise<boolean> {
  return executor.exists(sql.unsafe`
    select from ordered_products where is_pending and product_id = any (${sql.array([...productIds], 'int8')})`)
}

/** Orders that nobody has paid in time, the oldest first. */
export async function listOverdue(executor: Executor, at: string, limit: number): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(OrderIdRow)`
    select order_id as "orderId" from payments where status = 'pending' and expires_at <= ${at} order by expires_at limit ${limit}`)
}

const CaseRow = z.object({
  id: z.number(),
  orderId: z.string(),
  user: NamedRow,
  productId: z.number(),
  productName: z.string(),
  amountSen: z.number(),
  durationHours: z.number(),
  state: z.enum(['open', 'chosen', 'boosted', 'refunded']),
  chosenProductId: z.number().nullable(),
  openedAt: z.string(),
  expiresAt: z.string(),
  note: z.string().nullable(),
  refundedAt: z.string().nullable(),
})
export type CaseRow = z.infer<typeof CaseRow>

const caseSelect = sql.fragment`
  select id, order_id as "orderId", ${named('boost_cases', 'user_id')} as "user", product_id as "productId", product_name as "productName",
         amount_sen as "amountSen", duration_hours as "durationHours", state, chosen_product_id as "chosenProductId",
         opened_at as "openedAt", expires_at as "expiresAt", note, refunded_at as "refundedAt"
    from boost_cases`

/** Whose cases: all of them, or those that wait for another product or for an administrator still. */
interface OwnCases {
  readonly userId: number
  readonly isUnsettled: boolean
}

function ofOwner({ userId, isUnsettled }: OwnCases) {
  return sql.fragment`user_id = ${userId} ${isUnsettled ? sql.fragment`and state in ('open', 'chosen')` : sql.fragment``}`
}

/** Somebody's cases, the latest first. */
export async function listCases(
  executor: Executor,
  own: OwnCases,
  { limit, beforeId }: { readonly limit: number; readonly beforeId: number | null },
): Promise<readonly CaseRow[]> {
  return executor.any(sql.type(CaseRow)`
    ${caseSelect}
     where ${ofOwner(own)} ${beforeId === null ? sql.fragment`` : sql.fragment`and id < ${beforeId}`}
     order by id desc
     limit ${limit}`)
}

export async function countCases(executor: Executor, own: OwnCases, max: number): Promise<number> {
  return executor.oneFirst(sql.type(NumberRow)`
    select count(*) as number from (select from boost_cases where ${ofOwner(own)} limit ${max}) counted`)
}

export async function findCase(executor: Executor, caseId: number): Promise<CaseRow | null> {
  return executor.maybeOne(sql.type(CaseRow)`${caseSelect} where id = ${caseId}`)
}

const NoteRow = z.object({ caseId: z.number(), note: z.string() })

export async function listRefundNotes(
  executor: Executor,
  caseIds: readonly number[],
): Promise<readonly z.infer<typeof NoteRow>[]> {
  return executor.any(sql.type(NoteRow)`
    select id as "caseId", note from boost_cases where id = any (${sql.array([...caseIds], 'int8')}) and note is not null`)
}

/** Which cases administrators look for; `at` is now. */
export interface CaseFilter {
  readonly state: 'open' | 'chosen' | 'boosted' | 'expired' | 'refunded' | null
  readonly at: string
}

function ofState({ state, at }: CaseFilter) {
  if (state === null) return sql.fragment`true`
  if (state === 'open') return sql.fragment`state = 'open' and expires_at > ${at}`
  return state === 'expired' ? sql.fragment`state = 'open' and expires_at <= ${at}` : sql.fragment`state = ${state}`
}

/** The cases of all sellers, the latest first. */
export async function listAllCases(
  executor: Executor,
  filter: CaseFilter,
  { limit, beforeId }: { readonly limit: number; readonly beforeId: number | null },
): Promise<readonly CaseRow[]> {
  return executor.any(sql.type(CaseRow)`
    ${caseSelect}
     where ${ofState(filter)} ${beforeId === null ? sql.fragment`` : sql.fragment`and id < ${beforeId}`}
     order by id desc
     limit ${limit}`)
}

export async function countAllCases(executor: Executor, filter: CaseFilter, max: number): Promise<number> {
  return executor.oneFirst(sql.type(NumberRow)`
    select count(*) as number from (select from boost_cases where ${ofState(filter)} limit ${max}) counted`)
}
