import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { ReportDecision, ReportKind, ReportReason, ReportStatus } from '@wangian/contracts/reports.ts'
import { Rejection } from '@wangian/kit/errors.ts'

export interface FileReport {
  readonly reportId: number
  readonly reporterId: number
  readonly kind: ReportKind
  readonly targetId: number
  readonly reason: ReportReason
  readonly at: string
}

/** The stream of what somebody reports of something. */
export function reportStream({
  reporterId,
  kind,
  targetId,
}: Pick<FileReport, 'reporterId' | 'kind' | 'targetId'>): string {
  return `report-${reporterId}-${kind}-${targetId}`
}

const missing = {
  person: 'user-not-found',
  listing: 'product-not-found',
  message: 'message-not-found',
  review: 'review-not-found',
} as const

/**
 * @param known.reportedId whose it is; `null` where there is no such thing that the reporter can see
 * @throws Rejection when it may not be reported
 */
export function decideReporting(
  { at, ...report }: FileReport,
  { reportedId, isReported }: { readonly reportedId: number | null; readonly isReported: boolean },
): readonly MessagingEvent[] {
  if (reportedId === null) throw new Rejection(missing[report.kind])
  if (reportedId === report.reporterId) throw new Rejection('own-report')
  if (isReported) throw new Rejection('report-exists')
  return [{ type: 'ReportFiled', data: { ...report, reportedId, filedAt: at } }]
}

/** A report before it is decided about, or after. */
export interface FiledReport {
  readonly reportId: number
  readonly reporterId: number
  readonly reportedId: number
  readonly kind: ReportKind
  readonly targetId: number
  readonly status: ReportStatus
}

/** @throws Rejection('conflict') when somebody has decided otherwise */
export function decideAboutReport(
  { decision, at }: { readonly decision: ReportDecision; readonly at: string },
  { status, ...report }: FiledReport,
): readonly MessagingEvent[] {
  if (status === decision) return []
  if (status !== 'open') throw new Rejection('conflict')
  return [{ type: 'ReportDecided', data: { ...report, decision, decidedAt: at } }]
}
