import { AckPolicy, DeliverPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { comparePositions, Envelope, LOG_START } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import type { LogPage } from '@wangian/contracts/log-pages.ts'
import { eventStreamName, eventSubject, type LoggingService } from '@wangian/contracts/subjects.ts'
import { type Bell, createBell, pause, tickIn } from '../bell.ts'
import type { NatsConnection } from '../bus/nats.ts'
import { type ExclusiveSession, holdLocks, type Locks } from '../database/exclusive-session.ts'
import type { DatabasePool } from '../database/postgres.ts'
import { Failure } from '../errors.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { Outage } from '../service/outage.ts'
import { findInbox, type Inbox, removeDurable } from './adopt-inbox.ts'
import { storedNames } from './event-format.ts'
import type { BulkEventHandlers, EventHandlers } from './event-handlers.ts'
import { type ConnectionWatch, ensureEventStream, watchConnection } from './event-stream.ts'
import {
  firstDue,
  type Handlers,
  type Handling,
  handleEvents,
  loadWaiting,
  type PlacedEvent,
  tryAgain,
} from './handling.ts'
import { ANSWER_TIMEOUT_MAX_MS, requestLogPage } from './log-pages.ts'
import { loadPositions } from './positions.ts'

interface Named<From extends EventSource> {
  readonly source: From
  /** Tells apart what one service does about one source; a storage format, never renamed. */
  readonly name: string
  /** How long events gather before they are handled together. What nobody waits for takes less of the machine so; at once by default. */
  readonly gatherMs?: number
}

/** What a service does about the events of a source that others see: it appends, or sends something. What asks others has a transaction of its own. */
export type ReactionDeclaration<Source extends EventSource = EventSource> = {
  readonly [From in Source]: Named<From> & { readonly handlers: EventHandlers<From> }
}[Source]

/** What may be done again without harm: tables that are filled, or news that are shown. A page of the log shares a transaction. */
export type ProjectionDeclaration<Source extends EventSource = EventSource> = {
  readonly [From in Source]: Named<From> & { readonly bulkHandlers: BulkEventHandlers<From> }
}[Source]

export interface EventConsumer {
  stop(): Promise<void>
  stats(): ConsumerStats
}

export interface ConsumerStats {
  /** Whether this process is the one that consumes. */
  readonly isActive: boolean
  /** Whether it has read the log up to its end and follows JetStream. */
  readonly isCaughtUp: boolean
  readonly handledCount: number
  readonly parkedCount: number
  /** Events that wait because they, or an earlier one of their stream, failed. */
  readonly waitingCount: number
  /** How long ago it last knew that it had everything. Asked every few seconds, so it says a little more than 0 in peace. */
  readonly lagMs: number
}

/** Events that JetStream may send ahead. */
const UNACKED_MAX = 512
const ACK_WAIT_MS = 30_000
/** JetStream says this often that it is still there; two misses are an outage. */
const HEARTBEAT_MS = 2_000
const PULL_EXPIRES_MS = 10_000
const MANAGER_TIMEOUT_MS = 3_000
/** JetStream forgets a consumer that nobody has asked for this long. */
const INACTIVE_MS = 60_000
/** How often it is asked whether the log has something that JetStream has not brought. */
const CHECK_INTERVAL_MS = 5_000
/** How often it is looked for events that a person has released, where there is something to release. */
const LETTERS_INTERVAL_MS = 2_000
/** It is looked at least this often whether there is, which only this consumer brings about, unless somebody writes to the table by hand. */
const NO_LETTERS_INTERVAL_MS = 60_000
/** Between the tries of an event that fails; after the last one it is parked: five tries in all. */
const RETRY_DELAYS_MS: readonly number[] = [250, 1_000, 2_500, 5_000]
/** While the database or another service is away nothing is counted, and it is tried again this often at last. */
const UNAVAILABLE_DELAY_MAX_MS = 5_000
/** Who was killed with the question never answers. After a try that failed it may take twice as long, for a busy one must get it done at last. */
const PAGE_TIMEOUT_MIN_MS = 3_000
const RESTART_DELAY_MS = 250
const RESTART_DELAY_MAX_MS = 2_000

/**
 * Handles another service's events, each once, in the order in which they are published. It reads the log of that service up to its end and
 * then follows JetStream; its position is stored with the effects (ADR 7). One process of a service consumes at a time, others stand by.
 *
 * A handler that throws is tried 5 times, each time later, then the event is parked in `dead_letters`; meanwhile other
 * streams go on, while later events of the same stream wait. A Rejection is parked at once. What a person releases
 * (`dead-letters-command.ts`) is tried again. When the handler fails because something is unavailable, the tries are not counted.
 */
export function startConsumer<Source extends EventSource>(
  options: (ReactionDeclaration<Source> | ProjectionDeclaration<Source>) & {
    /** Mine. */
    readonly service: LoggingService
    readonly nats: NatsConnection
    readonly pool: DatabasePool
    /** Those of the process; without them the consumer has a connection of its own for its lock. */
    readonly locks?: Locks
    readonly retryDelaysMs?: readonly number[]
    readonly unavailableDelayMaxMs?: number
    readonly checkIntervalMs?: number
    readonly lettersIntervalMs?: number
    /** Told of each transaction of a reaction: it may have added to the log. */
    readonly onReacted?: () => void
    readonly log?: Logger
  },
): EventConsumer {
  const { service, source, nats, pool } = options
  const handlers: Handlers['handlers'] = 'handlers' in options ? (options.handlers as Handlers['handlers']) : {}
  const bulkHandlers = 'bulkHandlers' in options ? (options.bulkHandlers as Handlers['bulkHandlers']) : {}
  const key = `${source}-${options.name}`
  const durable = `${service}-${options.name}`
  const log = (options.log ?? silentLogger).child({ consumer: durable })
  const state: ConsumerState = {
    source,
    key,
    durable,
    nats,
    pool,
    log,
    types: Object.keys({ ...handlers, ...bulkHandlers }).flatMap((type) => storedNames(source, type)),
    handlers,
    bulkHandlers,
    isReaction: 'handlers' in options,
    onReacted: options.onReacted ?? (() => {}),
    retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
    unavailableDelayMaxMs: options.unavailableDelayMaxMs ?? UNAVAILABLE_DELAY_MAX_MS,
    checkIntervalMs: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
    lettersIntervalMs: options.lettersIntervalMs ?? LETTERS_INTERVAL_MS,
    gatherMs: options.gatherMs ?? 0,
    positions: new Map(),
    stored: new Map(),
    waiting: new Map(),
    hasLetters: false,
    inbox: null,
    isActive: false,
    isCaughtUp: false,
    handledCount: 0,
    parkedCount: 0,
    completeAtMs: performance.now(),
    pageTimeoutMs: PAGE_TIMEOUT_MIN_MS,
    bell: createBell(),
    connection: watchConnection(nats, () => state.bell.ring()),
  }
  const {
    locks = holdLocks({ url: pool.configuration.connectionUri, applicationName: `${service}-from-${key}`, log }),
  } = options
  const keeper = locks.keep(`consumer:${key}`, async (session) => {
    state.isActive = true
    state.completeAtMs = performance.now()
    try {
      await consume(state, session)
    } finally {
      state.isActive = false
      state.isCaughtUp = false
    }
  })
  return {
    stop: () => keeper.stop(),
    stats: () => ({
      isActive: state.isActive,
      isCaughtUp: state.isCaughtUp,
      handledCount: state.handledCount,
      parkedCount: state.parkedCount,
      waitingCount: [...state.waiting.values()].reduce((sum, { count }) => sum + count, 0),
      lagMs: performance.now() - state.completeAtMs,
    }),
  }
}

interface ConsumerState extends Handling {
  /** What JetStream called it in the version before. */
  readonly durable: string
  /** The types that it handles, by all names that they ever had. */
  readonly types: readonly string[]
  readonly checkIntervalMs: number
  readonly lettersIntervalMs: number
  readonly gatherMs: number
  readonly bell: Bell
  readonly connection: ConnectionWatch
  inbox: Inbox | null
  pageTimeoutMs: number
  isActive: boolean
  isCaughtUp: boolean
  /** When it last knew that it had everything, on the monotonic clock. */
  completeAtMs: number
}

/** Consumes until the session ends. Whatever goes wrong on the way, it begins again from the stored positions. */
async function consume(state: ConsumerState, { signal }: ExclusiveSession): Promise<void> {
  const { log, nats } = state
  const outage = new Outage(log, 'cannot consume, trying again')
  while (!signal.aborted && !nats.isClosed()) {
    const handledBefore = state.handledCount
    state.pageTimeoutMs = Math.min(PAGE_TIMEOUT_MIN_MS * 2 ** outage.failures, ANSWER_TIMEOUT_MAX_MS)
    try {
      if (state.connection.isUp()) await consumeConnected(state, signal)
      outage.end()
    } catch (error) {
      if (signal.aborted) return
      if (state.handledCount > handledBefore) outage.end()
      outage.note(error)
    }
    state.isCaughtUp = false
    await pause(Math.min(RESTART_DELAY_MS * 2 ** outage.failures, RESTART_DELAY_MAX_MS), signal)
  }
}

/** Consumes until the connection to NATS changes, JetStream's consumer vanishes, or the signal is aborted. */
async function consumeConnected(state: ConsumerState, signal: AbortSignal): Promise<void> {
  const changes = state.connection.changes()
  const isStopped = () => signal.aborted || state.connection.changes() !== changes
  const { positions, isNew } = await loadPositions(state.pool, state.key, state.types)
  state.positions = positions
  state.stored = positions
  if (isNew) {
    state.inbox = await findInbox(state.pool, state.key)
    await removeDurable(state.nats, state.source, state.durable)
  }
  await loadWaiting(state)
  // JetStream begins before the end of the log is looked for, so that nothing falls in between.
  const feed = await follow(state)
  try {
    await readLog(state, isStopped)
    if (isStopped()) return
    await state.inbox?.forget()
    state.inbox = null
    state.isCaughtUp = true
    let checkAtMs = tickIn(state.checkIntervalMs)
    let letteredAtMs = performance.now()
    // Consumers of a process begin together, and would want a connection each.
    const withoutLettersMs = NO_LETTERS_INTERVAL_MS * (1 - Math.random() / 2)
    const lettersAtMs = () => letteredAtMs + (state.hasLetters ? state.lettersIntervalMs : withoutLettersMs)
    while (!isStopped() && !feed.isClosed()) {
      const nowMs = performance.now()
      if (nowMs >= lettersAtMs()) {
        await loadWaiting(state)
        letteredAtMs = performance.now()
      }
      if (nowMs >= checkAtMs) {
        await readLog(state, isStopped)
        checkAtMs = tickIn(state.checkIntervalMs)
      }
      const due = firstDue(state)
      if (due !== undefined && due.dueAtMs <= performance.now()) {
        await tryAgain(state, due.stream)
        continue
      }
      if (feed.queue.length > 0 && state.gatherMs > 0) await pause(state.gatherMs, signal)
      if (await handleDelivered(state, feed, isStopped)) continue
      const dueAtMs = due?.dueAtMs ?? Number.POSITIVE_INFINITY
      const nextAtMs = Math.min(dueAtMs, lettersAtMs(), checkAtMs)
      await state.bell.wait(Math.max(0, nextAtMs - performance.now()), signal)
    }
  } finally {
    await feed.stop()
  }
}

/** What JetStream has brought and nobody has looked at yet. */
interface Feed {
  readonly queue: JsMsg[]
  isClosed(): boolean
  stop(): Promise<void>
}

/** Has JetStream send the events that are published from now on. Without it the log is read every few seconds all the same. */
async function follow(state: ConsumerState): Promise<Feed> {
  const { nats, log, bell, connection, source, types } = state
  const queue: JsMsg[] = []
  try {
    const manager = await jetstreamManager(nats, { timeout: MANAGER_TIMEOUT_MS, checkAPI: false })
    await connection.guard(ensureEventStream(nats, manager, source))
    const stream = eventStreamName(source)
    const [only] = types
    const { name } = await connection.guard(
      manager.consumers.add(stream, {
        // What is missing is read from the log: an acknowledgement only says that more may come.
        ack_policy: AckPolicy.All,
        ack_wait: nanos(ACK_WAIT_MS),
        max_ack_pending: UNACKED_MAX,
        deliver_policy: DeliverPolicy.New,
        inactive_threshold: nanos(INACTIVE_MS),
        mem_storage: true,
        // Servers before 2.10 take one subject only.
        filter_subject: eventSubject(source, types.length === 1 && only !== undefined ? only : '*'),
      }),
    )
    const { consumers } = jetstream(nats, { timeout: MANAGER_TIMEOUT_MS })
    const consumer = await connection.guard(consumers.get(stream, name))
    const messages = await consumer.consume({
      max_messages: UNACKED_MAX,
      expires: PULL_EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_MS,
      abort_on_missing_resource: true,
      callback: (message) => {
        queue.push(message)
        bell.ring()
      },
    })
    let isClosed = false
    void messages.closed().then((error) => {
      isClosed = true
      if (error) log.warn({ err: error }, 'the consumer is gone')
      bell.ring()
    })
    void (async () => {
      for await (const status of messages.status()) {
        if (status.type === 'heartbeats_missed' && status.count >= 2) messages.stop()
      }
    })()
    return {
      queue,
      isClosed: () => isClosed,
      async stop() {
        messages.stop()
        if (nats.isClosed() || !connection.isUp()) return
        await manager.consumers.delete(stream, name).catch(() => {})
      },
    }
  } catch (error) {
    log.warn({ err: error }, 'JetStream does not send events, the log is read instead')
    const untilMs = performance.now() + state.checkIntervalMs
    return { queue, isClosed: () => performance.now() > untilMs, stop: async () => {} }
  }
}

/** Handles what JetStream has brought, up to where something is missing. @returns whether there was anything */
async function handleDelivered(state: ConsumerState, { queue }: Feed, isStopped: () => boolean): Promise<boolean> {
  const messages = queue.splice(0, UNACKED_MAX)
  if (messages.length === 0) return false
  const positions = new Map(state.positions)
  const events: PlacedEvent[] = []
  let isMissing = false
  messages.at(-1)?.ack()
  for (const message of messages) {
    if (isMissing) break
    const event = readEvent(message)
    if (event !== null && !positions.has(event.type)) continue
    if (event === null || event.position === null) {
      // Whatever it is, it is no event that a relay published: if it stands for one, that one is in the log.
      isMissing = true
      continue
    }
    const { type, position, previous } = event
    const known = positions.get(type) ?? LOG_START
    if (comparePositions(position, known) <= 0) continue
    if (previous !== null && comparePositions(previous, known) > 0) isMissing = true
    else {
      positions.set(type, position)
      events.push({ ...event, position })
    }
  }
  await handleEvents(state, events)
  if (isMissing && !isStopped()) await readLog(state, isStopped)
  return true
}

function readEvent(message: JsMsg): Envelope | null {
  try {
    return Envelope.parse(JSON.parse(message.string()))
  } catch {
    return null
  }
}

/**
 * Reads the log from the positions to its end and handles what is there. The next page is asked for while one is handled.
 * @throws Failure when the service does not answer, or when its log ends before what was handled here
 */
async function readLog(state: ConsumerState, isStopped: () => boolean): Promise<void> {
  let next: Promise<LogPage> | null = requestPage(state, state.positions)
  for (let askedAtMs = performance.now(); next !== null; ) {
    const page: LogPage = await next
    if (isStopped()) return
    if (page.isBehind) throw new Failure('the log ends before what was handled: it is an older copy, rebuild from it')
    const positions = new Map(state.positions)
    for (const [type, position] of positions) {
      if (comparePositions(page.upTo, position) > 0) positions.set(type, page.upTo)
    }
    next = page.isEnd ? null : requestPage(state, positions)
    // Should handling fail, nobody waits for the next page.
    next?.catch(() => {})
    const events = page.events.filter(isPlaced)
    const fresh = state.inbox === null ? events : await state.inbox.without(events)
    await handleEvents(state, fresh, page.events.length > 0 || next !== null ? page.upTo : null)
    if (fresh.length === 0) state.positions = positions
    if (page.isEnd) state.completeAtMs = askedAtMs
    else askedAtMs = performance.now()
  }
}

function requestPage(
  { nats, source, pageTimeoutMs }: ConsumerState,
  positions: Handling['positions'],
): Promise<LogPage> {
  const types = [...positions].map(([type, after]) => ({ type, after }))
  return requestLogPage(nats, source, { types }, pageTimeoutMs)
}

function isPlaced(event: Envelope): event is PlacedEvent {
  return event.position !== null
}
