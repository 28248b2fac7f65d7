import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'

/** Whose letters no consumer handles: the relay's, of events that are too large to be published. */
const RELAY = 'relay'
const TRIED_AT_ONCE_MAX = 100

const LetterRow = z.object({
  consumer: z.string(),
  eventId: z.string(),
  subject: z.string(),
  payload: z.string(),
  error: z.string(),
  tries: z.number(),
  parkedAt: z.string(),
  isReleased: z.boolean(),
})
export type LetterRow = z.infer<typeof LetterRow>

const columns = sql.fragment`
  consumer, event_id as "eventId", subject, payload, error, tries, parked_at as "parkedAt", retry_at is not null as "isReleased"`

/** Everything that was put aside, the oldest first. */
export async function listDeadLetters(executor: Executor): Promise<readonly LetterRow[]> {
  return executor.any(sql.type(LetterRow)`select ${columns} from dead_letters order by parked_at, consumer, event_id`)
}

/** What of a consumer's letters waits to be tried again, the oldest first. */
export async function listReleased(executor: Executor, consumer: string): Promise<readonly LetterRow[]> {
  return executor.any(sql.type(LetterRow)`
    select ${columns} from dead_letters
     where consumer = ${consumer} and retry_at is not null
     order by parked_at, event_id
     limit ${TRIED_AT_ONCE_MAX}`)
}

/**
 * Has events that were put aside tried again, by whichever process consumes: they count as received no longer.
 * @param eventIds `null` for all
 * @returns how many letters that are; an event may have been put aside by several consumers
 */
export async function releaseDeadLetters(executor: Executor, eventIds: readonly string[] | null): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    with released as (
      update dead_letters set retry_at = clock_timestamp()
       where consumer <> ${RELAY}
         and ${eventIds === null ? sql.fragment`true` : sql.fragment`event_id = any (${sql.array([...eventIds], 'text')})`}
      returning consumer, case when event_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then event_id::uuid end as event_id
    ), unreceived as (
      delete from inbox using released
       where inbox.consumer = released.consumer and inbox.event_id = released.event_id
    )
    select from released`)
  return rowCount
}

/** Removes a letter whose event has been handled. */
export async function dropDeadLetter(executor: Executor, consumer: string, eventId: string): Promise<void> {
  await executor.query(sql.unsafe`
    delete from dead_letters where consumer = ${consumer} and event_id = ${eventId} and retry_at is not null`)
}
