import { comparePositions, LOG_START, type LogPosition } from '@wangian/contracts/envelope.ts'
import { z } from 'zod'
import { type Executor, NoRow, sql, type Transaction } from '../database/postgres.ts'
import { Failure } from '../errors.ts'

/** Up to where a consumer has handled the events of each of its types. */
export type Positions = Map<string, LogPosition>

const PositionRow = z.object({ type: z.string(), tx: z.number(), position: z.number() })

/** @returns the positions of these types, the start of the log for those that are new, and whether all of them are */
export async function loadPositions(
  executor: Executor,
  consumer: string,
  types: readonly string[],
): Promise<{ readonly positions: Positions; readonly isNew: boolean }> {
  const rows = await executor.any(sql.type(PositionRow)`
    select type, tx, position from consumer_positions where consumer = ${consumer}`)
  const stored = new Map(rows.map(({ type, tx, position }) => [type, [tx, position] as LogPosition]))
  return {
    positions: new Map(types.map((type) => [type, stored.get(type) ?? LOG_START])),
    isNew: rows.length === 0,
  }
}

/**
 * Moves positions, in the transaction of what was done about the events in between.
 * @param isOnDisk whether the transaction must be on disk when it is committed; what is not is taken back by a crash as a whole, and done again
 * @throws Failure when they are not where they were thought to be: another process has consumed meanwhile
 */
export async function movePositions(
  transaction: Transaction,
  consumer: string,
  from: ReadonlyMap<string, LogPosition>,
  to: ReadonlyMap<string, LogPosition>,
  isOnDisk = true,
): Promise<void> {
  const moved = [...to].flatMap(([type, position]) => {
    const before = from.get(type) ?? LOG_START
    return comparePositions(position, before) > 0 ? [{ type, before, position }] : []
  })
  if (moved.length === 0) return
  const column = (values: readonly number[]) => sql.array([...values], 'int8')
  const { rowCount } = await transaction.query(sql.prepared(isOnDisk ? 'move-positions' : 'move-positions-soon', NoRow)`
    insert into consumer_positions as known (consumer, type, tx, position)
    select ${consumer}, moved.type, moved.tx, moved.position
      from unnest(${sql.array(
        moved.map(({ type }) => type),
        'text',
      )}, ${column(moved.map(({ position }) => position[0]))}, ${column(moved.map(({ position }) => position[1]))})
        as moved (type, tx, position)
    on conflict (consumer, type) do update set tx = excluded.tx, position = excluded.position
     where (known.type, known.tx, known.position) in (
       select * from unnest(${sql.array(
         moved.map(({ type }) => type),
         'text',
       )}, ${column(moved.map(({ before }) => before[0]))}, ${column(moved.map(({ before }) => before[1]))}))
    ${
      // With this statement, for it is one of few: a statement of its own is a round trip more.
      isOnDisk ? sql.fragment`` : sql.fragment`returning set_config('synchronous_commit', 'off', true)`
    }`)
  if (rowCount !== moved.length) throw new Failure('another process has consumed these events')
}

/** Has a consumer begin at the start of the log again. */
export async function deletePositions(executor: Executor, consumer: string): Promise<void> {
  await executor.query(sql.unsafe`delete from consumer_positions where consumer = ${consumer}`)
}
