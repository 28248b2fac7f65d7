import type { LogPosition } from '@wangian/contracts/envelope.ts'
import type { ClientBase, Pool } from 'pg'

/** An event as its row in the log says it; `data` and `metadata` are JSON text. */
export interface LogRow {
  readonly id: string
  readonly type: string
  readonly schemaVersion: number
  readonly stream: string
  readonly version: number
  readonly position: LogPosition
  readonly recordedAt: string
  readonly data: string
  readonly metadata: string
}

/** What the log is read with. Outside of a transaction: each statement needs a snapshot of its own. */
export type LogClient = Pick<ClientBase | Pool, 'query'>

/** Up to where a log can be read without missing anything. */
export interface Horizon {
  /**
   * The number below which nothing can be committed to this log any more: that of the oldest running transaction of this role, in this
   * database, or the next one that is given. What is below it is visible to every later statement.
   */
  readonly below: number
  /** Whether a transaction is running: there may be committed events beyond it. */
  readonly isHeld: boolean
}

/** Looks which transactions are running. */
export async function readHorizon(client: LogClient): Promise<Horizon> {
  // The snapshot of the statement is taken first, and running transactions are looked at after it: whatever had a number by then is
  // running still, or has ended and is visible later.
  const { rows } = await client.query<{ next: string; running: string[]; offset: string }>({
    name: 'log-horizon',
    text: `select pg_snapshot_xmax(pg_current_snapshot())::text as next, tx_offset::text as offset,
                  array(select backend_xid::text from pg_stat_activity
                         where backend_xid is not null and usename = current_user and datname = current_database()) as running
             from log_state`,
  })
  const [row] = rows
  if (row === undefined) throw new Error('log_state has no row')
  const next = BigInt(row.next)
  let horizon = next
  for (const running of row.running) {
    const number = fullNumber(BigInt(running), next)
    if (number < horizon) horizon = number
  }
  return { below: Number(horizon) + Number(row.offset), isHeld: horizon < next }
}

/** A running transaction is known by the lower 32 bits of its number; the number is not far from the next one. */
function fullNumber(low: bigint, next: bigint): bigint {
  const number = (next & ~0xffff_ffffn) | low
  const half = 1n << 31n
  if (number > next + half) return number - (1n << 32n)
  return number + half < next ? number + (1n << 32n) : number
}

const columns = `e.event_id as id, e.type, e.schema_version as "schemaVersion", e.stream, e.version,
  e.tx::text, e.position::text, to_char(e.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "recordedAt",
  e.data::text, e.metadata::text`

/** Whether anything is committed to the log after a position. */
export async function hasRowsAfter(client: LogClient, [tx, position]: LogPosition): Promise<boolean> {
  // The last event is at the end of the index. Asked whether one after the position exists, Postgres would expect many, and look for the first of
  // them through the whole log.
  const { rows } = await client.query<{ found: boolean }>({
    name: 'log-has-rows',
    text: `select (tx, position) > ($1::xid8, $2::bigint) as found
             from events order by tx desc, position desc limit 1`,
    values: [String(tx), position],
  })
  return rows[0]?.found === true
}

/** When the first event after a position was recorded. */
export async function findRecordedAfter(client: LogClient, [tx, position]: LogPosition): Promise<Date | undefined> {
  const { rows } = await client.query<{ at: Date }>({
    name: 'log-recorded-after',
    text: `select recorded_at as at from events
            where (tx, position) > ($1::xid8, $2::bigint)
            order by tx, position
            limit 1`,
    values: [String(tx), position],
  })
  return rows[0]?.at
}

/** The next events of the log in the order in which they are published, at most `limit`, below the horizon. */
export async function readRows(
  client: LogClient,
  options: { readonly after: LogPosition; readonly horizon: number; readonly limit: number },
): Promise<LogRow[]> {
  const { after, horizon, limit } = options
  const { rows } = await client.query<SqlRow>({
    name: 'log-rows',
    text: `select ${columns} from events e
            where (e.tx, e.position) > ($1::xid8, $2::bigint) and e.tx < $3::xid8
            order by e.tx, e.position
            limit $4`,
    values: [String(after[0]), after[1], String(horizon), limit],
  })
  return rows.map(logRow)
}

/**
 * The next events of some types among the next `scannedMax` of the log.
 * @returns them, the position up to which the log was looked through, or `null` when there was nothing, and whether that was the end
 */
export async function readRowsOfTypes(
  client: LogClient,
  options: {
    readonly after: LogPosition
    readonly horizon: number
    readonly types: readonly string[]
    readonly limit: number
    readonly scannedMax: number
  },
): Promise<{ readonly rows: LogRow[]; readonly upTo: LogPosition | null; readonly isEnd: boolean }> {
  const { after, horizon, types, limit, scannedMax } = options
  const between = [String(after[0]), after[1], String(horizon)]
  // Both limits end the walk along the index: where nearly all are wanted, no more is looked at than is found.
  const { rows } = await client.query<SqlRow>({
    name: 'log-rows-of-types',
    text: `select ${columns}
             from (select * from events
                    where (tx, position) > ($1::xid8, $2::bigint) and tx < $3::xid8
                    order by tx, position
                    limit $5) e
            where e.type = any ($4::text[])
            order by e.tx, e.position
            limit $6`,
    values: [...between, types, scannedMax, limit],
  })
  const found = rows.map(logRow)
  const last = found.at(-1)
  // A full page may have left out what stands behind its last event.
  if (last !== undefined && found.length === limit) return { rows: found, upTo: last.position, isEnd: false }
  // What is below the horizon does not change, so this looks at the same events.
  const { rows: ends } = await client.query<{ tx: string; position: string; count: string }>({
    name: 'log-scanned',
    text: `with scanned as materialized (
             select tx, position from events
              where (tx, position) > ($1::xid8, $2::bigint) and tx < $3::xid8
              order by tx, position
              limit $4
           )
           select tx::text, position::text, (select count(*) from scanned)::text as count
             from scanned order by scanned.tx desc, scanned.position desc limit 1`,
    values: [...between, scannedMax],
  })
  const [end] = ends
  if (end === undefined) return { rows: [], upTo: null, isEnd: true }
  return { rows: found, upTo: [Number(end.tx), Number(end.position)], isEnd: Number(end.count) < scannedMax }
}

/** Events of one stream with these versions, in their order. */
export async function readRowsOfVersions(
  client: LogClient,
  { stream, versions }: { readonly stream: string; readonly versions: readonly number[] },
): Promise<LogRow[]> {
  const { rows } = await client.query<SqlRow>({
    name: 'log-rows-of-versions',
    text: `select ${columns} from events e
            where e.stream = $1 collate "C" and e.version = any ($2::int[])
            order by e.version`,
    values: [stream, versions],
  })
  return rows.map(logRow)
}

interface SqlRow {
  id: string
  type: string
  schemaVersion: number
  stream: string
  version: number
  tx: string
  position: string
  recordedAt: string
  data: string
  metadata: string
}

function logRow(row: SqlRow): LogRow {
  const { id, type, schemaVersion, stream, version, recordedAt, data, metadata } = row
  const position: LogPosition = [Number(row.tx), Number(row.position)]
  return { id, type, schemaVersion, stream, version, position, recordedAt, data, metadata }
}
