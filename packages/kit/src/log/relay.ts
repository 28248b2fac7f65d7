import { jetstreamManager } from '@nats-io/jetstream'
import type { LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { appendedSubject, eventSubject } from '@wangian/contracts/subjects.ts'
import type { Client } from 'pg'
import { type Bell, createBell, pause, untilTick } from '../bell.ts'
import { type NatsConnection, subscribe } from '../bus/nats.ts'
import { type ExclusiveSession, keepExclusiveSession } from '../database/exclusive-session.ts'
import { Failure } from '../errors.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { currentName } from './event-format.ts'
import { type ConnectionWatch, ensureEventStream, watchConnection } from './event-stream.ts'
import { findRecordedAfter, type Horizon, hasRowsAfter, type LogRow, readHorizon, readRows } from './log-reader.ts'
import { type Complete, type PublishedEvent, publishedEvents } from './published-events.ts'
import { createPublisher, type Outgoing, type Publisher } from './publisher.ts'

export interface Relay {
  /** There is something new: whichever process publishes looks now instead of at the next poll. */
  nudge(): void
  stop(): Promise<void>
  stats(): RelayStats
}

export interface RelayStats {
  /** Whether this process is the one that publishes. */
  readonly isActive: boolean
  readonly publishedCount: number
  /** How long the oldest event that is not published has waited; 0 when there is none, or when another process knows. */
  readonly lagMs: number
}

const BATCH_EVENTS_MAX = 500
/** How soon is found what nobody could tell of: who appended it died at once, or NATS was away. */
const POLL_MS = 1_000
/** How often a process that appends tells the one that publishes, at most. */
const CALL_EVERY_MS = 10
/** How soon it is looked again while a running transaction holds events back, and twice as late each time that it still does. */
const HELD_MIN_MS = 2
const HELD_MAX_MS = 200
const PUBLISH_TIMEOUT_MS = 3_000
const RETRY_DELAY_MIN_MS = 100
const RETRY_DELAY_MAX_MS = 1_000
const HEADERS_LENGTH_MAX = 1024

/**
 * Publishes a service's log to JetStream: every committed event, in the order of its position, at least once, with the position of the one of
 * its type before it. Reads with a connection of its own, and only below the oldest running transaction, so an event that commits late is
 * not overtaken; see ADR 7. While NATS is away events wait in the log.
 * @param options.pace asked after each batch: how many ms to leave the machine to others
 * @param options.pollMs how often it looks although nobody has told it to
 * @param options.complete adds to the events' data what must not be in a log; asked once per batch
 */
export function startRelay(options: {
  readonly service: EventSource
  readonly databaseUrl: string
  readonly nats: NatsConnection
  readonly pace?: (() => number) | undefined
  readonly pollMs?: number
  readonly complete?: Complete | undefined
  readonly log?: Logger
}): Relay {
  const log = (options.log ?? silentLogger).child({ relay: options.service })
  const state: RelayState = {
    service: options.service,
    nats: options.nats,
    publisher: createPublisher(options.nats),
    pace: options.pace ?? (() => 0),
    pollMs: options.pollMs ?? POLL_MS,
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
  const subject = appendedSubject(options.service)
  const calls = subscribe(options.nats, subject, () => state.bell.ring(), { log })
  const call = atMostEvery(CALL_EVERY_MS, () => {
    if (state.connection.isUp() && !options.nats.isClosed()) options.nats.publish(subject)
  })
  return {
    nudge: () => (state.isActive ? state.bell.ring() : call()),
    async stop() {
      if (!options.nats.isClosed()) calls.unsubscribe()
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

interface RelayState {
  readonly service: EventSource
  readonly nats: NatsConnection
  readonly publisher: Publisher
  readonly pace: () => number
  readonly pollMs: number
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
  let { cursor, heads } = await readProgress(client, state.service)
  let horizon: Horizon = { below: 0, isHeld: false }
  let heldMs = HELD_MIN_MS
  let isBatchFull = false
  let isCalled = true
  let hasStream = false
  let changes = connection.changes()
  for (let failures = 0; !signal.aborted && !state.nats.isClosed(); ) {
    if (!connection.isUp()) {
      state.pendingSince = await findRecordedAfter(client, cursor)
      await bell.wait(RETRY_DELAY_MAX_MS, signal)
      continue
    }
    try {
      if (!hasStream || changes !== connection.changes()) {
        changes = connection.changes()
        await ensureStream(state)
        hasStream = true
      }
      // Nobody has said that there is something: in a quiet hour one statement finds that there is not.
      if (!isCalled && !(await hasRowsAfter(client, cursor))) {
        state.pendingSince = undefined
        isCalled = await bell.wait(untilTick(state.pollMs), signal)
        continue
      }
      // Below the last horizon there is more only when the last batch was full.
      const { below } = horizon
      if (!isBatchFull) horizon = await readHorizon(client)
      if (horizon.below > below) heldMs = HELD_MIN_MS
      const rows = await readRows(client, { after: cursor, horizon: horizon.below, limit: BATCH_EVENTS_MAX })
      isBatchFull = rows.length === BATCH_EVENTS_MAX
      const last = rows.at(-1)
      if (last !== undefined) {
        state.pendingSince = new Date(rows[0]?.recordedAt ?? last.recordedAt)
        const published = await connection.guard(publish(state, client, rows, heads))
        await storeProgress(client, last.position, rows)
        cursor = last.position
        heads = published
        state.publishedCount += rows.length
        if (failures > 0) log.info('publishing again')
        failures = 0
        await pause(state.pace(), signal)
      }
      if (isBatchFull) continue
      // What was below the horizon is told. Whoever has added something since has rung, or is found at the next poll. What a transaction holds back
      // for no more than a moment is no backlog.
      const isHeldForLong = horizon.isHeld && heldMs === HELD_MAX_MS
      state.pendingSince = isHeldForLong ? await findRecordedAfter(client, cursor) : undefined
      const rang = await bell.wait(horizon.isHeld ? heldMs : untilTick(state.pollMs), signal)
      isCalled = rang || horizon.isHeld
      heldMs = Math.min(heldMs * 2, HELD_MAX_MS)
    } catch (error) {
      if (signal.aborted) return
      hasStream = false
      failures += 1
      if (failures === 1) log.warn({ err: error }, 'cannot publish, events wait in the log')
      state.pendingSince = await findRecordedAfter(client, cursor)
      await bell.wait(Math.min(RETRY_DELAY_MIN_MS * 2 ** failures, RETRY_DELAY_MAX_MS), signal)
    }
  }
}

/** @returns what acts at once, or as soon as `ms` have passed since it did */
function atMostEvery(ms: number, act: () => void): () => void {
  let isWanted = false
  let timer: NodeJS.Timeout | undefined
  const actNow = () => {
    isWanted = false
    act()
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted) actNow()
    }, ms).unref()
  }
  return () => {
    if (timer === undefined) actNow()
    else isWanted = true
  }
}

/** The last position of each type that was published, by its name today. */
type Heads = ReadonlyMap<string, LogPosition>

async function ensureStream({ nats, service, connection }: RelayState): Promise<void> {
  const manager = await jetstreamManager(nats, { timeout: PUBLISH_TIMEOUT_MS, checkAPI: false })
  await connection.guard(ensureEventStream(nats, manager, service))
}

/** @returns the heads after these events */
async function publish(state: RelayState, client: Client, rows: readonly LogRow[], heads: Heads): Promise<Heads> {
  const payloadMax = (state.nats.info?.max_payload ?? Number.POSITIVE_INFINITY) - HEADERS_LENGTH_MAX
  const next = new Map(heads)
  const batch: Outgoing[] = []
  for (const event of await publishedEvents(state.service, rows, state.complete)) {
    const payload = event.toJson(next.get(event.type) ?? null)
    if (Buffer.byteLength(payload) < payloadMax) {
      batch.push({ subject: eventSubject(state.service, event.type), payload })
      next.set(event.type, event.position)
    } else {
      await park(state, client, event, payload)
    }
  }
  const { changes } = state.connection
  const before = changes()
  await state.publisher.publish(batch, PUBLISH_TIMEOUT_MS)
  if (changes() !== before) throw new Failure('the connection to NATS was lost')
  return next
}

async function readProgress(client: Client, service: EventSource): Promise<{ cursor: LogPosition; heads: Heads }> {
  const state = await client.query<{ tx: string; position: string }>(
    'select relayed_tx::text as tx, relayed_position::text as position from log_state',
  )
  const [row] = state.rows
  if (row === undefined) throw new Error('log_state has no row')
  const stored = await client.query<{ type: string; tx: string; position: string }>(
    'select type, tx::text, position::text from relay_heads order by relay_heads.tx, relay_heads.position',
  )
  // A type that was renamed has a head under each of its names: the last one counts.
  const heads = new Map<string, LogPosition>(
    stored.rows.map(({ type, tx, position }) => [currentName(service, type), [Number(tx), Number(position)]]),
  )
  return { cursor: [Number(row.tx), Number(row.position)], heads }
}

async function storeProgress(client: Client, cursor: LogPosition, rows: readonly LogRow[]): Promise<void> {
  const lastOfType = new Map(rows.map(({ type, position }) => [type, position]))
  const positions = [...lastOfType.values()]
  await client.query({
    name: 'relay-progress',
    text: `with heads as (
             insert into relay_heads (type, tx, position)
             select type, tx::text::xid8, position from unnest($3::text[], $4::bigint[], $5::bigint[]) as head (type, tx, position)
             on conflict (type) do update set tx = excluded.tx, position = excluded.position
           )
           update log_state set relayed_tx = $1::xid8, relayed_position = $2::bigint`,
    values: [
      String(cursor[0]),
      cursor[1],
      [...lastOfType.keys()],
      positions.map(([tx]) => tx),
      positions.map(([, position]) => position),
    ],
  })
}

/** An event that NATS would never take must not hold up the others. The append refuses such, so this is for its bugs. */
async function park(
  { log, service }: RelayState,
  client: Client,
  event: PublishedEvent,
  payload: string,
): Promise<void> {
  log.error({ eventId: event.id, type: event.type }, 'an event is too large to be published, it is put aside')
  const withoutData = JSON.stringify({ ...JSON.parse(payload), data: null })
  await client.query(
    `insert into dead_letters (consumer, event_id, subject, payload, error, tries, stream, tx, position)
     values ('relay', $1, $2, $3, 'too large to be published', 1, $4, $5, $6) on conflict do nothing`,
    [event.id, eventSubject(service, event.type), withoutData, event.stream, ...event.position],
  )
}
