import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { ReportKind, ReportReason } from '@wangian/contracts/reports.ts'
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
export function reportStream({ reporterId, kind, targetId }: FileReport): string {
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
