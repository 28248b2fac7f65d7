import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { ReportKind, ReportReason, ReportStatus } from '@wangian/contracts/reports.ts'
import { CountRow, type Executor, IdRow, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { before, EXACT_COUNT_MAX, type Listed, listed, type Page } from '../list-store.ts'
import type { FiledReport } from './domain.ts'

/** Every statement about reports. */

type Filed = StoredData<typeof messagingEvents.ReportFiled>
type Decided = StoredData<typeof messagingEvents.ReportDecided>

export async function nextReportId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(IdRow)`select nextval('report_ids') as id`)
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

const FiledRow = z.object({
  reportId: z.number(),
  reporterId: z.number(),
  reportedId: z.number(),
  kind: ReportKind,
  targetId: z.number(),
  status: ReportStatus,
})

export async function findReport(executor: Executor, reportId: number): Promise<FiledReport | null> {
  return executor.maybeOne(sql.type(FiledRow)`
    select id as "reportId", reporter_id as "reporterId", reported_id as "reportedId", kind, target_id as "targetId", status
      from reports where id = ${reportId}`)
}

export async function setDecision(
  executor: Executor,
  { reportId, decision, decidedAt }: Decided,
  decidedBy: number | null,
): Promise<void> {
  await executor.query(sql.unsafe`
    update reports set status = ${decision}, decided_at = ${decidedAt}, decided_by = ${decidedBy} where id = ${reportId}`)
}

export async function insertDecisionReason(executor: Executor, reportId: number, content: string): Promise<void> {
  await executor.query(sql.unsafe`insert into decision_reasons (report_id, content) values (${reportId}, ${content})`)
}

const ReasonRow = z.object({ reportId: z.number(), reason: z.string() })

export async function listDecisionReasons(
  executor: Executor,
  reportIds: readonly number[],
): Promise<readonly z.infer<typeof ReasonRow>[]> {
  return executor.any(sql.type(ReasonRow)`
    select report_id as "reportId", content as reason from decision_reasons
     where report_id = any (${sql.array([...reportIds], 'int8')})`)
}

const NamedRow = z.object({ id: z.number(), username: z.string().nullable() })
const ReportRow = z.object({
  id: z.number(),
  kind: ReportKind,
  targetId: z.number(),
  reason: ReportReason,
  text: z.string().nullable(),
  status: ReportStatus,
  createdAt: z.string(),
  reporter: NamedRow,
  reported: NamedRow,
  content: z.string().nullable(),
  decidedAt: z.string().nullable(),
  decidedBy: NamedRow.nullable(),
  decisionReason: z.string().nullable(),
})
export type ReportRow = z.infer<typeof ReportRow>
const ListedReportRow = ReportRow.extend({ total: z.number() })

const named = (alias: string, id: ReturnType<typeof sql.fragment>) => sql.fragment`
  jsonb_build_object('id', ${id}, 'username', ${sql.identifier([alias])}.username)`

/** What a report is about, in words. What a review says is in the log. */
const reportedContent = sql.fragment`
  case r.kind
    when 'person' then reported.username
    when 'listing' then (select name from products where id = r.target_id)
    when 'message' then (select nullif(content, '') from message_texts where message_id = r.target_id)
    when 'review' then (select data ->> 'comment' from events
                         where stream = 'deal-' || r.target_id and type = 'ReviewSubmitted' order by version limit 1)
  end`

const reportColumns = sql.fragment`
  r.id, r.kind, r.target_id as "targetId", r.reason, t.content as text, r.status, r.filed_at as "createdAt",
         ${named('reporter', sql.fragment`r.reporter_id`)} as reporter,
         ${named('reported', sql.fragment`r.reported_id`)} as reported,
         ${reportedContent} as content, r.decided_at as "decidedAt",
         case when r.decided_by is not null then ${named('decider', sql.fragment`r.decided_by`)} end as "decidedBy",
         why.content as "decisionReason"`

const whatReportsSay = sql.fragment`
    from reports r
      left join report_texts t on t.report_id = r.id
      left join decision_reasons why on why.report_id = r.id
      left join known_people reporter on reporter.user_id = r.reporter_id
      left join known_people reported on reported.user_id = r.reported_id
      left join known_people decider on decider.user_id = r.decided_by`

/** Which reports are asked for; `null` for all. */
export interface ReportFilter {
  readonly status: ReportStatus | null
  readonly kind: ReportKind | null
  readonly reportedId: number | null
  readonly reporterId: number | null
}

function chosen({ status, kind, reportedId, reporterId }: ReportFilter) {
  const conditions = [sql.fragment`true`]
  if (status !== null) conditions.push(sql.fragment`r.status = ${status}`)
  if (kind !== null) conditions.push(sql.fragment`r.kind = ${kind}`)
  if (reportedId !== null) conditions.push(sql.fragment`r.reported_id = ${reportedId}`)
  if (reporterId !== null) conditions.push(sql.fragment`r.reporter_id = ${reporterId}`)
  return sql.join(conditions, sql.fragment` and `)
}

export async function listReports(executor: Executor, filter: ReportFilter, page: Page): Promise<Listed<ReportRow>> {
  const count = sql.fragment`
    select count(*) as count from (select from reports r where ${chosen(filter)} limit ${EXACT_COUNT_MAX}) counted`
  return listed(
    executor.any(sql.type(ListedReportRow)`
      select ${reportColumns}, (${count}) as total
        ${whatReportsSay}
       where ${chosen(filter)} and r.id < ${before(page)}
       order by r.id desc
       limit ${page.limit}`),
    () => executor.oneFirst(sql.type(CountRow)`${count}`),
  )
}

export async function getReport(executor: Executor, reportId: number): Promise<ReportRow> {
  return executor.one(sql.type(ReportRow)`select ${reportColumns} ${whatReportsSay} where r.id = ${reportId}`)
}

const BuyerIdRow = z.object({ buyerId: z.number() })

/** Who wrote the review of this transaction; `null` without one. */
export async function findReviewer(executor: Executor, transactionId: number): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(BuyerIdRow)`
    select buyer_id as "buyerId" from deals where id = ${transactionId} and rating is not null`)
}

/** These people are erased: what they wrote about others, and others about them, goes, and so does why it was decided as it was. */
export async function deleteReportTexts(executor: Executor, userIds: readonly number[]): Promise<void> {
  const erased = sql.array([...userIds], 'int8')
  const theirs = sql.fragment`select id from reports where reporter_id = any (${erased}) or reported_id = any (${erased})`
  await executor.query(sql.unsafe`delete from report_texts where report_id in (${theirs})`)
  await executor.query(sql.unsafe`delete from decision_reasons where report_id in (${theirs})`)
}
