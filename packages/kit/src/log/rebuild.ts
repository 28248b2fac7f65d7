import { comparePositions, LOG_START, type LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { Pool } from 'pg'
import type { NatsConnection } from '../bus/nats.ts'
import { type Executor, isLockTimeout, openPool, type Transaction } from '../database/postgres.ts'
import { Failure } from '../errors.ts'
import type { ProjectionDeclaration } from './consumer.ts'
import { listLetterIds } from './dead-letters.ts'
import type { StoredEvent } from './event-format.ts'
import { type RecordedEvent, recordedEvent } from './event-store.ts'
import { type Handlers, type PlacedEvent, prepare } from './handling.ts'
import { requestLogPage } from './log-pages.ts'
import { readHorizon, readRows } from './log-reader.ts'
import { loadPositions, type Positions } from './positions.ts'
import { createShadows, lockTables, mergeShadows, type ShadowTable } from './shadow-tables.ts'

interface Rebuildable {
  readonly name: string
  /** All tables that are written, with the columns of each that a rebuild leaves alone. */
  readonly tables: readonly ShadowTable[]
  /** Adds what the tables have from elsewhere, after the last event; tables that are not rebuilt can be read. */
  readonly finish?: (transaction: Transaction) => Promise<void>
}

/** Tables that a service fills from its own log, with each append. */
export type OwnProjection<Service extends EventSource = EventSource> = Rebuildable & {
  readonly replay: () => Replay<Service>
}

/** Tables that a service fills from the log of another one, or of itself, by a consumer of that name. Its handlers do nothing else. */
export type ConsumedProjection = Rebuildable & ProjectionDeclaration

/** Tables that hold what a log says, and how they are filled from it. */
export type Projection<Service extends EventSource = EventSource> = OwnProjection<Service> | ConsumedProjection

/** One reading of the service's own log from its start. */
export interface Replay<Service extends EventSource> {
  /** Applies one event exactly as it is applied after an append. */
  project(transaction: Transaction, event: RecordedEvent<StoredEvent<Service>>): Promise<void>
  /** Writes what `project` has kept back. */
  finish?(transaction: Transaction): Promise<void>
}

export interface Rebuilt {
  readonly eventCount: number
  /** Rows that were not as the log says, by table. */
  readonly changed: Readonly<Record<string, number>>
}

const STATEMENT_TIMEOUT_MS = 30 * 60 * 1000
const PAGE_EVENTS_MAX = 1_000
/** A consumer that is faster than we look is overtaken, and everybody found out of the tables, in one of so many tries. */
const TRIES_MAX = 100

/**
 * Makes the tables of a projection anew from the log while the service goes on: they are filled beside the real ones, in temporary tables of
 * the same names, and what differs is then taken over in one transaction. Readers see either all of it or nothing; those who write the same
 * tables wait for that transaction.
 * @param options.onProgress called after each page with the number of events so far
 */
export async function rebuild<Service extends EventSource>(options: {
  readonly service: Service
  readonly projection: Projection<Service>
  readonly databaseUrl: string
  readonly nats: () => Promise<NatsConnection>
  readonly onProgress?: (eventCount: number) => void
}): Promise<Rebuilt> {
  const { projection, databaseUrl } = options
  const pool = await openPool({
    url: databaseUrl,
    applicationName: `rebuild-${projection.name}`,
    connectionsMax: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  try {
    // Temporary tables live as long as their connection.
    return await pool.connect(async (connection) => {
      await createShadows(connection, projection.tables)
      const reader =
        'replay' in projection
          ? ownLog(options.service, projection.replay(), databaseUrl)
          : await foreignLog(projection, await options.nats())
      try {
        let eventCount = 0
        const apply = async (batch: Batch, transaction: Transaction) => {
          for (const effect of batch.effects) await effect(transaction)
          eventCount += batch.count
          options.onProgress?.(eventCount)
        }
        for (let batch = await reader.next(connection); batch.count > 0; batch = await reader.next(connection)) {
          await connection.transaction((transaction) => apply(batch, transaction))
        }
        for (let tries = 0; tries < TRIES_MAX; tries += 1) {
          const merging = connection.transaction(async (transaction) => {
            await lockTables(transaction, projection.tables)
            const rest = await reader.rest(transaction)
            if (rest === null) return null
            await apply(rest, transaction)
            await reader.finish(transaction)
            await projection.finish?.(transaction)
            return mergeShadows(transaction, projection.tables)
          })
          const changed = await merging.catch((error) => {
            if (isLockTimeout(error)) return null
            throw error
          })
          if (changed !== null) return { eventCount, changed }
          for (let batch = await reader.next(connection); batch.count > 0; batch = await reader.next(connection)) {
            await connection.transaction((transaction) => apply(batch, transaction))
          }
        }
        throw new Failure('the tables change faster than they can be compared')
      } finally {
        await reader.stop()
      }
    })
  } finally {
    await pool.end()
  }
}

interface Batch {
  readonly count: number
  readonly effects: readonly ((transaction: Transaction) => Promise<void>)[]
}

interface LogToRebuildFrom {
  /** The next events; none at the end. */
  next(executor: Executor): Promise<Batch>
  /** While nobody writes the tables: the events that they have beyond what was read, or `null` when more must be read first. */
  rest(executor: Executor): Promise<Batch | null>
  finish(transaction: Transaction): Promise<void>
  stop(): Promise<void>
}

/** The service's own log. Its projections are written with the append, so what is committed is in the tables. */
function ownLog<Service extends EventSource>(
  service: Service,
  replay: Replay<Service>,
  databaseUrl: string,
): LogToRebuildFrom {
  const client = new Pool({ connectionString: databaseUrl, max: 1, statement_timeout: STATEMENT_TIMEOUT_MS })
  let position: LogPosition = LOG_START
  const read = async (horizon: number, limit: number): Promise<Batch> => {
    const rows = await readRows(client, { after: position, horizon, limit })
    position = rows.at(-1)?.position ?? position
    const events = rows.map(({ recordedAt: at, data, metadata, ...row }) =>
      recordedEvent(service, { ...row, at, data: JSON.parse(data), metadata: JSON.parse(metadata) }),
    )
    return { count: rows.length, effects: events.map((event) => (transaction) => replay.project(transaction, event)) }
  }
  return {
    next: async () => read((await readHorizon(client)).below, PAGE_EVENTS_MAX),
    // Who appends now waits for the tables and is not seen; whoever is seen has written them.
    rest: () => read(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    finish: async (transaction) => replay.finish?.(transaction),
    stop: () => client.end(),
  }
}

/** Another service's log, up to where the consumer is, without what it has put aside: that is handled when its time comes. */
async function foreignLog(consumer: ConsumedProjection, nats: NatsConnection): Promise<LogToRebuildFrom> {
  const { source, name } = consumer
  const handlers: Handlers = { source, handlers: {}, bulkHandlers: consumer.bulkHandlers as Handlers['bulkHandlers'] }
  const types = Object.keys(handlers.bulkHandlers)
  const key = `${source}-${name}`
  const reached = async (executor: Executor) => (await loadPositions(executor, key, types)).positions
  const read: Positions = new Map(types.map((type) => [type, LOG_START]))
  /** What was read and is not in the tables yet. */
  let ahead: PlacedEvent[] = []
  let isEnd = false

  async function readPage(): Promise<void> {
    const page = await requestLogPage(nats, source, { types: [...read].map(([type, after]) => ({ type, after })) })
    ahead.push(
      ...page.events.flatMap((event) => (event.position === null ? [] : [{ ...event, position: event.position }])),
    )
    for (const [type, position] of read) if (comparePositions(page.upTo, position) > 0) read.set(type, page.upTo)
    isEnd = page.isEnd
  }

  /** @param upTo where the consumer was just now: what it had put aside by then is a letter, or was handled since */
  async function take(executor: Executor, upTo: Positions): Promise<Batch> {
    const letters = await listLetterIds(executor, key)
    const isHandled = ({ id, type, position }: PlacedEvent) =>
      comparePositions(position, upTo.get(type) ?? LOG_START) <= 0 && !letters.has(id)
    const events = ahead.filter(isHandled)
    ahead = ahead.filter((event) => !isHandled(event))
    return { count: events.length, effects: await prepare(handlers, events) }
  }

  return {
    async next(executor) {
      for (;;) {
        const upTo = await reached(executor)
        await readPage()
        const batch = await take(executor, upTo)
        if (batch.count > 0 || isEnd || ahead.length > PAGE_EVENTS_MAX) return batch
      }
    },
    async rest(executor) {
      const upTo = await reached(executor)
      const isRead = [...upTo].every(([type, position]) => comparePositions(position, read.get(type) ?? LOG_START) <= 0)
      return isRead ? take(executor, upTo) : null
    },
    finish: async () => {},
    stop: async () => {},
  }
}
