import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { z } from 'zod'
import { type DatabasePool, sql, type Transaction } from '../database/postgres.ts'
import type { StoredEvent } from './event-format.ts'
import { EventRow, type RecordedEvent, recordedEvent } from './event-store.ts'

const PAGE_EVENTS_MAX = 500

/**
 * Empties the tables of a projection and replays the whole log into them, in one transaction: readers wait for it, and
 * so do writers that project into the same tables, so nothing falls between the replay and what happens meanwhile.
 * @param options.tables all tables that `project` writes
 * @param options.project applies one event, exactly as it is applied after an append
 * @param options.finish adds what the tables have from elsewhere, after the last event
 * @returns how many events were replayed
 */
export async function rebuildProjection<Source extends EventSource>(options: {
  readonly service: Source
  readonly pool: DatabasePool
  readonly tables: readonly string[]
  readonly project: (transaction: Transaction, event: RecordedEvent<StoredEvent<Source>>) => Promise<void>
  readonly finish?: (transaction: Transaction) => Promise<void>
}): Promise<number> {
  const { service, pool, tables, project } = options
  const names = sql.join(
    tables.map((table) => sql.identifier([table])),
    sql.fragment`, `,
  )
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`truncate table ${names}`)
    let count = 0
    let cursor = { tx: '0', position: '0' }
    for (;;) {
      const page = await transaction.any(sql.type(LoggedRow)`
        select tx::text, position::text, event_id as id, type, stream, version, recorded_at as at,
               schema_version as "schemaVersion", data, metadata
          from events
         where (tx, position) > (${cursor.tx}::xid8, ${cursor.position}::bigint)
         order by events.tx, events.position
         limit ${PAGE_EVENTS_MAX}`)
      for (const { tx, position, ...row } of page) {
        await project(transaction, recordedEvent(service, row))
        cursor = { tx, position }
      }
      count += page.length
      if (page.length < PAGE_EVENTS_MAX) {
        await options.finish?.(transaction)
        return count
      }
    }
  })
}

const LoggedRow = EventRow.extend({ tx: z.string(), position: z.string() })
