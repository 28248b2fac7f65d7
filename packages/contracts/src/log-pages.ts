import { z } from 'zod'
import { Envelope, LogPosition } from './envelope.ts'

/** One page holds at most so many events, and about so many bytes unless a single event is larger. */
export const LOG_PAGE_EVENTS_MAX = 2_000
// A server as it comes takes messages of 1 MiB.
export const LOG_PAGE_BYTES_MAX = 960 * 1024

/**
 * A page of a service's own log, as every service that keeps one answers it on the bus: the events of these types after these positions, in
 * the order in which they are published.
 */
export const readLogPage = {
  name: 'read-log',
  body: z.object({
    types: z.array(z.object({ type: z.string(), after: LogPosition })).min(1),
  }),
  answer: z.object({
    events: z.array(Envelope),
    /** Of these types there is nothing else up to here. */
    upTo: LogPosition,
    /** Nothing more can be published now. */
    isEnd: z.boolean(),
    /** The log ends before `after`: it was restored from an older copy. */
    isBehind: z.boolean(),
  }),
} as const
export type LogPage = z.infer<typeof readLogPage.answer>

/** Events of one stream as they are in the log now, by their versions: for whoever has put them aside. */
export const readLogEvents = {
  name: 'read-events',
  body: z.object({
    stream: z.string().max(200),
    versions: z.array(z.int().positive()).min(1).max(LOG_PAGE_EVENTS_MAX),
  }),
  answer: z.object({
    /** In their order. What is not there any more, or does not leave its service, is left out. */
    events: z.array(Envelope),
    /** The first version that is to be asked for again, `null` for none: an answer has a greatest size. */
    next: z.int().positive().nullable(),
  }),
} as const
