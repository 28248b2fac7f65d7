import type { LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { toPublished } from './event-format.ts'
import type { LogRow } from './log-reader.ts'

/**
 * Adds to the data of events, as they leave, what must not be in a log; as of now and not as of then.
 * @returns what is added to the data of an event, by its id
 */
export type Complete = (
  events: readonly { readonly id: string; readonly type: string; readonly data: string }[],
) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>

/** An event as it leaves its service. */
export interface PublishedEvent {
  readonly id: string
  /** Its name today. */
  readonly type: string
  readonly stream: string
  readonly position: LogPosition
  /** The envelope as JSON, which says `previous` where one is given. */
  toJson(previous: LogPosition | null): string
}

/**
 * What of these rows leaves the service: nothing that is private, everything in today's shape, completed.
 * @throws InvariantViolation for a row that cannot be read
 */
export async function publishedEvents(
  service: EventSource,
  rows: readonly LogRow[],
  complete: Complete | undefined,
): Promise<PublishedEvent[]> {
  const leaving = rows.flatMap((row) => {
    const published = toPublished(service, row)
    return published === null ? [] : [{ ...row, ...published }]
  })
  const additions = leaving.length > 0 ? await complete?.(leaving) : undefined
  return leaving.map((event) => {
    const { id, type, schemaVersion, stream, version, position, recordedAt: at, metadata } = event
    const added = additions?.get(id)
    const data = added === undefined ? event.data : withAdded(event.data, added)
    return {
      id,
      type,
      stream,
      position,
      toJson(previous) {
        // The JSON of the log is taken over as text: nothing is gained by parsing it.
        const head = JSON.stringify({ id, type, schemaVersion, stream, version, at, position, previous })
        return `${head.slice(0, -1)},"data":${data},"metadata":${metadata}}`
      },
    }
  })
}

/** The last of two keys counts, so what is added goes behind what the log has. */
function withAdded(data: string, added: Readonly<Record<string, unknown>>): string {
  const members = [data, JSON.stringify(added)].map((object) => object.slice(1, -1).trim())
  return `{${members.filter((text) => text !== '').join()}}`
}
