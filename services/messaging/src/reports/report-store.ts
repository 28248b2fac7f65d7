import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import type { ReportKind } from '@wangian/contracts/reports.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** Every statement about reports. */

type Filed = StoredData<typeof messagingEvents.ReportFiled>

export async function nextReportId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(z.object({ id: z.number() }))`select nextval('report_ids') as id`)
}

export async function insertReport(executor: Executor, filed: Filed): Promise<void> {
  await executor.query(sql.unsafe`
    insert into reports (id, reporter_id, kind, target_id, reported_id, reason, filed_at)
    values (${filed.reportId}, ${filed.reporterId}, ${filed.kind}, ${filed.targetId}, ${filed.reportedId}, ${filed.reason},
            ${filed.filedAt})
    on conflict (id) do nothing`)
}

export async function insertReportText(executor: Executor, reportId: number, content: string): Promise<void> {
  await executor.query(sql.unsafe`insert into report_texts (report_id, content) values (${reportId}, ${content})`)
}

export async function isReported(
  executor: Executor,
  reporterId: number,
  { kind, targetId }: { readonly kind: ReportKind; readonly targetId: number },
): Promise<boolean> {
  return executor.exists(sql.unsafe`
    select from reports
     where reporter_id = ${reporterId} and kind = ${kind} and target_id = ${targetId} and status = 'open'`)
}

/** Who wrote the review of this transaction; `null` without one. */
export async function findReviewer(executor: Executor, transactionId: number): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(z.object({ buyerId: z.number() }))`
    select buyer_id as "buyerId" from deals where id = ${transactionId} and rating is not null`)
}

/** These people are erased: what they wrote about others, and others about them, goes. */
export async function deleteReportTexts(executor: Executor, userIds: readonly number[]): Promise<void> {
  const erased = sql.array([...userIds], 'int8')
  await executor.query(sql.unsafe`
    delete from report_texts
     where report_id in (select id from reports where reporter_id = any (${erased}) or reported_id = any (${erased}))`)
}
