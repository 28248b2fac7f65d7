import { z } from 'zod'
import { Id } from './ids.ts'
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
} as const
