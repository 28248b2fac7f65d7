import { CountRow, type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { NamedRow, named } from '@wangian/kit/people/people-store.ts'
import { z } from 'zod'
import type { BillNotice } from './provider.ts'

/** Every statement about bills that are asked for, and what the provider has signed that fits no order. */

export async function insertBillCheck(
  executor: Executor,
  { billId, madeAt }: { readonly billId: string; readonly madeAt: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into bill_checks (bill_id, made_at) values (${billId}, ${madeAt}) on conflict do nothing`)
}

const DueRow = z.object({ billId: z.string(), orderId: z.string(), isPaid: z.boolean(), isOver: z.boolean() })
export type DueBill = z.infer<typeof DueRow>

/**
 * Bills whose next check is due: those that are not paid as far as we know, and behind them those of which it is not known how. What was asked for in
 * vain comes last. `isOver`: their order waits no more.
 * @param due.untilByChecks by how often they were asked for
 * @param due.failedUntil what was asked for in vain since then is left alone
 */
export async function listDueBills(
  executor: Executor,
  {
    untilByChecks,
    failedUntil,
    at,
  }: { readonly untilByChecks: readonly string[]; readonly failedUntil: string; readonly at: string },
  limit: number,
): Promise<readonly DueBill[]> {
  return executor.any(sql.type(DueRow)`
    select c.bill_id as "billId", p.order_id as "orderId", p.status = 'paid' as "isPaid",
           p.status <> 'pending' or p.expires_at <= ${at} as "isOver"
      from bill_checks c join payments p on p.bill_id = c.bill_id
     where (p.status <> 'paid' or p.payment_channel is null) and c.checks < ${untilByChecks.length}
       and c.made_at <= (${sql.array([...untilByChecks], 'timestamptz')})[c.checks + 1]
       and (c.failed_at is null or c.failed_at <= ${failedUntil})
     order by p.status = 'paid', c.failed_at nulls first, c.made_at
     limit ${limit}`)
}

export async function setCheckFailed(executor: Executor, billId: string, at: string): Promise<void> {
  await executor.query(sql.unsafe`update bill_checks set failed_at = ${at} where bill_id = ${billId}`)
}

/** @param checks how often it was to be asked for by now */
export async function setChecks(
  executor: Executor,
  billId: string,
  nowMs: number,
  afterMs: readonly number[],
): Promise<void> {
  const untilByChecks = afterMs.map((ms) => new Date(nowMs - ms).toISOString())
  await executor.query(sql.unsafe`
    update bill_checks
       set checks = (select count(*) from unnest(${sql.array(untilByChecks, 'timestamptz')}) as due (until) where made_at <= due.until)
     where bill_id = ${billId}`)
}

/** Whether the provider is still going to be asked for a bill. */
export async function isBillChecked(executor: Executor, billId: string): Promise<boolean> {
  return executor.exists(sql.unsafe`select from bill_checks where bill_id = ${billId}`)
}

/**
 * Bills that the provider is not asked for any more: those that are paid and known how, those that were asked for so often, and those that were made until
 * then and asked for in vain.
 */
export async function deleteChecks(
  executor: Executor,
  { checks, failedOfUntil }: { readonly checks: number; readonly failedOfUntil: string },
  limit: number,
): Promise<void> {
  await executor.query(sql.unsafe`
    delete from bill_checks
     where bill_id in (select c.bill_id from bill_checks c join payments p on p.bill_id = c.bill_id
                        where p.payment_channel is not null or c.checks >= ${checks}
                           or c.failed_at is not null and c.made_at <= ${failedOfUntil}
                        limit ${limit})`)
}

export const alertKinds = ['unknown-bill', 'wrong-collection', 'wrong-amount', 'unreadable'] as const
export type AlertKind = (typeof alertKinds)[number]

/**
 * Notes it once, however often it is told. A bill that is asked for has no transaction, so what says none is the same as what says one; two
 * transactions are two payments.
 */
export async function saveAlert(executor: Executor, kind: AlertKind, notice: BillNotice): Promise<void> {
  const { billId, paidSen, isPaid } = notice
  const transactionId = notice.transactionId ?? ''
  await executor.query(sql.unsafe`
    with known as (
      update payment_alerts set transaction_id = greatest(transaction_id, ${transactionId}), last_at = clock_timestamp()
       where id = (select id from payment_alerts
                    where kind = ${kind} and bill_id = ${billId} and amount = ${paidSen} and is_paid = ${isPaid}
                      and (transaction_id in ('', ${transactionId}) or ${transactionId} = '')
                    order by transaction_id desc
                    limit 1)
      returning id)
    insert into payment_alerts (kind, bill_id, amount, is_paid, transaction_id)
    select ${kind}, ${billId}, ${paidSen}::bigint, ${isPaid}::boolean, ${transactionId} where not exists (select from known)
    on conflict (kind, bill_id, amount, is_paid, transaction_id) do update set last_at = clock_timestamp()`)
}

const AlertRow = z.object({
  id: z.number(),
  kind: z.enum(alertKinds),
  billId: z.string(),
  user: NamedRow.nullable(),
  amount: z.number(),
  isPaid: z.boolean(),
  transactionId: z.string().nullable(),
  firstAt: z.string(),
  lastAt: z.string(),
  closedAt: z.string().nullable(),
  closedBy: z.number().nullable(),
  reason: z.string().nullable(),
})
export type AlertRow = z.infer<typeof AlertRow>

const alertSelect = sql.fragment`
  select a.id, a.kind, a.bill_id as "billId", a.amount, a.is_paid as "isPaid", nullif(a.transaction_id, '') as "transactionId",
         (select ${named('p', 'user_id')} from payments p where p.bill_id = a.bill_id) as "user",
         a.first_at as "firstAt", a.last_at as "lastAt", a.closed_at as "closedAt", a.closed_by as "closedBy", a.reason
    from payment_alerts a`

/** Only those that are closed, or only those that are not; `null` for all. */
export type AlertFilter = { readonly isClosed: boolean | null }

const ofAlerts = ({ isClosed }: AlertFilter) => sql.fragment`
  (${isClosed}::boolean is null or (closed_at is not null) = ${isClosed})`

/** What is open first, then the latest first. @param page.after the last one of the page before */
export async function listAlerts(
  executor: Executor,
  filter: AlertFilter,
  {
    limit,
    after,
  }: { readonly limit: number; readonly after: { readonly isClosed: boolean; readonly id: number } | null },
): Promise<readonly AlertRow[]> {
  const isBehind =
    after === null
      ? sql.fragment``
      : sql.fragment`and ((closed_at is not null) > ${after.isClosed} or (closed_at is not null) = ${after.isClosed} and id < ${after.id})`
  return executor.any(sql.type(AlertRow)`
    ${alertSelect} where ${ofAlerts(filter)} ${isBehind} order by (closed_at is not null), id desc limit ${limit}`)
}

/** Counted up to `max`. */
export async function countAlerts(executor: Executor, filter: AlertFilter, max: number): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    select count(*) from (select from payment_alerts where ${ofAlerts(filter)} limit ${max}) counted`)
}

export async function findAlert(executor: Executor, alertId: number): Promise<AlertRow | null> {
  return executor.maybeOne(sql.type(AlertRow)`${alertSelect} where id = ${alertId}`)
}

export async function setAlertClosed(
  executor: Executor,
  closed: {
    readonly alertId: number
    readonly closedAt: string
    readonly closedBy: number | null
    readonly reason: string
  },
): Promise<void> {
  await executor.query(sql.unsafe`
    update payment_alerts set closed_at = ${closed.closedAt}, closed_by = ${closed.closedBy}, reason = ${closed.reason}
     where id = ${closed.alertId}`)
}
