import { randomFillSync } from 'node:crypto'
import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { z } from 'zod'
import { type Executor, isUniqueViolation, sql, type Transaction } from '../database/postgres.ts'
import { Failure } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { currentTraceparent } from '../service/tracing.ts'
import { readStored, type StoredEvent, toStored } from './event-format.ts'

/** An event before it is in the log. */
export interface NewEvent {
  readonly type: string
  readonly data: unknown
}

/** An event of the log. `version` counts from 1 within its stream, `at` is the database's clock in ISO 8601. */
export type RecordedEvent<Event extends NewEvent = NewEvent> = Event & {
  readonly id: string
  readonly stream: string
  readonly version: number
  readonly at: string
  readonly metadata: EventMetadata
}

/** Somebody else appended first. Worth another try from the load on. */
export class VersionConflict extends Failure {
  override readonly name = 'VersionConflict'
  readonly stream: string
  readonly expectedVersion: number

  constructor(stream: string, expectedVersion: number, options?: ErrorOptions) {
    super(`${stream} is not at version ${expectedVersion}`, options)
    this.stream = stream
    this.expectedVersion = expectedVersion
  }
}

/** Far below what NATS carries in one message (1 MiB), and small enough to hold a few hundred of them in memory. */
const DATA_LENGTH_MAX = 128 * 1024

/** Events for one stream of a service's log. */
export interface Append<Event extends NewEvent> {
  readonly service: EventSource
  readonly stream: string
  /** The version the stream has now, 0 for a new one. */
  readonly expectedVersion: number
  readonly events: readonly Event[]
  readonly metadata: EventMetadata
  /** UUIDs for the events, where the caller must know them before. */
  readonly eventIds?: readonly string[]
}

/**
 * Appends events to one stream of a service's log, each checked against its shape. Must be the first write of its transaction: the relay reads
 * in the order of transaction numbers, and only a number that is drawn after the stream's last version was seen is sure to be higher than that
 * version's. Projections and inbox rows come after it in the same transaction.
 * @throws VersionConflict when the stream is at another version; the transaction is then lost
 * @throws InvariantViolation when an event is not declared, or has another shape than that
 */
export async function appendEvents<Event extends NewEvent>(
  transaction: Transaction,
  append: Append<Event>,
): Promise<RecordedEvent<Event>[]> {
  return appendToStreams(transaction, [append])
}

/** The same for several streams at once, in the order in which they are given. All are of one service. */
export async function appendToStreams<Event extends NewEvent>(
  transaction: Transaction,
  appends: readonly Append<Event>[],
): Promise<RecordedEvent<Event>[]> {
  const wanted = appends.filter(({ events }) => events.length > 0)
  const rows = wanted.flatMap((append) => rowsOf(append))
  if (rows.length === 0) return []
  const [{ stream, expectedVersion } = { stream: '', expectedVersion: 0 }] = wanted

  let appended: readonly { at: string }[]
  try {
    appended = await transaction.any(sql.prepared('append-events', AppendedRow)`
      with guard as materialized (
        select pg_current_xact_id_if_assigned() is null as is_first_write,
               not exists (
                 select from jsonb_to_recordset(${JSON.stringify(wanted.map(({ stream, expectedVersion: version }) => ({ stream, version })))}::jsonb)
                          as wanted (stream text, version integer)
                  where wanted.version <> (select coalesce(max(e.version), 0) from events e where e.stream = wanted.stream collate "C")
               ) as is_expected
      )
      insert into events (stream, version, event_id, type, schema_version, data, metadata)
      select new.stream, new.version, new.event_id, new.type, new.schema_version, new.data::jsonb, new.metadata::jsonb
        from guard,
             unnest(${column(rows, 'stream', 'text')}, ${column(rows, 'version', 'int4')}, ${column(rows, 'id', 'uuid')},
                    ${column(rows, 'type', 'text')}, ${column(rows, 'schemaVersion', 'int2')}, ${column(rows, 'data', 'text')},
                    ${column(rows, 'metadata', 'text')})
               with ordinality as new (stream, version, event_id, type, schema_version, data, metadata, number)
       where guard.is_first_write and guard.is_expected
       order by new.number
      returning recorded_at as at`)
  } catch (error) {
    if (isUniqueViolation(error, 'events_pkey')) throw new VersionConflict(stream, expectedVersion, { cause: error })
    throw error
  }
  if (appended.length === 0) {
    const wroteBefore = await transaction.oneFirst(
      sql.type(WroteRow)`select pg_current_xact_id_if_assigned() is not null as wrote`,
    )
    invariant(!wroteBefore, `the append to ${stream} is not the first write of its transaction`)
    throw new VersionConflict(stream, expectedVersion)
  }
  return rows.map(({ event, id, stream, version, append: { metadata } }, index) => {
    const row = appended[index]
    invariant(row !== undefined, 'an append returns a row for each event')
    return { ...event, id, stream, version, at: row.at, metadata }
  })
}

function rowsOf<Event extends NewEvent>(append: Append<Event>) {
  const { service, stream, expectedVersion, events } = append
  const eventIds = append.eventIds ?? events.map(() => newEventId())
  invariant(eventIds.length === events.length, 'each event has one id')
  const traceparent = append.metadata.traceparent ?? currentTraceparent()
  const metadata = JSON.stringify({ ...append.metadata, ...(traceparent !== null && { traceparent }) })
  return events.map((event, index) => {
    const { schemaVersion, data: stored } = toStored(service, event)
    const data = JSON.stringify(stored)
    invariant(data.length <= DATA_LENGTH_MAX, `an event of ${stream} is too large`)
    const id = eventIds[index]
    invariant(id !== undefined, 'each event has one id')
    const version = expectedVersion + index + 1
    return {
      append,
      event: { ...event, data: stored },
      stream,
      version,
      id,
      type: event.type,
      schemaVersion,
      data,
      metadata,
    }
  })
}

function column<Row, Field extends keyof Row>(rows: readonly Row[], field: Field, type: string) {
  return sql.array(rows.map((row) => row[field]) as (string | number)[], type)
}

/**
 * The events of a stream of a service's log in their order, each in today's shape. An unknown stream has none.
 * @throws InvariantViolation when one cannot be read
 */
export async function readStream<Source extends EventSource>(
  executor: Executor,
  service: Source,
  stream: string,
): Promise<RecordedEvent<StoredEvent<Source>>[]> {
  const rows = await executor.any(sql.type(EventRow)`
    select ${eventColumns}
      from events
     where stream = ${stream}
     order by version`)
  return rows.map((row) => recordedEvent(service, row))
}

/** The same of several streams, by their names. */
export async function readStreams<Source extends EventSource>(
  executor: Executor,
  service: Source,
  streams: readonly string[],
): Promise<ReadonlyMap<string, readonly RecordedEvent<StoredEvent<Source>>[]>> {
  const rows = await executor.any(sql.prepared('events-of-streams', EventRow)`
    select ${eventColumns}
      from events
     where stream = any (${sql.array([...streams], 'text')})
     order by stream, version`)
  const found = new Map<string, RecordedEvent<StoredEvent<Source>>[]>(streams.map((stream) => [stream, []]))
  for (const row of rows) found.get(row.stream)?.push(recordedEvent(service, row))
  return found
}

/** A new id of an event, a UUIDv7: ids made later sort later, give or take a millisecond. */
export function newEventId(): string {
  if (randomOffset === randomBytes.length) {
    randomFillSync(randomBytes)
    randomOffset = 0
  }
  const bytes = randomBytes.subarray(randomOffset, randomOffset + 16)
  randomOffset += 16
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

// Random bytes are drawn for many ids at once; one by one they are most of an id's cost.
const randomBytes = Buffer.alloc(16 * 256)
let randomOffset = randomBytes.length

const AppendedRow = z.object({ at: z.string() })
const WroteRow = z.object({ wrote: z.boolean() })

const eventColumns = sql.fragment`
  event_id as id, type, stream, version, recorded_at as at, schema_version as "schemaVersion", data, metadata`

/** A row of the log, before its data is read. */
export const EventRow = z.object({
  id: z.string(),
  type: z.string(),
  stream: z.string(),
  version: z.number(),
  at: z.string(),
  schemaVersion: z.number(),
  data: z.unknown(),
  metadata: z.custom<EventMetadata>(),
})

/**
 * A row of a service's log as an event in today's shape.
 * @throws InvariantViolation when it cannot be read
 */
export function recordedEvent<Source extends EventSource>(
  service: Source,
  { id, stream, version, at, metadata, ...stored }: z.infer<typeof EventRow>,
): RecordedEvent<StoredEvent<Source>> {
  return { ...readStored(service, stored), id, stream, version, at, metadata }
}
