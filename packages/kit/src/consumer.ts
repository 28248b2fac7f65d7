import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { Envelope } from '@wangian/contracts/envelope.ts'
import { eventsByService } from '@wangian/contracts/events.ts'
import { eventSubject, type LoggingService } from '@wangian/contracts/subjects.ts'
import type { z } from 'zod'
import { type Bell, createBell, pause } from './bell.ts'
import { isUnavailability, Rejection } from './errors.ts'
import { type ConnectionWatch, ensureEventStream, isConsumerNotFound, watchConnection } from './event-stream.ts'
import { type ExclusiveSession, keepExclusiveSession } from './exclusive-session.ts'
import { handleOnce, parkEvent, purgeInbox } from './inbox.ts'
import { type Logger, silentLogger } from './log.ts'
import type { NatsConnection } from './nats.ts'
import type { DatabasePool, Transaction } from './postgres.ts'

/** The services whose events are declared. */
export type EventSource = keyof typeof eventsByService

/** An event of another service, parsed with its schema. */
export type ReceivedEvent<
  Source extends EventSource,
  Type extends keyof (typeof eventsByService)[Source],
> = Envelope & {
  readonly type: Type
  readonly data: z.infer<Extract<(typeof eventsByService)[Source][Type], z.ZodType>>
}

/** What is done about each type of event; types without a handler are passed over. */
export type EventHandlers<Source extends EventSource> = {
  readonly [Type in keyof (typeof eventsByService)[Source]]?: (
    transaction: Transaction,
    event: ReceivedEvent<Source, Type>,
  ) => Promise<void>
}

/** What is done about all events of a type in a batch at once. */
export type BulkEventHandlers<Source extends EventSource> = {
  readonly [Type in keyof (typeof eventsByService)[Source]]?: (
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

/** How many events may be on their way to us, waiting or held at once. */
const UNACKED_MAX = 256
const ACK_WAIT_MS = 30_000
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
 * streams go on, while later events of the same stream wait. A Rejection is parked at once. When the handler fails
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

type AnyHandler = (transaction: Transaction, event: Envelope) => Promise<void>
type AnyBulkHandler = (transaction: Transaction, events: readonly Envelope[]) => Promise<void>

interface ConsumerState {
  readonly source: EventSource
  /** What it is called in the inbox and among the dead letters. */
  readonly key: string
  /** What JetStream calls it, within the stream of the source. */
  readonly durable: string
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly handlers: Readonly<Record<string, AnyHandler | undefined>>
  readonly bulkHandlers: Readonly<Record<string, AnyBulkHandler | undefined>>
  readonly batchMax: number
  readonly retryDelaysMs: readonly number[]
  readonly unavailableDelayMaxMs: number
  readonly log: Logger
  isActive: boolean
  handledCount: number
  parkedCount: number
  /** By stream: the event that failed, followed by the ones of the same stream that came after it. */
  readonly held: Map<string, Held>
  /** How often an event failed for a reason of its own, by its id. Survives a new connection to NATS. */
  readonly tries: Map<string, number>
  readonly unknownTypes: Set<string>
  readonly bell: Bell
  readonly connection: ConnectionWatch
}

interface Held {
  readonly deliveries: Delivery[]
  /** When the first of them is tried again, by `performance.now()`. */
  dueAtMs: number
  unavailableCount: number
}

/** An event as it came, read as far as it can be read. */
interface Delivery {
  readonly message: JsMsg
  /** Without an envelope: what JetStream knows it by. */
  readonly id: string
  readonly stream: string
  readonly envelope: Envelope | undefined
  /** Why there is no envelope. */
  readonly problem?: unknown
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
  await connection.guard(ensureDurable(state, manager, stream))
  const { consumers } = jetstream(nats, { timeout: MANAGER_TIMEOUT_MS })
  const consumer = await connection.guard(consumers.get(stream.config.name, state.durable))

  const queue: Delivery[] = []
  const messages = await consumer.consume({
    max_messages: UNACKED_MAX,
    expires: PULL_EXPIRES_MS,
    idle_heartbeat: HEARTBEAT_MS,
    abort_on_missing_resource: true,
    callback: (message) => {
      queue.push(readDelivery(message))
      bell.ring()
    },
  })
  let isClosed = false
  void messages.closed().then((error) => {
    isClosed = true
    if (error) log.warn({ err: error }, 'the consumer is gone')
    bell.ring()
  })
  void stopWhenSilent(messages)
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
    // So that what was acknowledged just now is not delivered to whoever takes over.
    if (!nats.isClosed() && connection.changes() === changes) await nats.flush().catch(() => {})
  }
}

/**
 * Makes sure of the durable consumer. One whose events are partly unacknowledged, because we or another process were
 * interrupted, is made anew from the first of those: JetStream would deliver them only after a while and behind later
 * ones. One that is ahead of a stream that lost its end is made anew as well.
 */
async function ensureDurable(state: ConsumerState, manager: JetStreamManager, stream: StreamInfo): Promise<void> {
  const { name } = stream.config
  const config: Partial<ConsumerConfig> = {
    durable_name: state.durable,
    filter_subject: eventSubject(state.source, '*'),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: UNACKED_MAX,
    max_deliver: -1,
  }
  const found = await manager.consumers.info(name, state.durable).catch((error) => {
    if (isConsumerNotFound(error)) return undefined
    throw error
  })
  if (found === undefined) {
    await manager.consumers.add(name, { ...config, deliver_policy: DeliverPolicy.All })
    return
  }
  const isAhead = found.delivered.stream_seq > stream.state.last_seq
  const isChanged = found.config.max_ack_pending !== UNACKED_MAX || found.config.ack_wait !== nanos(ACK_WAIT_MS)
  if (found.num_ack_pending === 0 && !isAhead && !isChanged) return
  await manager.consumers.delete(name, state.durable)
  const start = isAhead
    ? { deliver_policy: DeliverPolicy.All }
    : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: found.ack_floor.stream_seq + 1 }
  await manager.consumers.add(name, { ...config, ...start })
}

function readDelivery(message: JsMsg): Delivery {
  try {
    const envelope = Envelope.parse(JSON.parse(message.string()))
    return { message, id: envelope.id, stream: envelope.stream, envelope }
  } catch (problem) {
    const id = message.headers?.get('Nats-Msg-Id') || `${message.info.stream}:${message.seq}`
    return { message, id, stream: `unreadable ${id}`, envelope: undefined, problem }
  }
}

/** The next events to be handled together, in their order. Acknowledges what nobody handles, holds back what must wait. */
function takeBatch(state: ConsumerState, queue: Delivery[]): Delivery[] {
  const batch: Delivery[] = []
  while (batch.length < state.batchMax) {
    const delivery = queue.shift()
    if (delivery === undefined) break
    const { envelope, stream, message } = delivery
    const held = state.held.get(stream)
    if (envelope !== undefined && !isHandled(state, envelope.type)) {
      noteUnknownType(state, envelope.type)
      message.ack()
    } else if (held !== undefined) {
      held.deliveries.push(delivery)
    } else {
      batch.push(delivery)
    }
  }
  return batch
}

function isHandled({ handlers, bulkHandlers }: ConsumerState, type: string): boolean {
  return handlers[type] !== undefined || bulkHandlers[type] !== undefined
}

function noteUnknownType(state: ConsumerState, type: string): void {
  if (type in eventsByService[state.source] || state.unknownTypes.has(type)) return
  state.unknownTypes.add(type)
  state.log.info({ type }, 'passing over a type of event that this version does not know')
}

async function handleBatch(state: ConsumerState, batch: readonly Delivery[]): Promise<void> {
  try {
    await handle(state, batch)
    return
  } catch (error) {
    const [only] = batch
    if (only !== undefined && batch.length === 1) {
      await hold(state, { deliveries: [only], dueAtMs: 0, unavailableCount: 0 }, error)
      return
    }
  }
  // One of them is at fault: each for itself shows which.
  for (const delivery of batch) {
    const held = state.held.get(delivery.stream)
    if (held === undefined) await handleBatch(state, [delivery])
    else held.deliveries.push(delivery)
  }
}

async function handleHeld(state: ConsumerState, held: Held): Promise<void> {
  const [first] = held.deliveries
  if (first === undefined) return
  try {
    await handle(state, [first])
    release(state, held)
  } catch (error) {
    await hold(state, held, error)
  }
}

/** Handles deliveries in one transaction and acknowledges them. */
async function handle(state: ConsumerState, deliveries: readonly Delivery[]): Promise<void> {
  const events = new Map<string, Envelope>()
  for (const { id, envelope, problem } of deliveries) {
    if (envelope === undefined) throw new Error('the message is no event', { cause: problem })
    events.set(id, envelope)
  }
  const schemas: Readonly<Record<string, z.ZodType>> = eventsByService[state.source]
  await handleOnce(state.pool, state.key, [...events.values()], async (transaction, fresh) => {
    const parsed = fresh.map((event) => ({ ...event, data: schemas[event.type]?.parse(event.data) }))
    for (const event of parsed) await state.handlers[event.type]?.(transaction, event)
    for (const [type, handleBulk] of Object.entries(state.bulkHandlers)) {
      const ofType = parsed.filter((event) => event.type === type)
      if (ofType.length > 0) await handleBulk?.(transaction, ofType)
    }
  })
  for (const { message, id } of deliveries) {
    message.ack()
    state.tries.delete(id)
  }
  state.handledCount += deliveries.length
}

/** Decides what becomes of the first of `held`, which failed: it waits for another try, or it is parked. */
async function hold(state: ConsumerState, held: Held, error: unknown): Promise<void> {
  const [first] = held.deliveries
  if (first === undefined) return
  const { message, id, stream } = first
  state.held.set(stream, held)
  const tries = (state.tries.get(id) ?? 0) + 1
  const delayMs = state.retryDelaysMs[tries - 1]
  if (isUnavailability(error)) {
    held.unavailableCount += 1
    held.dueAtMs = performance.now() + Math.min(100 * 2 ** held.unavailableCount, state.unavailableDelayMaxMs)
    if (held.unavailableCount === 1)
      state.log.warn({ err: error, eventId: id }, 'an event waits for something unavailable')
    return
  }
  state.tries.set(id, tries)
  held.unavailableCount = 0
  if (delayMs !== undefined && !(error instanceof Rejection)) {
    held.dueAtMs = performance.now() + delayMs
    state.log.warn({ err: error, eventId: id, tries }, 'an event failed and is tried again')
    return
  }
  try {
    const { subject } = message
    await parkEvent(state.pool, {
      consumer: state.key,
      eventId: id,
      subject,
      payload: message.string(),
      error: String(error),
      tries,
    })
  } catch (cause) {
    state.log.warn({ err: cause, eventId: id }, 'cannot park an event yet')
    held.dueAtMs = performance.now() + state.unavailableDelayMaxMs
    state.tries.set(id, tries - 1)
    return
  }
  message.ack()
  state.tries.delete(id)
  state.parkedCount += 1
  state.log.error({ err: error, eventId: id, subject: message.subject, tries }, 'an event is parked in dead_letters')
  release(state, held)
}

/** The first of `held` is done with; the next one is due at once. */
function release(state: ConsumerState, held: Held): void {
  const first = held.deliveries.shift()
  held.dueAtMs = 0
  held.unavailableCount = 0
  if (held.deliveries.length === 0 && first !== undefined) state.held.delete(first.stream)
}

function firstDue(held: ReadonlyMap<string, Held>): Held | undefined {
  let first: Held | undefined
  for (const entry of held.values()) if (first === undefined || entry.dueAtMs < first.dueAtMs) first = entry
  return first
}

async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const status of messages.status()) {
    if (status.type === 'heartbeats_missed' && status.count >= 2) messages.stop()
  }
}
