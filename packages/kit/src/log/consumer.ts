import { type ConsumerMessages, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Envelope } from '@wangian/contracts/envelope.ts'
import type { EventSource, EventsOf } from '@wangian/contracts/events/by-service.ts'
import type { PublishedEventOf, PublishedType } from '@wangian/contracts/events/definition.ts'
import { eventSubject, type LoggingService } from '@wangian/contracts/subjects.ts'
import { type Bell, createBell, pause } from '../bell.ts'
import type { NatsConnection } from '../bus/nats.ts'
import { type ExclusiveSession, keepExclusiveSession } from '../database/exclusive-session.ts'
import type { DatabasePool, Transaction } from '../database/postgres.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import {
  type Delivery,
  firstDue,
  type Handling,
  handleBatch,
  handleHeld,
  readMessage,
  takeBatch,
} from './deliveries.ts'
import { ensureDurableConsumer, UNACKED_MAX } from './durable-consumer.ts'
import { type ConnectionWatch, ensureEventStream, watchConnection } from './event-stream.ts'
import { purgeInbox } from './inbox.ts'
import { deliverReleasedLetters } from './released-letters.ts'

/** An event of another service as it was published, in today's shape. */
export type ReceivedEvent<Source extends EventSource, Type extends PublishedType<EventsOf<Source>>> = Envelope &
  Extract<PublishedEventOf<EventsOf<Source>>, { readonly type: Type }>

/** What is done about each type of event; types without a handler are passed over, or not even sent when there is but one with. */
export type EventHandlers<Source extends EventSource> = {
  readonly [Type in PublishedType<EventsOf<Source>>]?: (
    transaction: Transaction,
    event: ReceivedEvent<Source, Type>,
  ) => Promise<void>
}

/** What is done about all events of a type in a batch at once. */
export type BulkEventHandlers<Source extends EventSource> = {
  readonly [Type in PublishedType<EventsOf<Source>>]?: (
    transaction: Transaction,
    events: readonly ReceivedEvent<Source, Type>[],
  ) => Promise<void>
}

export interface EventConsumer {
  stop(): Promise<void>
  stats(): ConsumerStats
}

export interface ConsumerStats {
  /** Whether this process is the one that consumes. */
  readonly isActive: boolean
  readonly handledCount: number
  readonly parkedCount: number
  /** Events that wait because they, or an earlier one of their stream, failed. */
  readonly heldCount: number
}

/** Events that wait are reported as being worked on this often, so that they are not delivered again meanwhile. */
const STILL_WORKING_INTERVAL_MS = 10_000
/** JetStream says this often that it is still there; two misses are an outage. */
const HEARTBEAT_MS = 2_000
const PULL_EXPIRES_MS = 10_000
const MANAGER_TIMEOUT_MS = 3_000
/** Between the tries of an event that fails; after the last one it is parked: five tries in all. */
const RETRY_DELAYS_MS: readonly number[] = [250, 1_000, 2_500, 5_000]
/** While the database or another service is away nothing is counted, and it is tried again this often at last. */
const UNAVAILABLE_DELAY_MAX_MS = 5_000
const RESTART_DELAY_MS = 250
const PURGE_INTERVAL_MS = 60 * 60 * 1000

/**
 * Handles another service's events, each once, in the order of its stream. A handler runs in a transaction of its own
 * that also stores the event's id, so an event that is delivered twice has one effect; its append, if any, must be the
 * first write. One process of a service consumes at a time, others stand by.
 *
 * A handler that throws is tried 5 times, each time later, then the event is parked in `dead_letters`; meanwhile other
 * streams go on, while later events of the same stream wait. A Rejection is parked at once. What a person releases
 * (`dead-letters-command.ts`) is tried again. When the handler fails
 * because something is unavailable, the tries are not counted.
 * @param options.name tells apart what one service does about one source; a storage format, never renamed
 * @param options.batchMax events that may share a transaction while none fails; only for handlers that do not append
 * @param options.bulkHandlers for types that come by the thousand: called once per batch, after the other handlers and so
 *   out of their order, with at least one event; a type has a handler of either kind
 */
export function startConsumer<Source extends EventSource>(options: {
  /** Mine. */
  readonly service: LoggingService
  readonly source: Source
  readonly name: string
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly handlers: EventHandlers<Source>
  readonly bulkHandlers?: BulkEventHandlers<Source>
  readonly batchMax?: number
  readonly retryDelaysMs?: readonly number[]
  readonly unavailableDelayMaxMs?: number
  readonly log?: Logger
}): EventConsumer {
  const durable = `${options.service}-${options.name}`
  const log = (options.log ?? silentLogger).child({ consumer: durable })
  const state: ConsumerState = {
    source: options.source,
    key: `${options.source}-${options.name}`,
    durable,
    nats: options.nats,
    pool: options.pool,
    handlers: options.handlers as ConsumerState['handlers'],
    bulkHandlers: (options.bulkHandlers ?? {}) as ConsumerState['bulkHandlers'],
    batchMax: options.batchMax ?? 1,
    filter: eventSubject(options.source, onlyType(options.handlers, options.bulkHandlers) ?? '*'),
    retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
    unavailableDelayMaxMs: options.unavailableDelayMaxMs ?? UNAVAILABLE_DELAY_MAX_MS,
    log,
    isActive: false,
    handledCount: 0,
    parkedCount: 0,
    held: new Map(),
    tries: new Map(),
    unknownTypes: new Set(),
    bell: createBell(),
    connection: watchConnection(options.nats, () => state.bell.ring()),
  }
  const keeper = keepExclusiveSession({
    url: options.pool.configuration.connectionUri,
    lock: `consumer:${state.key}`,
    applicationName: `${options.service}-from-${state.key}`,
    log,
    work: async (session) => {
      state.isActive = true
      try {
        await consume(state, session)
      } finally {
        state.isActive = false
      }
    },
  })
  return {
    stop: () => keeper.stop(),
    stats: () => ({
      isActive: state.isActive,
      handledCount: state.handledCount,
      parkedCount: state.parkedCount,
      heldCount: [...state.held.values()].reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    }),
  }
}

/** The type that is handled when there is but one: the others, which may come by the thousand, need not be sent then. */
function onlyType(...handlers: readonly (object | undefined)[]): string | undefined {
  const types = handlers.flatMap((byType) => Object.keys(byType ?? {}))
  return types.length === 1 ? types[0] : undefined
}

interface ConsumerState extends Handling {
  /** What JetStream calls it, within the stream of the source. */
  readonly durable: string
  /** The subjects of the events that are sent. */
  readonly filter: string
  readonly nats: NatsConnection
  readonly bell: Bell
  readonly connection: ConnectionWatch
  isActive: boolean
}

async function consume(state: ConsumerState, { signal }: ExclusiveSession): Promise<void> {
  const { log, nats } = state
  const purge = () => void purgeInbox(state.pool, state.key).catch((err) => log.warn({ err }, 'cannot purge the inbox'))
  const purging = setInterval(purge, PURGE_INTERVAL_MS)
  try {
    purge()
    for (let failures = 0; !signal.aborted && !nats.isClosed(); ) {
      if (!state.connection.isUp()) {
        await state.bell.wait(RESTART_DELAY_MS, signal)
        continue
      }
      try {
        await consumeConnected(state, signal)
        failures = 0
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, 'cannot consume, trying again')
        failures += 1
      }
      await pause(RESTART_DELAY_MS, signal)
    }
  } finally {
    clearInterval(purging)
  }
}

/** Consumes until the connection to NATS changes, the consumer vanishes, or the signal is aborted. */
async function consumeConnected(state: ConsumerState, signal: AbortSignal): Promise<void> {
  const { nats, log, bell, held, connection } = state
  const changes = connection.changes()
  const manager = await jetstreamManager(nats, { timeout: MANAGER_TIMEOUT_MS, checkAPI: false })
  const stream = await connection.guard(ensureEventStream(manager, state.source))
  await connection.guard(ensureDurableConsumer(manager, stream, state.durable, state.filter))
  const { consumers } = jetstream(nats, { timeout: MANAGER_TIMEOUT_MS })
  const consumer = await connection.guard(consumers.get(stream.config.name, state.durable))

  const queue: Delivery[] = []
  const deliver = (delivery: Delivery) => {
    queue.push(delivery)
    bell.ring()
  }
  const messages = await consumer.consume({
    max_messages: UNACKED_MAX,
    expires: PULL_EXPIRES_MS,
    idle_heartbeat: HEARTBEAT_MS,
    abort_on_missing_resource: true,
    callback: (message) => {
      deliver(readMessage(message))
    },
  })
  let isClosed = false
  void messages.closed().then((error) => {
    isClosed = true
    if (error) log.warn({ err: error }, 'the consumer is gone')
    bell.ring()
  })
  void stopWhenSilent(messages)
  const letters = deliverReleasedLetters(state, deliver)
  const stillWorking = setInterval(() => {
    for (const { message } of [...queue, ...[...held.values()].flatMap(({ deliveries }) => deliveries)])
      message.working()
  }, STILL_WORKING_INTERVAL_MS)
  try {
    // After a reconnect events may have been lost on their way: they come again, in order, from where we are.
    while (!signal.aborted && !isClosed && connection.changes() === changes) {
      const due = firstDue(held)
      if (due !== undefined && due.dueAtMs <= performance.now()) {
        await handleHeld(state, due)
        continue
      }
      const batch = takeBatch(state, queue)
      if (batch.length > 0) await handleBatch(state, batch)
      else await bell.wait(due === undefined ? PULL_EXPIRES_MS : due.dueAtMs - performance.now(), signal)
    }
  } finally {
    clearInterval(stillWorking)
    held.clear()
    messages.stop()
    await letters.stop()
    // So that what was acknowledged just now is not delivered to whoever takes over.
    if (!nats.isClosed() && connection.changes() === changes) await nats.flush().catch(() => {})
  }
}

async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const status of messages.status()) {
    if (status.type === 'heartbeats_missed' && status.count >= 2) messages.stop()
  }
}
