import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
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

const DueRow = z.object({ billId: z.string() })

/** Bills that are not paid as far as we know, and whose next check is due. @param untilByChecks by how often they were asked for */
export async function listDueBills(
  executor: Executor,
  untilByChecks: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(DueRow)`
    select c.bill_id as "billId"
      from bill_checks c join payments p on p.bill_id = c.bill_id
     where p.status <> 'paid' and c.checks < ${untilByChecks.length}
       and c.made_at <= (${sql.array([...untilByChecks], 'timestamptz')})[c.checks + 1]
     order by c.made_at
     limit ${limit}`)
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

export type AlertKind = 'unknown-bill' | 'wrong-collection' | 'wrong-amount'

/** Notes it once, however often it is told. */
export async function saveAlert(executor: Executor, kind: AlertKind, notice: BillNotice): Promise<void> {
  await executor.query(sql.unsafe`
    insert into payment_alerts (kind, bill_id, amount, is_paid, transaction_id)
    values (${kind}, ${notice.billId}, ${notice.paidSen}, ${notice.isPaid}, ${notice.transactionId ?? ''})
    on conflict (kind, bill_id, amount, is_paid, transaction_id) do update set last_at = clock_timestamp()`)
}
