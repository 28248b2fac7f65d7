import { jetstreamManager } from '@nats-io/jetstream'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { eventSubject } from '@wangian/contracts/subjects.ts'
import { Client } from 'pg'
import { type Bell, createBell, pause } from '../bell.ts'
import type { NatsConnection } from '../bus/nats.ts'
import { type ExclusiveSession, keepExclusiveSession } from '../database/exclusive-session.ts'
import { type Executor, sql } from '../database/postgres.ts'
import { Failure } from '../errors.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { toPublished } from './event-format.ts'
import { type ConnectionWatch, EVENT_RETENTION_DAYS, ensureEventStream, watchConnection } from './event-stream.ts'
import { createPublisher, type Outgoing, type Publisher } from './publisher.ts'

export interface Relay {
  /** There is something new: look now instead of at the next poll. */
  nudge(): void
  stop(): Promise<void>
  stats(): RelayStats
}

/** @returns what is added to the data of an event, by its id */
export type Complete = (
  events: readonly { readonly id: string; readonly type: string; readonly data: string }[],
) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>

export interface RelayStats {
  /** Whether this process is the one that publishes. */
  readonly isActive: boolean
  readonly publishedCount: number
  /** How long the oldest event that is not published has waited; 0 when there is none, or when another process knows. */
  readonly lagMs: number
}

interface Cursor {
  readonly tx: string
  readonly position: string
  readonly streamCreated: string
  readonly streamSeq: number
}

interface LoggedEvent extends Omit<Outgoing, 'payload'> {
  /** `null` when it does not leave the service. */
  readonly payload: string | null
  readonly tx: string
  readonly position: string
  readonly recordedAt: Date
}

const BATCH_EVENTS_MAX = 500
const POLL_MS = 200
const PUBLISH_TIMEOUT_MS = 3_000
/** How often it is asked, without any sign of trouble, whether the stream is still the same one. */
const STREAM_CHECK_INTERVAL_MS = 5_000
const RETRY_DELAY_MIN_MS = 100
const RETRY_DELAY_MAX_MS = 1_000
const CONNECT_TIMEOUT_MS = 2_000
const PATIENT_TIMEOUT_MS = 300_000

/**
 * Publishes a service's log to JetStream: every committed event, in the order of its stream, at least once, with the
 * event id as message id. Reads with a connection of its own and only up to the oldest running transaction, so an event
 * that commits late is not overtaken; see `docs/when-it-fails.md`. While NATS is away events wait in the log.
 * @param options.pace asked after each batch: how many ms to leave the machine to others
 * @param options.complete adds to the events' data what must not be in a log, by event id; asked once per batch, and what it adds is as of
 * now and not as of then
 */
export function startRelay(options: {
  readonly service: EventSource
  readonly databaseUrl: string
  readonly nats: NatsConnection
  readonly pace?: () => number
  readonly complete?: Complete
  readonly log?: Logger
}): Relay {
  const log = (options.log ?? silentLogger).child({ relay: options.service })
  const state: RelayState = {
    service: options.service,
    databaseUrl: options.databaseUrl,
    nats: options.nats,
    publisher: createPublisher(options.nats),
    pace: options.pace ?? (() => 0),
    complete: options.complete,
    log,
    bell: createBell(),
    isActive: false,
    publishedCount: 0,
    pendingSince: undefined,
    connection: watchConnection(options.nats, () => state.bell.ring()),
  }
  const keeper = keepExclusiveSession({
    url: options.databaseUrl,
    lock: 'relay',
    applicationName: `${options.service}-relay`,
    log,
    work: async (session) => {
      // The cursor may fall back in a crash of Postgres: what is published twice has one effect. A flush per batch would only be in the
      // way of those who wait for theirs.
      await session.client.query('set synchronous_commit = off')
      state.isActive = true
      log.info('publishing events')
      try {
        await relay(state, session)
      } finally {
        state.isActive = false
        state.pendingSince = undefined
      }
    },
  })
  return {
    nudge: () => state.bell.ring(),
    async stop() {
      await keeper.stop()
      state.publisher.close()
    },
    stats: () => ({
      isActive: state.isActive,
      publishedCount: state.publishedCount,
      lagMs: state.pendingSince === undefined ? 0 : Math.max(Date.now() - state.pendingSince.getTime(), 0),
    }),
  }
}

/** Has the relay publish the last {@link EVENT_RETENTION_DAYS} days of the log again, within a few seconds. */
export async function republish(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`update relay_cursor set stream_created = ''`)
}

interface RelayState {
  readonly service: EventSource
  readonly databaseUrl: string
  readonly nats: NatsConnection
  readonly publisher: Publisher
  readonly pace: () => number
  readonly complete: Complete | undefined
  readonly log: Logger
  readonly bell: Bell
  isActive: boolean
  publishedCount: number
  /** When the oldest event that is not published was recorded. */
  pendingSince: Date | undefined
  readonly connection: ConnectionWatch
}

async function relay(state: RelayState, { client, signal }: ExclusiveSession): Promise<void> {
  const { log, bell, connection } = state
  await makeRestoredLogReadable(state, client)
  let cursor: Cursor | undefined
  let checkedAtMs = 0
  let checkedChanges = -1
  let failures = 0
  while (!signal.aborted && !state.nats.isClosed()) {
    const changes = connection.changes()
    if (!connection.isUp()) {
      state.pendingSince = await findPendingSince(client, state.service)
      await bell.wait(RETRY_DELAY_MAX_MS, signal)
      continue
    }
    try {
      if (!cursor || changes !== checkedChanges || performance.now() - checkedAtMs > STREAM_CHECK_INTERVAL_MS) {
        cursor = await checkStream(state, client)
        checkedAtMs = performance.now()
        checkedChanges = changes
      }
      const events = await readBatch(client, state, cursor)
      const last = events.at(-1)
      state.pendingSince = events[0]?.recordedAt
      if (last === undefined) {
        await bell.wait(POLL_MS, signal)
        continue
      }
      // After a failure one by one: whatever went wrong in the middle cannot change the order then.
      const streamSeq = await connection.guard(publish(state, client, events, cursor.streamSeq, failures > 0))
      const { tx, position } = last
      cursor = await storeCursor(client, state.service, { ...cursor, tx, position, streamSeq })
      state.publishedCount += events.length
      if (failures > 0) log.info('publishing again')
      failures = 0
      await pause(state.pace(), signal)
    } catch (error) {
      if (signal.aborted) return
      cursor = undefined
      failures += 1
      if (failures === 1) log.warn({ err: error }, 'cannot publish, events wait in the log')
      state.pendingSince = await findPendingSince(client, state.service)
      await bell.wait(Math.min(RETRY_DELAY_MIN_MS * 2 ** failures, RETRY_DELAY_MAX_MS), signal)
    }
  }
}

/** @returns the highest sequence number that JetStream gave */
async function publish(
  state: RelayState,
  client: Client,
  events: readonly LoggedEvent[],
  knownSeq: number,
  oneByOne: boolean,
): Promise<number> {
  const payloadMax = state.nats.info?.max_payload ?? Number.POSITIVE_INFINITY
  const sendable: Outgoing[] = []
  for (const { payload, ...event } of events) {
    if (payload === null) continue
    if (Buffer.byteLength(payload) < payloadMax - HEADERS_LENGTH_MAX) sendable.push({ ...event, payload })
    else await park(state, client, { ...event, payload })
  }

  const changes = state.connection.changes()
  let highestSeq = knownSeq
  for (const batch of oneByOne ? sendable.map((event) => [event]) : [sendable]) {
    if (state.connection.changes() !== changes) throw new Failure('the connection to NATS was lost')
    for (const { seq, duplicate } of await state.publisher.publish(batch, PUBLISH_TIMEOUT_MS)) {
      if (!duplicate && seq <= knownSeq) throw new Failure('the stream has lost its end')
      highestSeq = Math.max(highestSeq, seq)
    }
  }
  return highestSeq
}

const HEADERS_LENGTH_MAX = 1024

/** Makes sure that the stream is there and holds what the cursor says; if not, goes back to where it must be filled. */
async function checkStream(state: RelayState, client: Client): Promise<Cursor> {
  const { service, nats, connection, log } = state
  const manager = await jetstreamManager(nats, { timeout: PUBLISH_TIMEOUT_MS, checkAPI: false })
  const stream = await connection.guard(ensureEventStream(manager, service))
  const found = { streamCreated: String(stream.created), streamSeq: stream.state.last_seq }
  const cursor = await findCursor(client, service)
  if (cursor === undefined) return insertCursor(client, service, { tx: '0', position: '0', ...found })
  if (cursor.streamCreated === found.streamCreated && cursor.streamSeq <= found.streamSeq) return cursor
  log.warn({ cursor, found }, 'the stream is not the one that was published to, publishing again')
  return startOver(state, client, { ...cursor, ...found })
}

async function findCursor(client: Client, service: string): Promise<Cursor | undefined> {
  const { rows } = await client.query<Cursor>(
    `select tx::text, position::text, stream_created as "streamCreated", stream_seq::float8 as "streamSeq"
       from relay_cursor where name = $1`,
    [service],
  )
  return rows[0]
}

async function insertCursor(client: Client, service: string, cursor: Cursor): Promise<Cursor> {
  await client.query(
    'insert into relay_cursor (name, tx, position, stream_created, stream_seq) values ($1, $2::xid8, $3, $4, $5)',
    [service, cursor.tx, cursor.position, cursor.streamCreated, cursor.streamSeq],
  )
  return cursor
}

async function findPendingSince(client: Client, service: string): Promise<Date | undefined> {
  const { rows } = await client.query<{ at: Date }>(
    `select recorded_at as at from events, relay_cursor as cursor
      where cursor.name = $1 and (events.tx, events.position) > (cursor.tx, cursor.position)
      order by events.tx, events.position
      limit 1`,
    [service],
  )
  return rows[0]?.at
}

/** Stores how far it has come, unless somebody asked to {@link republish} meanwhile. */
async function storeCursor(client: Client, service: string, cursor: Cursor): Promise<Cursor | undefined> {
  const { rowCount } = await client.query(
    `update relay_cursor set tx = $2::xid8, position = $3, stream_seq = $4 where name = $1 and stream_created = $5`,
    [service, cursor.tx, cursor.position, cursor.streamSeq, cursor.streamCreated],
  )
  return rowCount === 1 ? cursor : undefined
}

/** Moves the cursor back to just before the first event that JetStream would still hold; never forward. */
async function startOver(state: RelayState, client: Client, cursor: Cursor): Promise<Cursor> {
  const first = await withPatience(state, (patient) =>
    patient.query<Pick<Cursor, 'tx' | 'position'>>(
      `select tx::text, (position - 1)::text as position from events
        where recorded_at >= now() - make_interval(days => $1) and (tx, position) <= ($2::xid8, $3::bigint)
        order by events.tx, events.position
        limit 1`,
      [EVENT_RETENTION_DAYS, cursor.tx, cursor.position],
    ),
  )
  const next = { ...cursor, ...first.rows[0] }
  await client.query(
    'update relay_cursor set tx = $2::xid8, position = $3, stream_created = $4, stream_seq = $5 where name = $1',
    [state.service, next.tx, next.position, next.streamCreated, next.streamSeq],
  )
  return next
}

async function readBatch(client: Client, state: RelayState, { tx, position }: Cursor): Promise<LoggedEvent[]> {
  const { rows } = await client.query<LogRow>({
    name: 'relay-read',
    text: `select tx::text, position::text, event_id as id, type, stream, version, recorded_at as "recordedAt",
                  schema_version as "schemaVersion", data::text, metadata::text
             from events
            where (tx, position) > ($1::xid8, $2::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())
            order by events.tx, events.position
            limit ${BATCH_EVENTS_MAX}`,
    values: [tx, position],
  })
  const leaving = rows.map((row) => toPublished(state.service, row))
  const published = rows.flatMap(({ id }, index) => {
    const event = leaving[index]
    return event ? [{ id, ...event }] : []
  })
  const additions = published.length > 0 ? await state.complete?.(published) : undefined
  return rows.map((row, index) => {
    const { id, recordedAt } = row
    const { type, schemaVersion, data } = leaving[index] ?? row
    const logged = { id, subject: eventSubject(state.service, type), tx: row.tx, position: row.position, recordedAt }
    if (!leaving[index]) return { ...logged, payload: null }
    const added = additions?.get(id)
    const { stream, version } = row
    const head = JSON.stringify({ id, type, stream, version, at: recordedAt.toISOString(), schemaVersion })
    const whole = added === undefined ? data : withAdded(data, added)
    return { ...logged, payload: `${head.slice(0, -1)},"data":${whole},"metadata":${row.metadata}}` }
  })
}

/** The last of two keys counts, so what is added goes behind what the log has. */
function withAdded(data: string, added: Readonly<Record<string, unknown>>): string {
  const members = [data, JSON.stringify(added)].map((object) => object.slice(1, -1).trim())
  return `{${members.filter((text) => text !== '').join()}}`
}

interface LogRow extends Omit<LoggedEvent, 'subject' | 'payload'> {
  readonly type: string
  readonly stream: string
  readonly version: number
  readonly schemaVersion: number
  readonly data: string
  readonly metadata: string
}

/** An event that NATS would never take must not hold up the others. The append refuses such, so this is for its bugs. */
async function park({ log }: RelayState, client: Client, event: Outgoing): Promise<void> {
  log.error({ eventId: event.id, subject: event.subject }, 'an event is too large to be published, it is parked')
  await client.query(
    `insert into dead_letters (consumer, event_id, subject, payload, error, tries)
     values ('relay', $1, $2, $3, 'too large to be published', 1) on conflict do nothing`,
    [event.id, event.subject, event.payload],
  )
}

/**
 * A log that was restored from a dump carries transaction numbers of another server, which may be higher than any of
 * this one. They are all set to 0 then: what remains to order by is `position`, and that respects each stream's order.
 */
async function makeRestoredLogReadable(state: RelayState, client: Client): Promise<void> {
  const { rows } = await client.query<{ foreign: boolean }>(
    'select exists (select from events where tx >= pg_snapshot_xmax(pg_current_snapshot())) as foreign',
  )
  if (rows[0]?.foreign !== true) return
  state.log.warn('the log comes from another server, publishing it again')
  const text = `with renumbered as (update events set tx = '0') update relay_cursor set tx = '0', stream_created = ''`
  await withPatience(state, (patient) => patient.query(text))
}

/** A connection for what may take minutes in a large log; the session's own must stay quick. */
async function withPatience<T>(state: RelayState, work: (patient: Client) => Promise<T>): Promise<T> {
  const patient = new Client({
    connectionString: state.databaseUrl,
    application_name: `${state.service}-relay-patient`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: PATIENT_TIMEOUT_MS,
    query_timeout: PATIENT_TIMEOUT_MS,
  })
  patient.on('error', () => {})
  await patient.connect()
  try {
    return await work(patient)
  } finally {
    await patient.end()
  }
}
