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
