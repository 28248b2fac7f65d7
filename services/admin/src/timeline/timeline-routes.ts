import { adminRoutes, TIMELINE_ENTRIES_MAX, type TimelineEntry } from '@wangian/contracts/admin.ts'
import type { Envelope } from '@wangian/contracts/envelope.ts'
import { STREAM_EVENTS_PER_PAGE_MAX, serviceStatusRequests } from '@wangian/contracts/service-status.ts'
import type { LoggingService } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { type ActivityRow, listActivity } from '../record/activity-store.ts'
import { withReasons } from '../record/reasons.ts'
import { listAuctionIds, listOrderIds, usernamesOf } from './timeline-store.ts'

/** Of a listing; those of earlier times are on their own pages. */
const AUCTIONS_MAX = 3
const DEALS_MAX = 5

export interface TimelineDependencies {
  readonly pool: DatabasePool
  /** Where the owners of the streams are asked. */
  readonly nats: NatsConnection
}

type Kind = 'user' | 'order' | 'listing'
interface Stream {
  readonly service: LoggingService
  readonly stream: string
}

/** What has happened to somebody or something, as the logs of all services have it. */
export function addTimelineRoutes(app: App, { pool, nats }: TimelineDependencies): void {
  handle(app, adminRoutes.getTimeline, async ({ params: { kind, id } }) => {
    const target = { targetKind: kind, targetId: String(id) }
    const [streams, recorded] = await Promise.all([
      streamsOf(pool, kind, id),
      listActivity(pool, target, { limit: TIMELINE_ENTRIES_MAX, after: null }),
    ])
    const [happened, record] = await Promise.all([
      Promise.all(streams.map((stream) => readStream(nats, stream))),
      withReasons(nats, recorded),
    ])
    const events = happened.flat()
    const actorIds = events.flatMap(({ event: { metadata } }) => metadata.actorId ?? [])
    const usernames = await usernamesOf(pool, actorIds)
    const recordOf = new Map(record.map((entry) => [entry.id, entry]))
    const ids = new Set(events.map(({ event }) => event.id))
    const entries = [
      ...events.map((one) => presentEvent(one, usernames, recordOf.get(one.event.id))),
      // What is in a stream itself is not told twice.
      ...record.filter((entry) => !ids.has(entry.id)).map(presentAction),
    ]
    const body = entries
      .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
      .slice(0, TIMELINE_ENTRIES_MAX)
    return { status: 200, body }
  })
}

async function streamsOf(pool: DatabasePool, kind: Kind, id: number): Promise<readonly Stream[]> {
  switch (kind) {
    case 'user':
      return [{ service: 'identity', stream: `user-${id}` }]
    case 'order':
      return [deal(id)]
    case 'listing': {
      const [auctionIds, orderIds] = await Promise.all([
        listAuctionIds(pool, id, AUCTIONS_MAX),
        listOrderIds(pool, id, DEALS_MAX),
      ])
      const auctions = auctionIds.map((auctionId): Stream => ({ service: 'auction', stream: `auction-${auctionId}` }))
      return [{ service: 'catalogue', stream: `listing-${id}` }, ...auctions, ...orderIds.map(deal)]
    }
    default:
      return kind satisfies never
  }
}

/** An order has the id of its transaction. */
const deal = (transactionId: number): Stream => ({ service: 'messaging', stream: `deal-${transactionId}` })

interface Happened {
  readonly service: LoggingService
  readonly event: Envelope
}

/** As many of its latest events as are shown. A page may have fewer: without them older ones of other streams would seem to follow. */
async function readStream(nats: NatsConnection, { service, stream }: Stream): Promise<readonly Happened[]> {
  const happened: Happened[] = []
  let before: number | null | undefined
  while (before !== null && happened.length < TIMELINE_ENTRIES_MAX) {
    const page = { stream, limit: STREAM_EVENTS_PER_PAGE_MAX, before }
    const { events, next } = await ask(nats, service, serviceStatusRequests.readStream, page)
    happened.push(...events.map((event) => ({ service, event })))
    before = next
  }
  return happened
}

/** @param recorded what the record has of the same act, which knows why */
function presentEvent(
  { service, event }: Happened,
  usernames: ReadonlyMap<number, string | null>,
  recorded: ActivityRow | undefined,
): TimelineEntry {
  const { id, at, type, metadata, data } = event
  const { actorId } = metadata
  const username = actorId === null ? null : usernames.get(actorId)
  return {
    id,
    at,
    service,
    type,
    actor: actorId === null ? null : { id: actorId, username: username === undefined ? `User ${actorId}` : username },
    data: { ...(data as Record<string, unknown>), ...(recorded && { reason: recorded.reason }) },
  }
}

function presentAction({ id, at, actor, action, reason, before, after }: ActivityRow): TimelineEntry {
  return { id, at, service: 'admin', type: 'AdminActionTaken', actor, data: { action, reason, before, after } }
}
