import type { Envelope, LogPosition } from '@wangian/contracts/envelope.ts'
import type { LetterKey } from '@wangian/contracts/service-status.ts'
import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'

/** Whose letters no consumer handles: the relay's, of events that are too large to be published. */
export const RELAY = 'relay'

const LetterRow = z.object({
  consumer: z.string(),
  eventId: z.string(),
  subject: z.string(),
  stream: z.string(),
  /** The event without its data, as JSON. */
  payload: z.string(),
  error: z.string(),
  tries: z.number(),
  parkedAt: z.string(),
  /** When it is tried again; `null` when it waits for a person. */
  dueAt: z.string().nullable(),
})
export type LetterRow = z.infer<typeof LetterRow>

const columns = sql.fragment`
  consumer, event_id as "eventId", subject, stream, payload, error, tries, parked_at as "parkedAt", due_at as "dueAt"`

/** An event that could not be handled, or that waits behind such a one of its stream. */
export interface NewLetter {
  readonly consumer: string
  readonly subject: string
  readonly event: Envelope
  readonly position: LogPosition
  readonly error: string
  readonly tries: number
  /** In how many ms it is tried again; `null` when it waits for a person. */
  readonly dueInMs: number | null
}

/**
 * Stores events that could not be handled, without what they say: their log has it, where words about people go with them. One that is there already
 * stays as it is.
 */
export async function insertLetter(executor: Executor, letter: NewLetter): Promise<void> {
  const { consumer, subject, event, position, error, tries, dueInMs } = letter
  await executor.query(sql.unsafe`
    insert into dead_letters (consumer, event_id, subject, stream, tx, position, payload, error, tries, due_at)
    values (${consumer}, ${event.id}, ${subject}, ${event.stream}, ${position[0]}, ${position[1]},
            ${storable(JSON.stringify({ ...event, data: null }))}, ${storable(error)}, ${tries}, ${dueAt(dueInMs)})
    on conflict (consumer, event_id) do nothing`)
}

/** What has become of another try. */
export async function updateLetter(
  executor: Executor,
  letter: Pick<NewLetter, 'consumer' | 'error' | 'tries' | 'dueInMs'> & { readonly eventId: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    update dead_letters
       set error = ${storable(letter.error)}, tries = ${letter.tries}, due_at = ${dueAt(letter.dueInMs)},
           parked_at = clock_timestamp()
     where consumer = ${letter.consumer} and event_id = ${letter.eventId}`)
}

/** Everything that was put aside or is to be tried again, the oldest first. */
export async function listDeadLetters(executor: Executor): Promise<readonly LetterRow[]> {
  return executor.any(sql.type(LetterRow)`select ${columns} from dead_letters order by parked_at, consumer, event_id`)
}

/**
 * A page of these letters, first those that wait for a person, however many are tried again by themselves; by consumer and event: ids made later sort later,
 * give or take a millisecond.
 */
export async function listLettersAfter(
  executor: Executor,
  { after, limit }: { readonly after: LetterKey | null; readonly limit: number },
): Promise<readonly LetterRow[]> {
  const { consumer, eventId } = after ?? { consumer: '', eventId: '' }
  return executor.any(sql.type(LetterRow)`
    select ${columns} from dead_letters
     where (due_at is not null, consumer, event_id) > (
             exists (select from dead_letters
                      where consumer = ${consumer} and event_id = ${eventId} and due_at is not null),
             ${consumer}, ${eventId})
     order by due_at is not null, consumer, event_id
     limit ${limit}`)
}

/** The letter of one event. */
export async function findLetter(executor: Executor, { consumer, eventId }: LetterKey): Promise<LetterRow | null> {
  return executor.maybeOne(sql.type(LetterRow)`
    select ${columns} from dead_letters where consumer = ${consumer} and event_id = ${eventId}`)
}

const CountRow = z.object({ consumer: z.string(), parkedCount: z.number(), waitingCount: z.number() })

/** How many letters each consumer has, those that wait for a person and those that are tried again by themselves. */
export async function countLetters(executor: Executor): Promise<ReadonlyMap<string, z.infer<typeof CountRow>>> {
  const rows = await executor.any(sql.type(CountRow)`
    select consumer, count(*) - count(due_at) as "parkedCount", count(due_at) as "waitingCount"
      from dead_letters
     group by consumer`)
  return new Map(rows.map((row) => [row.consumer, row]))
}

const EventIdRow = LetterRow.pick({ eventId: true })

/** The ids of the events that a consumer has put aside. */
export async function listLetterIds(executor: Executor, consumer: string): Promise<ReadonlySet<string>> {
  const ids = await executor.anyFirst(sql.type(EventIdRow)`
    select event_id as "eventId" from dead_letters where consumer = ${consumer}`)
  return new Set(ids)
}

const DueRow = z.object({ stream: z.string(), dueInMs: z.number(), count: z.number() })

/** The streams of which a consumer has something to be tried again, when that is, and how many events that are. */
export async function listDueStreams(executor: Executor, consumer: string): Promise<readonly z.infer<typeof DueRow>[]> {
  return executor.any(sql.type(DueRow)`
    select stream, greatest(extract(epoch from min(due_at) - clock_timestamp()) * 1000, 0)::float8 as "dueInMs",
           count(*)::int as count
      from dead_letters
     where consumer = ${consumer} and due_at is not null
     group by stream`)
}

/** Whether a consumer has put anything aside. */
export function hasLetters(executor: Executor, consumer: string): Promise<boolean> {
  return executor.exists(sql.unsafe`select from dead_letters where consumer = ${consumer}`)
}

/** The events of a stream that are tried next: the first of those that wait. */
export async function listDueLetters(
  executor: Executor,
  { consumer, stream, limit }: { readonly consumer: string; readonly stream: string; readonly limit: number },
): Promise<readonly LetterRow[]> {
  return executor.any(sql.type(LetterRow)`
    select ${columns} from dead_letters
     where consumer = ${consumer} and stream = ${stream} and due_at is not null
     order by tx, position
     limit ${limit}`)
}

/**
 * Has events that were put aside tried again, by whichever process consumes.
 * @param eventIds `null` for all
 * @returns how many letters that are; an event may have been put aside by several consumers
 */
export async function releaseDeadLetters(executor: Executor, eventIds: readonly string[] | null): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    update dead_letters set due_at = clock_timestamp(), tries = 0
     where consumer <> ${RELAY} and ${chosen(eventIds)}`)
  return rowCount
}

/** Has one event that waits for a person tried again. @returns its letter, which may be handled and gone by now; `null` when none waited */
export async function releaseLetter(executor: Executor, { consumer, eventId }: LetterKey): Promise<LetterRow | null> {
  return executor.maybeOne(sql.type(LetterRow)`
    update dead_letters set due_at = clock_timestamp(), tries = 0
     where consumer = ${consumer} and event_id = ${eventId} and due_at is null
    returning ${columns}`)
}

/** Removes a letter, whose event has been handled or given up. @returns whether there was one */
export async function deleteLetter(executor: Executor, { consumer, eventId }: LetterKey): Promise<boolean> {
  return (await deleteLetters(executor, consumer, [eventId])) > 0
}

/** The same of many. @returns how many there were */
export async function deleteLetters(
  executor: Executor,
  consumer: string,
  eventIds: readonly string[],
): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    delete from dead_letters where consumer = ${consumer} and event_id = any (${sql.array([...eventIds], 'text')})`)
  return rowCount
}

/** Removes what was put aside of these streams, e.g. of people whose data must go. */
export async function deleteLettersOfStreams(executor: Executor, streams: readonly string[]): Promise<void> {
  await executor.query(sql.unsafe`delete from dead_letters where stream = any (${sql.array([...streams], 'text')})`)
}

function chosen(eventIds: readonly string[] | null) {
  return eventIds === null ? sql.fragment`true` : sql.fragment`event_id = any (${sql.array([...eventIds], 'text')})`
}

function dueAt(dueInMs: number | null) {
  return dueInMs === null
    ? sql.fragment`null`
    : sql.fragment`clock_timestamp() + ${dueInMs}::float8 * interval '1 millisecond'`
}

/** Postgres text holds every character but NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}
