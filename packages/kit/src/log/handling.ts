import { comparePositions, Envelope, LOG_START, type LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { LOG_PAGE_EVENTS_MAX } from '@wangian/contracts/log-pages.ts'
import { eventSubject } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '../bus/nats.ts'
import type { DatabasePool, Executor, Transaction } from '../database/postgres.ts'
import { Failure, isUnavailability, Rejection } from '../errors.ts'
import { invariant } from '../invariant.ts'
import type { Logger } from '../service/logger.ts'
import { isTracing, type SpanStart, traced } from '../service/tracing.ts'
import { overConflicts, runTogether, type SharedCommand } from './command.ts'
import {
  deleteLetters,
  hasLetters,
  insertLetter,
  type LetterRow,
  listDueLetters,
  listDueStreams,
  updateLetter,
} from './dead-letters.ts'
import { readPublished } from './event-format.ts'
import { requestLogEvents } from './log-pages.ts'
import { movePositions, type Positions } from './positions.ts'
import { runsOf } from './runs.ts'

type Effect = (transaction: Transaction) => Promise<void>
export type AnyHandler =
  | ((executor: Executor, event: Envelope) => Promise<void>)
  | { readonly command: (event: Envelope) => SharedCommand | null }
  | { readonly prepare: (event: Envelope) => Promise<Effect> }
export type AnyBulkHandler = (transaction: Transaction, events: readonly Envelope[]) => Promise<void>

/** A page of the log, as its service gives it. */
const PROJECTED_AT_ONCE_MAX = LOG_PAGE_EVENTS_MAX
/** Others wait for the rows that a reaction has written, and for what it has to tell. */
const REACTED_AT_ONCE_MAX = 100

/** An event of which it is known where it stands in the log. */
export type PlacedEvent = Envelope & { readonly position: LogPosition }

/** What is done about the events of a source. */
export interface Handlers {
  readonly source: EventSource
  readonly handlers: Readonly<Record<string, AnyHandler | undefined>>
  readonly bulkHandlers: Readonly<Record<string, AnyBulkHandler | undefined>>
}

/** What a consumer knows while it handles events. */
export interface Handling extends Handlers {
  /** What it is called in the tables. */
  readonly key: string
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  /** What handlers do is seen by others, so it is on disk before they may see it. */
  readonly isReaction: boolean
  /** Told of each transaction of a reaction: it may have added to the log. */
  readonly onReacted: () => void
  readonly retryDelaysMs: readonly number[]
  readonly unavailableDelayMaxMs: number
  readonly log: Logger
  /** Up to where everything is handled; where there was nothing to handle this is beyond what is stored. */
  positions: Positions
  /** The positions as they are committed. */
  stored: Positions
  /** The streams of which an event waits for another try; what comes later waits behind it. */
  readonly waiting: Map<string, WaitingStream>
  /** Whether anything is put aside, or may be: a person may release it. */
  hasLetters: boolean
  handledCount: number
  parkedCount: number
}

interface WaitingStream {
  /** By `performance.now()`. */
  dueAtMs: number
  count: number
  unavailableCount: number
}

/**
 * Handles events in their order, each once, and moves the positions with them. An event that fails is stored, to be tried again.
 * @param upTo where the positions of all types are afterwards, if that is beyond the events
 * @throws when the database does not take it; nothing of what was not committed has happened then
 */
export async function handleEvents(
  handling: Handling,
  events: readonly PlacedEvent[],
  upTo: LogPosition | null = null,
): Promise<void> {
  const batches = batchesOf(handling, events)
  const last = batches.pop() ?? []
  for (const batch of batches) await handleBatch(handling, batch, positionsAfter(handling.positions, batch))
  const end = positionsAfter(handling.positions, last)
  if (upTo !== null) for (const [type, position] of end) if (comparePositions(upTo, position) > 0) end.set(type, upTo)
  if (last.length > 0 || upTo !== null) await handleBatch(handling, last, end)
}

/** Those that share a transaction. */
function batchesOf(handling: Handling, events: readonly PlacedEvent[]): PlacedEvent[][] {
  const batches: PlacedEvent[][] = []
  let batch: Batch | undefined
  for (const event of events) {
    const share = handling.isReaction ? shareOf(handling, event) : PROJECTED
    if (batch === undefined || !hasRoom(batch, share)) {
      batch = { events: [], streams: new Set(), reactions: 0, isClosed: false }
      batches.push(batch.events)
    }
    batch.events.push(event)
    batch.reactions += share.reactions
    if (share.stream !== null) batch.streams.add(share.stream)
    batch.isClosed = share.isAlone
  }
  return batches
}

interface Batch {
  readonly events: PlacedEvent[]
  /** To which it appends. */
  readonly streams: Set<string>
  reactions: number
  isClosed: boolean
}

/** What an event takes of a transaction. */
interface Share {
  readonly reactions: 0 | 1
  /** To which it appends: of each there is one version that the next one must follow. */
  readonly stream: string | null
  /** What leads to nothing may come before it in the same transaction. */
  readonly isAlone: boolean
}
const PROJECTED: Share = { reactions: 0, stream: null, isAlone: false }
const ALONE: Share = { reactions: 1, stream: null, isAlone: true }

function hasRoom({ events, streams, reactions, isClosed }: Batch, share: Share): boolean {
  if (isClosed || events.length === PROJECTED_AT_ONCE_MAX) return false
  if (share.isAlone) return reactions === 0
  return reactions + share.reactions <= REACTED_AT_ONCE_MAX && (share.stream === null || !streams.has(share.stream))
}

function shareOf({ handlers, source }: Handlers, event: PlacedEvent): Share {
  const handler = handlers[event.type]
  if (typeof handler === 'function') return { reactions: 1, stream: null, isAlone: false }
  if (handler === undefined || 'prepare' in handler) return ALONE
  try {
    const command = handler.command({ ...event, ...readPublished(source, event) })
    return { reactions: command === null ? 0 : 1, stream: command?.stream ?? null, isAlone: false }
  } catch {
    // What cannot be read fails for itself.
    return ALONE
  }
}

function setPositions(handling: Handling, positions: Positions): void {
  handling.positions = positions
  handling.stored = positions
}

function positionsAfter(positions: Positions, events: readonly PlacedEvent[]): Positions {
  const after = new Map(positions)
  for (const { type, position } of events) after.set(type, position)
  return after
}

async function handleBatch(handling: Handling, batch: readonly PlacedEvent[], to: Positions): Promise<void> {
  const { pool, waiting } = handling
  // What comes behind an event that waits is stored with it.
  const behind = batch.filter(({ stream }) => waiting.has(stream))
  const free = batch.filter(({ stream }) => !waiting.has(stream))
  try {
    await traced(spanOf(handling, free), async () => {
      const effects = await prepare(handling, free)
      // A reaction may append to a stream at the same time as what somebody does there: nothing is wrong with its event then.
      await overConflicts(() =>
        pool.transaction(async (transaction) => {
          for (const effect of effects) await effect(transaction)
          for (const event of behind) await storeBehind(handling, transaction, event)
          // What a crash takes back is read again, for the position goes with it; an event that others may have seen must not be taken back.
          await movePositions(transaction, handling.key, handling.stored, to, handling.isReaction)
        }),
      )
    })
  } catch (error) {
    const [only] = free
    if (only === undefined) throw error
    if (batch.length === 1) return await storeFailed(handling, only, to, error)
    // One of them is at fault: each for itself shows which.
    for (const event of batch) await handleBatch(handling, [event], positionsAfter(handling.positions, [event]))
    return await handleBatch(handling, [], to)
  }
  setPositions(handling, to)
  noteHandled(handling, free.length)
  for (const { stream } of behind) addWaiting(handling, stream, 1)
}

function noteHandled(handling: Handling, count: number): void {
  handling.handledCount += count
  if (handling.isReaction && count > 0) handling.onReacted()
}

/** What is handled together belongs to the trace of the first event that has one. */
function spanOf({ key }: Handling, events: readonly PlacedEvent[]): SpanStart {
  if (!isTracing()) return { name: key }
  const [parent = null, ...links] = events.flatMap(({ metadata }) => metadata.traceparent ?? [])
  return { name: `handle ${key}`, kind: 'consumer', parent, links, attributes: { 'wangian.events': events.length } }
}

/** What has to be done about events, in the order of each stream; what must be asked of others is asked here. */
export async function prepare(handling: Handlers, events: readonly PlacedEvent[]): Promise<Effect[]> {
  const effects: Effect[] = []
  const commands: SharedCommand[] = []
  const read = events.map((received) => ({ ...received, ...readPublished(handling.source, received) }))
  for (const event of read) {
    const handler = handling.handlers[event.type]
    if (typeof handler === 'function') effects.push((transaction) => handler(transaction, event))
    else if (handler !== undefined && 'prepare' in handler) effects.push(await handler.prepare(event))
    else if (handler !== undefined) {
      const command = handler.command(event)
      if (command !== null) commands.push(command)
    }
  }
  if (commands.length > 0) effects.unshift((transaction) => runTogether(transaction, commands))
  for (const { type, ofType } of runsOf(read)) {
    const handler = handling.bulkHandlers[type]
    if (handler !== undefined) effects.push((transaction) => handler(transaction, ofType))
  }
  return effects
}

async function storeBehind(handling: Handling, transaction: Transaction, event: PlacedEvent): Promise<void> {
  const error = 'waits behind an earlier event of its stream'
  handling.hasLetters = true
  await insertLetter(transaction, { ...letterOf(handling, event), error, tries: 0, dueInMs: 0 })
}

function letterOf(handling: Handling, event: PlacedEvent) {
  const subject = eventSubject(handling.source, event.type)
  return { consumer: handling.key, subject, event, position: event.position }
}

/** Stores an event that failed for the first time, and goes beyond it. */
async function storeFailed(handling: Handling, event: PlacedEvent, to: Positions, error: unknown): Promise<void> {
  const fate = fateOf(handling, { tries: 0, unavailableCount: 0 }, error)
  handling.hasLetters = true
  await handling.pool.transaction(async (transaction) => {
    await insertLetter(transaction, { ...letterOf(handling, event), ...fate, error: String(error) })
    await movePositions(transaction, handling.key, handling.stored, to)
  })
  setPositions(handling, to)
  if (fate.dueInMs !== null) {
    addWaiting(handling, event.stream, 1)
    delay(handling, event.stream, fate.dueInMs, isUnavailability(error) ? 1 : 0)
  }
  noteFate(handling, event.id, fate, error)
}

interface Fate {
  readonly tries: number
  /** `null`: it is put aside for a person. */
  readonly dueInMs: number | null
}

/** What becomes of an event that failed: a failure of the world is not counted, a no of the business is final. */
function fateOf(
  handling: Handling,
  before: { readonly tries: number; readonly unavailableCount: number },
  error: unknown,
): Fate {
  if (error instanceof Rejection) return { tries: before.tries + 1, dueInMs: null }
  if (isUnavailability(error)) {
    const dueInMs = Math.min(100 * 2 ** (before.unavailableCount + 1), handling.unavailableDelayMaxMs)
    return { tries: before.tries, dueInMs }
  }
  return { tries: before.tries + 1, dueInMs: handling.retryDelaysMs[before.tries] ?? null }
}

function noteFate(handling: Handling, eventId: string, { tries, dueInMs }: Fate, err: unknown): void {
  if (dueInMs !== null) {
    handling.log.warn({ err, eventId, tries }, 'an event could not be handled and is tried again')
    return
  }
  handling.parkedCount += 1
  handling.log.error({ err, eventId, tries }, 'an event is parked in dead_letters')
}

/** Loads which streams wait: what an earlier process left, and what a person has released. */
export async function loadWaiting(handling: Handling): Promise<void> {
  const found = await listDueStreams(handling.pool, handling.key)
  const streams = new Set(found.map(({ stream }) => stream))
  handling.hasLetters = found.length > 0 || (await hasLetters(handling.pool, handling.key))
  for (const stream of handling.waiting.keys()) if (!streams.has(stream)) handling.waiting.delete(stream)
  for (const { stream, dueInMs, count } of found) {
    const known = handling.waiting.get(stream)
    if (known !== undefined) known.count = count
    else handling.waiting.set(stream, { dueAtMs: performance.now() + dueInMs, count, unavailableCount: 0 })
  }
}

/** The stream of which the next try is due first. */
export function firstDue({ waiting }: Handling): { readonly stream: string; readonly dueAtMs: number } | undefined {
  let first: { stream: string; dueAtMs: number } | undefined
  for (const [stream, { dueAtMs }] of waiting)
    if (first === undefined || dueAtMs < first.dueAtMs) first = { stream, dueAtMs }
  return first
}

/**
 * Tries the first event of a stream again that waits. What only waits behind it is handled together, as it is when it comes: one after the other it
 * could wait for ever in a stream to which much is added.
 * @throws when the database does not take it
 */
export async function tryAgain(handling: Handling, stream: string): Promise<void> {
  const { pool, key: consumer, isReaction, waiting } = handling
  const isTroubled = (waiting.get(stream)?.unavailableCount ?? 0) > 0
  const limit = isReaction || isTroubled ? 1 : PROJECTED_AT_ONCE_MAX
  const letters = await listDueLetters(pool, { consumer, stream, limit })
  const [first] = letters
  if (first === undefined) {
    waiting.delete(stream)
    return
  }
  // Halved until they are handled, so that one at fault is found soon, however many wait.
  for (let some = first.tries === 0 ? letters : [first]; some.length > 1; some = some.slice(0, some.length / 2))
    if (await areHandled(handling, some)) return settle(handling, some)
  try {
    await handleLetters(handling, [first])
  } catch (error) {
    return await putOff(handling, first, error)
  }
  settle(handling, [first])
}

async function areHandled(handling: Handling, letters: readonly LetterRow[]): Promise<boolean> {
  try {
    await handleLetters(handling, letters)
    return true
  } catch {
    // One of them is at fault, or the database: fewer of them, or the first by itself, will tell.
    return false
  }
}

async function handleLetters(handling: Handling, letters: readonly LetterRow[]): Promise<void> {
  const events = await readAgain(handling, letters)
  await traced(spanOf(handling, events), async () => {
    const effects = await prepare(handling, events)
    await handling.pool.transaction(async (transaction) => {
      for (const effect of effects) await effect(transaction)
      const ids = letters.map(({ eventId }) => eventId)
      const count = await deleteLetters(transaction, handling.key, ids)
      if (count < letters.length) throw new Failure('an event was given up meanwhile')
    })
  })
}

/** They are handled. */
function settle(handling: Handling, letters: readonly LetterRow[]): void {
  const [{ stream } = { stream: '' }] = letters
  noteHandled(handling, letters.length)
  addWaiting(handling, stream, -letters.length)
  delay(handling, stream, 0, 0)
}

async function putOff(handling: Handling, { eventId, stream, tries }: LetterRow, error: unknown): Promise<void> {
  const unavailableCount = handling.waiting.get(stream)?.unavailableCount ?? 0
  const fate = fateOf(handling, { tries, unavailableCount }, error)
  await updateLetter(handling.pool, { consumer: handling.key, eventId, error: String(error), ...fate })
  if (fate.dueInMs === null) addWaiting(handling, stream, -1)
  delay(handling, stream, fate.dueInMs ?? 0, isUnavailability(error) ? unavailableCount + 1 : 0)
  if (fate.dueInMs === null || unavailableCount === 0) noteFate(handling, eventId, fate, error)
}

/** Events of one stream that were put aside, as the log of their service has them now: words in it may have been blanked meanwhile. */
async function readAgain({ nats, source }: Handling, letters: readonly LetterRow[]): Promise<PlacedEvent[]> {
  const [{ stream } = { stream: '' }] = letters
  const versions = letters.map(({ payload }) => Envelope.parse(JSON.parse(payload)).version)
  const found = new Map((await requestLogEvents(nats, source, { stream, versions })).map((event) => [event.id, event]))
  return letters.map(({ eventId }) => {
    const event = found.get(eventId)
    if (event === undefined) throw new Error(`it is not in the log of ${source} any more`)
    return { ...event, position: event.position ?? LOG_START }
  })
}

function addWaiting({ waiting }: Handling, stream: string, count: number): void {
  const known = waiting.get(stream)
  if (known !== undefined) known.count += count
  else waiting.set(stream, { dueAtMs: performance.now(), count, unavailableCount: 0 })
}

function delay({ waiting }: Handling, stream: string, dueInMs: number, unavailableCount: number): void {
  const known = waiting.get(stream)
  invariant(known !== undefined, `${stream} waits`)
  known.dueAtMs = performance.now() + dueInMs
  known.unavailableCount = unavailableCount
}
