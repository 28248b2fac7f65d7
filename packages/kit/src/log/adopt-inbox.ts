import { jetstreamManager } from '@nats-io/jetstream'
import { eventStreamName, type LoggingService } from '@wangian/contracts/subjects.ts'
import { z } from 'zod'
import type { NatsConnection } from '../bus/nats.ts'
import { type Executor, sql } from '../database/postgres.ts'
import type { PlacedEvent } from './handling.ts'

/*
 * For the upgrade from the version without positions: what was handled then is known by a row for each event. Can be removed with the release
 * after the next one.
 */

/** An event that is older than this when the consumer starts for the first time was handled, or JetStream had given it up. */
const DELIVERED_WITHIN_DAYS = 7
const MANAGER_TIMEOUT_MS = 3_000

/** What an earlier version has handled. */
export interface Inbox {
  /** Those of these events that were not handled then. */
  without(events: readonly PlacedEvent[]): Promise<readonly PlacedEvent[]>
  /** Everything has been read: nobody needs it any more. */
  forget(): Promise<void>
}

const IdRow = z.object({ event_id: z.string() })
const NowRow = z.object({ now: z.string() })

/** @returns `null` when there is none: the consumer is new, or begins anew */
export async function findInbox(executor: Executor, consumer: string): Promise<Inbox | null> {
  const isThere = await executor.exists(sql.unsafe`select from inbox where consumer = ${consumer}`)
  if (!isThere) return null
  const now = await executor.oneFirst(sql.type(NowRow)`select now() as now`)
  const oldestMs = Date.parse(now) - DELIVERED_WITHIN_DAYS * 24 * 60 * 60 * 1000
  return {
    async without(events) {
      const ids = sql.array(
        events.map(({ id }) => id),
        'uuid',
      )
      const handled = new Set(
        await executor.anyFirst(sql.type(IdRow)`
          select event_id from inbox where consumer = ${consumer} and event_id = any (${ids})`),
      )
      return events.filter(({ id, at }) => !handled.has(id) && Date.parse(at) >= oldestMs)
    },
    async forget() {
      await executor.query(sql.unsafe`delete from inbox where consumer = ${consumer}`)
    },
  }
}

/** Removes the durable consumer that an earlier version has left in JetStream. */
export async function removeDurable(nats: NatsConnection, source: LoggingService, durable: string): Promise<void> {
  const manager = await jetstreamManager(nats, { timeout: MANAGER_TIMEOUT_MS, checkAPI: false })
  await manager.consumers.delete(eventStreamName(source), durable).catch(() => {})
}
