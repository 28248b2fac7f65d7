import { Envelope } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { LOG_PAGE_BYTES_MAX } from '@wangian/contracts/log-pages.ts'
import type { serviceStatusRequests } from '@wangian/contracts/service-status.ts'
import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'
import { type Complete, publishedEvents } from './published-events.ts'

type Question = typeof serviceStatusRequests.readStream.body._output
type Page = typeof serviceStatusRequests.readStream.answer._output

/** Beyond every version of a stream. */
const VERSION_MAX = 2 ** 31 - 1

const StreamRow = z.object({
  id: z.string(),
  type: z.string(),
  schemaVersion: z.number(),
  stream: z.string(),
  version: z.number(),
  tx: z.number(),
  position: z.number(),
  recordedAt: z.string(),
  data: z.string(),
  metadata: z.string(),
})

/**
 * A page of one stream as others get its events, newest first.
 * @param complete as the relay has it
 */
export async function streamPage(
  executor: Executor,
  service: EventSource,
  { stream, limit, before = VERSION_MAX }: Question,
  complete: Complete | undefined,
): Promise<Page> {
  const rows = await executor.any(sql.type(StreamRow)`
    select event_id as id, type, schema_version as "schemaVersion", stream, version, tx::text::int8 as tx, position,
           recorded_at as "recordedAt", data::text, metadata::text
      from events
     where stream = ${stream} collate "C" and version < ${before}
     order by version desc
     limit ${limit}`)
  const logRows = rows.map(({ tx, position, ...row }) => ({ ...row, position: [tx, position] as const }))
  const published = new Map(
    (await publishedEvents(service, logRows, complete)).map((event) => [event.id, event.toJson(null)]),
  )
  const events: Envelope[] = []
  let bytes = 0
  for (const [index, { id }] of rows.entries()) {
    const json = published.get(id)
    if (json === undefined) continue
    bytes += Buffer.byteLength(json)
    if (bytes > LOG_PAGE_BYTES_MAX && events.length > 0) return { events, next: rows[index - 1]?.version ?? null }
    events.push(Envelope.parse(JSON.parse(json)))
  }
  const last = rows.at(-1)
  return { events, next: last !== undefined && rows.length === limit && last.version > 1 ? last.version : null }
}
