import { z } from 'zod'
import { type DatabasePool, type Executor, sql, type Transaction } from '../database/postgres.ts'

/** Longer than an event can stay in JetStream; a second delivery makes its row young again. */
const RETENTION_DAYS = 8
const PURGE_ROWS_MAX = 5_000

/**
 * Handles events in one transaction that also stores their ids; those whose ids are stored already are left out. The ids are written last, for a handler's append must be the first write.
 * @param events with distinct UUIDs
 * @throws what `handle` throws, and nothing has happened then; the same when another process handles one of them now
 */
export async function handleOnce<Event extends { readonly id: string }>(
  pool: DatabasePool,
  consumer: string,
  events: readonly Event[],
  handle: (transaction: Transaction, fresh: readonly Event[]) => Promise<void>,
): Promise<void> {
  const ids = events.map(({ id }) => id)
  await pool.transaction(async (transaction) => {
    const stored = new Set(
      await transaction.anyFirst(sql.type(InboxRow)`
        select event_id from inbox where consumer = ${consumer} and event_id = any (${sql.array(ids, 'uuid')})`),
    )
    const fresh = events.filter(({ id }) => !stored.has(id))
    if (fresh.length > 0) {
      await handle(transaction, fresh)
      const freshIds = fresh.map(({ id }) => id)
      await transaction.query(sql.unsafe`
        insert into inbox (consumer, event_id) select ${consumer}, unnest(${sql.array(freshIds, 'uuid')})`)
    }
    if (stored.size > 0) {
      await transaction.query(sql.unsafe`
        update inbox set received_at = clock_timestamp()
         where consumer = ${consumer} and event_id = any (${sql.array([...stored], 'uuid')})`)
    }
  })
}

export interface DeadLetter {
  readonly consumer: string
  readonly eventId: string
  readonly subject: string
  readonly payload: string
  readonly error: string
  readonly tries: number
}

/** Puts an event aside for a person to look at; it counts as received, so that a redelivery does not begin anew. */
export async function parkEvent(pool: DatabasePool, letter: DeadLetter): Promise<void> {
  await pool.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`
      insert into dead_letters (consumer, event_id, subject, payload, error, tries)
      values (${letter.consumer}, ${letter.eventId}, ${letter.subject}, ${storable(letter.payload)},
              ${storable(letter.error)}, ${letter.tries})
      on conflict (consumer, event_id) do update
         set error = excluded.error, tries = excluded.tries, parked_at = excluded.parked_at, retry_at = null`)
    if (!z.uuid().safeParse(letter.eventId).success) return
    await transaction.query(sql.unsafe`
      insert into inbox (consumer, event_id) values (${letter.consumer}, ${letter.eventId}) on conflict do nothing`)
  })
}

/** Removes what was put aside of one stream, e.g. of a person whose data must go. */
export async function deleteDeadLetters(executor: Executor, stream: string): Promise<void> {
  await executor.query(sql.unsafe`
    delete from dead_letters where strpos(payload, ${`"stream":${JSON.stringify(stream)}`}) > 0`)
}

/** Removes the ids of events that cannot be delivered any more, a few at a time. */
export async function purgeInbox(executor: Executor, consumer: string): Promise<number> {
  let count = 0
  for (;;) {
    const { rowCount } = await executor.query(sql.unsafe`
      delete from inbox
       where consumer = ${consumer} and event_id in (
         select event_id from inbox
          where consumer = ${consumer} and received_at < now() - make_interval(days => ${RETENTION_DAYS})
          limit ${PURGE_ROWS_MAX})`)
    count += rowCount
    if (rowCount < PURGE_ROWS_MAX) return count
  }
}

const InboxRow = z.object({ event_id: z.string() })

/** Postgres text holds every character but NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}
