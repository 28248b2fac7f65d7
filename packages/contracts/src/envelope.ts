import { z } from 'zod'
import { Instant } from './time.ts'

/** Who caused an event and by which chain of requests. */
export const EventMetadata = z.object({
  /** The acting user, `null` when the system acted by itself (a timer, a reaction). */
  actorId: z.int().positive().nullable(),
  /** The id of the request or event at the start of the chain. */
  correlationId: z.string(),
  /** The id of the event that led to this one, `null` when a request did. */
  causationId: z.string().nullable(),
  /** The caller's own id of the command, `null` when it gave none. */
  commandId: z.string().nullable(),
  /** The trace in which it happened, as the W3C writes it; absent where none was kept. */
  traceparent: z.string().max(64).optional(),
})
export type EventMetadata = z.infer<typeof EventMetadata>

/**
 * Where an event is in the log of its service: the number of its transaction and its own number. Events are published in the order of these
 * pairs.
 */
export const LogPosition = z.tuple([z.int().nonnegative(), z.int().nonnegative()]).readonly()
export type LogPosition = z.infer<typeof LogPosition>

/** Before the first event of a log. */
export const LOG_START: LogPosition = [0, 0]

/** Below 0 when `one` comes before `other`, above 0 when it comes after it. */
export function comparePositions(one: LogPosition, other: LogPosition): number {
  return one[0] - other[0] || one[1] - other[1]
}

/**
 * An event as it travels over JetStream. `stream` is `<kind>-<id>`, `version` counts from 1 within the stream. Metadata that a log left
 * out, because thousands of bids a second say it all in their data, is filled in: the event then starts its own chain.
 */
export const Envelope = z
  .object({
    id: z.uuid(),
    type: z.string(),
    stream: z.string(),
    version: z.int().positive(),
    /** Of the shape of `data`, which each type of event counts for itself. */
    schemaVersion: z.int().positive().default(1),
    at: Instant,
    /** `null` for an event that was published before there were positions. */
    position: LogPosition.nullable().default(null),
    /** Of the event of the same type that was published before this one; `null` when it is the first, and in pages of the log. */
    previous: LogPosition.nullable().default(null),
    data: z.unknown(),
    metadata: EventMetadata.partial(),
  })
  .transform((event) => ({ ...event, metadata: metadataOf(event) }))
export type Envelope = z.infer<typeof Envelope>

function metadataOf(event: {
  id: string
  metadata: { [Field in keyof EventMetadata]?: EventMetadata[Field] | undefined }
}): EventMetadata {
  const { actorId = null, correlationId = event.id, causationId = null, commandId = null, traceparent } = event.metadata
  return { actorId, correlationId, causationId, commandId, ...(traceparent !== undefined && { traceparent }) }
}
