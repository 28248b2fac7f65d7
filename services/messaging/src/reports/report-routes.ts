import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { REPORTS_PER_PAGE_MAX, type ReportKind, reportRoutes } from '@wangian/contracts/reports.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { requireAdministrator } from '@wangian/kit/people/administrators.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import { append } from '../conversations/commands.ts'
import { findMessage } from '../conversations/message-store.ts'
import { lock } from '../lock-store.ts'
import { page } from '../paging.ts'
import { isAnyErased, listStandings } from '../people-store.ts'
import { decideAboutReport, decideReporting, reportStream } from './domain.ts'
import {
  findReport,
  findReviewer,
  getReport,
  insertDecisionReason,
  insertReportText,
  isReported,
  listReports,
  nextReportId,
} from './report-store.ts'

const REPORTS_PER_HOUR_MAX = 20

export interface ReportDependencies {
  readonly pool: DatabasePool
  /** Where catalogue is asked for listings, and identity for administrators. */
  readonly nats: NatsConnection
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly nowMs?: () => number
}

/** Takes what people report, and what administrators decide about it. */
export function addReportRoutes(app: App, dependencies: ReportDependencies): void {
  const { pool, nats, onAppended, nowMs = Date.now } = dependencies
  const reports = createRateLimiter(app, { limit: REPORTS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })

  handle(app, reportRoutes.fileReport, async ({ body, user, request }) => {
    reports.take(user.id)
    const { kind, targetId, reason } = body
    const text = body.text || null
    const reportedId = await findReported(dependencies, user.id, { kind, targetId })
    const reportId = await nextReportId(pool)
    const command = { reportId, reporterId: user.id, kind, targetId, reason, at: new Date(nowMs()).toISOString() }
    const stream = reportStream(command)
    const metadata = { actorId: user.id, correlationId: request.id, causationId: null, commandId: null }
    await pool.transaction(async (transaction) => {
      await lock(transaction, stream)
      const known = { reportedId, isReported: await isReported(transaction, user.id, body) }
      await append(transaction, [{ stream, events: decideReporting(command, known), metadata }])
      if (text === null || reportedId === null) return
      // The words of others about whoever is erased went with them.
      if (!(await isAnyErased(transaction, [reportedId]))) await insertReportText(transaction, reportId, text)
    })
    onAppended()
    const report = { id: reportId, kind, targetId, reason, text, status: 'open' as const, createdAt: command.at }
    return { status: 201, body: report }
  })

  handle(app, reportRoutes.listReports, async ({ query, request }) => {
    const { status = null, kind = null, reportedId = null, reporterId = null } = query
    const filter = { status, kind, reportedId, reporterId }
    const asked = { query: { ...query, limit: query.limit ?? REPORTS_PER_PAGE_MAX }, url: request.url }
    const { rows, headers } = await page(asked, (one) => listReports(pool, filter, one))
    return { status: 200, body: rows, headers }
  })

  handle(app, reportRoutes.decideReport, async ({ params: { reportId }, body, user, request }) => {
    await requireAdministrator(nats, user.id)
    const filed = await findReport(pool, reportId)
    if (filed === null) throw new Rejection('not-found')
    const stream = reportStream(filed)
    const command = { decision: body.decision, at: new Date(nowMs()).toISOString() }
    const metadata = { actorId: user.id, correlationId: request.id, causationId: null, commandId: null }
    await pool.transaction(async (transaction) => {
      await lock(transaction, stream)
      const known = (await findReport(transaction, reportId)) ?? filed
      const events = decideAboutReport(command, known)
      if (events.length === 0) return
      await append(transaction, [{ stream, events, metadata }])
      if (!(await isAnyErased(transaction, [known.reporterId, known.reportedId])))
        await insertDecisionReason(transaction, reportId, body.reason)
      await rememberPerson(transaction, user.id, user.username)
    })
    onAppended()
    return { status: 200, body: await getReport(pool, reportId) }
  })
}

/** Whom a report is about; `null` where there is nothing that the reporter can see. */
async function findReported(
  { pool, nats }: ReportDependencies,
  reporterId: number,
  { kind, targetId }: { readonly kind: ReportKind; readonly targetId: number },
): Promise<number | null> {
  switch (kind) {
    case 'person': {
      const [person] = await listStandings(pool, [targetId])
      return person === undefined || person.isClosed ? null : person.userId
    }
    case 'message': {
      const message = await findMessage(pool, targetId)
      if (message === null || ![message.senderId, message.receiverId].includes(reporterId)) return null
      // The note of an administrator is nobody's of the two.
      return message.author === null ? message.senderId : null
    }
    case 'review':
      return findReviewer(pool, targetId)
    case 'listing': {
      const { listing } = await ask(nats, 'catalogue', catalogueRequests.getListing, { productId: targetId })
      return listing?.sellerId ?? null
    }
    default:
      return kind satisfies never
  }
}
