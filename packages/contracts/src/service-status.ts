import { z } from 'zod'
import { comparePositions, Envelope, LogPosition } from './envelope.ts'
import { loggingServices } from './subjects.ts'
import { Instant } from './time.ts'

/** More events than this are not counted. */
export const UNPUBLISHED_COUNT_MAX = 10_000
export const PARKED_PER_PAGE_MAX = 100
export const STREAM_EVENTS_PER_PAGE_MAX = 200

/** Where the last event of a type is in the log of the service that it comes from. */
const TypePosition = z.object({ type: z.string(), position: LogPosition })
export type TypePosition = z.infer<typeof TypePosition>

export const ConsumerStatus = z.object({
  /** As `consumer` of a parked event has it: `<source>-<name>`. */
  consumer: z.string(),
  source: z.enum(loggingServices),
  /** Up to where the events of each type are handled. It is read from the database: it counts for all processes of the service. */
  positions: z.array(TypePosition),
  /** Whether the process that answers is the one that consumes. Of several processes one does. */
  isActive: z.boolean(),
  /** Whether that process has read the log up to its end. */
  isCaughtUp: z.boolean(),
  /** By the process that answers, since it was started. */
  handledCount: z.int(),
  /** Events that wait for a person. */
  parkedCount: z.int(),
  /** Events that failed and are tried again, and those that wait behind them. */
  waitingCount: z.int(),
})
export type ConsumerStatus = z.infer<typeof ConsumerStatus>

export const ServiceStatus = z.object({
  /** Of the process that answers. */
  instanceId: z.string(),
  startedAt: Instant,
  /** Without it nothing below is known. */
  isDatabaseUp: z.boolean(),
  /** Of the service's own log; `null` while the database is down. */
  relay: z
    .object({
      /** Events that are committed and not published yet, at most {@link UNPUBLISHED_COUNT_MAX}. */
      unpublishedCount: z.int(),
      /** How long the oldest of them has waited; `null` when there is none. */
      oldestUnpublishedMs: z.number().nullable(),
      /** The last published event of each type. */
      heads: z.array(TypePosition),
    })
    .nullable(),
  /** None while the database is down. */
  consumers: z.array(ConsumerStatus),
  /** Events that wait for a person, the relay's among them; `null` while the database is down. */
  parkedCount: z.int().nullable(),
})
export type ServiceStatus = z.infer<typeof ServiceStatus>

/** Which event of which consumer. */
const LetterKey = z.object({ consumer: z.string().max(200), eventId: z.string().max(200) })
export type LetterKey = z.infer<typeof LetterKey>

/** An event that a service could not take. What it says is left out: it may be personal. */
export const ParkedEvent = LetterKey.extend({
  type: z.string(),
  stream: z.string(),
  /** The beginning of what went wrong. */
  error: z.string(),
  tries: z.int(),
  parkedAt: Instant,
  /** When it is tried again; `null` when it waits for a person. */
  dueAt: Instant.nullable(),
})
export type ParkedEvent = z.infer<typeof ParkedEvent>

/** What every service that keeps a log answers on the bus, by any of its processes that publish and consume. */
export const serviceStatusRequests = {
  getStatus: { name: 'get-status', body: z.object({}), answer: ServiceStatus },
  /** Those that wait for a person first; by consumer and, within one, in the order in which the events were made. */
  listParked: {
    name: 'list-parked',
    body: z.object({
      limit: z.int().min(1).max(PARKED_PER_PAGE_MAX),
      /** The last one of the page before. */
      after: LetterKey.nullable(),
    }),
    answer: z.object({ parked: z.array(ParkedEvent) }),
  },
  /**
   * Has an event that waits for a person tried again. One that is tried again anyway stays as it is.
   * Refused with `not-found` when it is not parked, with `conflict` when it is one of the relay, which nothing but a new version can publish.
   */
  retryParked: {
    name: 'retry-parked',
    body: LetterKey,
    answer: z.object({ hasChanged: z.boolean(), parked: ParkedEvent }),
  },
  /** Gives an event up: it is never handled, and those behind it go on. Refused with `not-found` when it is not parked. */
  discardParked: { name: 'discard-parked', body: LetterKey, answer: z.object({ parked: ParkedEvent }) },
  /** The events of one stream of the service's log as others get them, newest first; none of an unknown stream. */
  readStream: {
    name: 'read-stream',
    body: z.object({
      stream: z.string().max(200),
      limit: z.int().min(1).max(STREAM_EVENTS_PER_PAGE_MAX),
      /** Only events whose version is lower. */
      before: z.int32().positive().optional(),
    }),
    answer: z.object({
      /** Fewer than `limit` may come although there are more: some events do not leave their service, and a page has a greatest size. */
      events: z.array(Envelope),
      /** What to give as `before` for the next page; `null` when this one is the last. */
      next: z.int().positive().nullable(),
    }),
  },
} as const

/**
 * How many events of its source a consumer may not have handled yet: 0 when there is none, otherwise an upper bound, since events of other types
 * are counted too.
 * @param heads of the status of the consumer's source
 */
export function eventsBehind({ positions }: Pick<ConsumerStatus, 'positions'>, heads: readonly TypePosition[]): number {
  const headOf = new Map(heads.map(({ type, position }) => [type, position]))
  const behind = positions.map(({ type, position }) => {
    const head = headOf.get(type)
    if (head === undefined || comparePositions(head, position) <= 0) return 0
    // Numbers are drawn before transactions commit, so a later event may have the lower one.
    return Math.max(head[1] - position[1], 1)
  })
  return Math.max(0, ...behind)
}
