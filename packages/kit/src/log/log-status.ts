import type { LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { type TypePosition, UNPUBLISHED_COUNT_MAX } from '@wangian/contracts/service-status.ts'
import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'
import { currentName } from './event-format.ts'

const HeadRow = z.object({ type: z.string(), tx: z.number(), position: z.number() })

/** The last published event of each type of a service's own log, by its name today. */
export async function listHeads(executor: Executor, service: EventSource): Promise<TypePosition[]> {
  const rows = await executor.any(sql.type(HeadRow)`
    select type, tx::text::int8 as tx, position from relay_heads order by relay_heads.tx, relay_heads.position`)
  // A type that was renamed has a head under each of its names: the last one counts.
  const heads = new Map<string, LogPosition>(
    rows.map(({ type, tx, position }) => [currentName(service, type), [tx, position]]),
  )
  return [...heads].map(([type, position]) => ({ type, position }))
}

const BacklogRow = z.object({ unpublishedCount: z.number(), oldestUnpublishedMs: z.number().nullable() })

/** How many events wait to be published, up to {@link UNPUBLISHED_COUNT_MAX}, and how long the oldest of them has waited. */
export async function readBacklog(executor: Executor): Promise<z.infer<typeof BacklogRow>> {
  return executor.one(sql.type(BacklogRow)`
    with waiting as (
      select recorded_at from events
       where (tx, position) > ((select relayed_tx from log_state), (select relayed_position from log_state))
       order by tx, position
       limit ${UNPUBLISHED_COUNT_MAX}
    )
    select count(*)::int as "unpublishedCount",
           (extract(epoch from clock_timestamp() - min(recorded_at)) * 1000)::float8 as "oldestUnpublishedMs"
      from waiting`)
}

const PositionRow = HeadRow.extend({ consumer: z.string() })

/** Up to where each consumer of a service has handled the events of each type, by the name that the type had. */
export async function listPositions(executor: Executor): Promise<ReadonlyMap<string, TypePosition[]>> {
  const rows = await executor.any(sql.type(PositionRow)`
    select consumer, type, tx, position from consumer_positions order by consumer, type`)
  const positions = new Map<string, TypePosition[]>()
  for (const { consumer, type, tx, position } of rows) {
    positions.set(consumer, [...(positions.get(consumer) ?? []), { type, position: [tx, position] }])
  }
  return positions
}
