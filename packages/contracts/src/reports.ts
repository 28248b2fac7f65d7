import { z } from 'zod'
import { Id, IdParam, UserId } from './ids.ts'
import { Reason } from './reason.ts'
import { route } from './route.ts'
import { isStorableText } from './text.ts'
import { Instant } from './time.ts'

export const REPORT_TEXT_LENGTH_MAX = 1000

/** What can be reported. A review has the id of its transaction. */
export const ReportKind = z.enum(['person', 'listing', 'message', 'review'])
export type ReportKind = z.infer<typeof ReportKind>

export const ReportReason = z.enum([
  'scam',
  'counterfeit',
  'misleading',
  'harassment',
  'inappropriate',
  'spam',
  'other',
])
export type ReportReason = z.infer<typeof ReportReason>

/** What somebody says is wrong with something. `other` is nothing without words. */
export const ReportForm = z
  .object({
    kind: ReportKind,
    targetId: Id,
    reason: ReportReason,
    text: z
      .string()
      .trim()
      .max(REPORT_TEXT_LENGTH_MAX, `A report has at most ${REPORT_TEXT_LENGTH_MAX} characters`)
      .refine(isStorableText, 'Please describe what is wrong')
      .nullish(),
  })
  .refine(({ reason, text }) => reason !== 'other' || Boolean(text), {
    error: 'Please describe what is wrong',
    path: ['text'],
  })
export type ReportForm = z.infer<typeof ReportForm>

/** A report as whoever made it sees it. */
export const Report = z
  .object({
    id: Id,
    kind: ReportKind,
    targetId: Id,
    reason: ReportReason,
    text: z.string().nullable(),
    status: z.literal('open'),
    createdAt: Instant,
  })
  .meta({ id: 'Report' })
export type Report = z.infer<typeof Report>

/** What became of a report: `upheld` when what it says is so. */
export const ReportDecision = z.enum(['upheld', 'dismissed'])
export type ReportDecision = z.infer<typeof ReportDecision>
export const ReportStatus = z.enum(['open', ...ReportDecision.options])
export type ReportStatus = z.infer<typeof ReportStatus>

const Named = z.object({
  id: UserId,
  /** `null` for somebody who has deleted their account. */
  username: z.string().nullable(),
})

/** A report as administrators see it. */
export const AdminReport = Report.extend({
  status: ReportStatus,
  reporter: Named,
  /** Who is reported, or whose it is. */
  reported: Named,
  /** What is reported, in words: a username, what a listing is called, what a message or a review says; `null` where there are none (any more). */
  content: z.string().nullable(),
  decidedAt: Instant.nullable(),
  decidedBy: Named.nullable(),
  /** `null` also once one of the two people is erased. */
  decisionReason: z.string().nullable(),
}).meta({ id: 'AdminReport' })
export type AdminReport = z.infer<typeof AdminReport>

export const REPORTS_PER_PAGE_MAX = 100

/** Apart from the routes of conversations, which every page needs. */
export const reportRoutes = {
  fileReport: route({
    method: 'POST',
    path: '/api/reports',
    access: 'signed-in',
    summary: 'Tells administrators of a person, a listing, a review, or a message that the caller has got',
    body: ReportForm,
    answers: { 201: Report },
    refusals: [
      'own-report',
      'user-not-found',
      'product-not-found',
      'message-not-found',
      'review-not-found',
      'report-exists',
      'rate-limited',
      'unavailable',
    ],
  }),
  listReports: route({
    method: 'GET',
    path: '/api/admin/reports',
    access: 'admin',
    summary: 'What people have reported, the latest first',
    query: z.object({
      status: ReportStatus.optional(),
      kind: ReportKind.optional(),
      /** Who is reported, or whose it is. */
      reportedId: IdParam.optional(),
      reporterId: IdParam.optional(),
      limit: z.coerce.number().int().min(1).max(REPORTS_PER_PAGE_MAX).optional(),
      /** The lowest id of the page before. */
      cursor: IdParam.optional(),
    }),
    answers: { 200: z.array(AdminReport) },
  }),
  /** The same call again changes nothing. */
  decideReport: route({
    method: 'POST',
    path: '/api/admin/reports/:reportId/decide',
    access: 'admin',
    summary: 'Decides about a report, once; whoever made it is told by mail',
    params: z.object({ reportId: IdParam }),
    body: z.object({ decision: ReportDecision, reason: Reason }),
    answers: { 200: AdminReport },
    refusals: ['not-found', 'conflict', 'unavailable'],
  }),
} as const
