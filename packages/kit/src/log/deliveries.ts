import type { JsMsg } from '@nats-io/jetstream'
import { Envelope } from '@wangian/contracts/envelope.ts'
import { type EventSource, eventsByService } from '@wangian/contracts/events/by-service.ts'
import type { DatabasePool, Transaction } from '../database/postgres.ts'
import { isUnavailability, Rejection } from '../errors.ts'
import type { Logger } from '../service/logger.ts'
import { currentName, readPublished } from './event-format.ts'
import { handleOnce, parkEvent } from './inbox.ts'

type AnyHandler = (transaction: Transaction, event: Envelope) => Promise<void>
type AnyBulkHandler = (transaction: Transaction, events: readonly Envelope[]) => Promise<void>

/** What a consumer knows while it handles what was delivered. */
export interface Handling {
  readonly source: EventSource
  /** What it is called in the inbox and among the dead letters. */
  readonly key: string
  readonly pool: DatabasePool
  readonly handlers: Readonly<Record<string, AnyHandler | undefined>>
  readonly bulkHandlers: Readonly<Record<string, AnyBulkHandler | undefined>>
  readonly batchMax: number
  readonly retryDelaysMs: readonly number[]
  readonly unavailableDelayMaxMs: number
  readonly log: Logger
  handledCount: number
  parkedCount: number
  /** By stream: the event that failed, followed by the ones of the same stream that came after it. */
  readonly held: Map<string, Held>
  /** How often an event failed for a reason of its own, by its id. Survives a new connection to NATS. */
  readonly tries: Map<string, number>
  readonly unknownTypes: Set<string>
}

interface Held {
  readonly deliveries: Delivery[]
  /** When the first of them is tried again, by `performance.now()`. */
  dueAtMs: number
  unavailableCount: number
}

/** Where a delivery comes from, and what is told there of its fate. */
export interface Message {
  readonly subject: string
  string(): string
  /** Somebody is still at it. */
  working(): void
  /** It is done, and need not come again. */
  ack(): void
  /** It is put aside, and need not come again before a person says so. */
  putAside(): void
}

/** An event as it came, read as far as it can be read. */
export interface Delivery {
  readonly message: Message
  /** Without an envelope: what JetStream knows it by. */
  readonly id: string
  readonly stream: string
  readonly envelope: Envelope | undefined
  /** Why there is no envelope. */
  readonly problem?: unknown
}

/** Reads what JetStream sent as far as it can be read. */
export function readMessage(message: JsMsg): Delivery {
  return readDelivery(
    {
      subject: message.subject,
      string: () => message.string(),
      working: () => message.working(),
      ack: () => message.ack(),
      putAside: () => message.ack(),
    },
    () => message.headers?.get('Nats-Msg-Id') || `${message.info.stream}:${message.seq}`,
  )
}

/** @param knownAs what it is known by when it says no id of its own */
export function readDelivery(message: Message, knownAs: () => string): Delivery {
  try {
    const envelope = Envelope.parse(JSON.parse(message.string()))
    return { message, id: envelope.id, stream: envelope.stream, envelope }
  } catch (problem) {
    const id = knownAs()
    return { message, id, stream: `unreadable ${id}`, envelope: undefined, problem }
  }
}

/** The next events to be handled together, in their order. Acknowledges what nobody handles, holds back what must wait. */
export function takeBatch(handling: Handling, queue: Delivery[]): Delivery[] {
  const batch: Delivery[] = []
  while (batch.length < handling.batchMax) {
    const delivery = queue.shift()
    if (delivery === undefined) break
    const { envelope, stream, message } = delivery
    const held = handling.held.get(stream)
    if (envelope !== undefined && !isHandled(handling, envelope.type)) {
      noteUnknownType(handling, envelope.type)
      message.ack()
    } else if (held !== undefined) {
      held.deliveries.push(delivery)
    } else {
      batch.push(delivery)
    }
  }
  return batch
}

function isHandled({ source, handlers, bulkHandlers }: Handling, storedType: string): boolean {
  const type = currentName(source, storedType)
  return handlers[type] !== undefined || bulkHandlers[type] !== undefined
}

function noteUnknownType(handling: Handling, type: string): void {
  if (currentName(handling.source, type) in eventsByService[handling.source] || handling.unknownTypes.has(type)) return
  handling.unknownTypes.add(type)
  handling.log.info({ type }, 'passing over a type of event that this version does not know')
}

export async function handleBatch(handling: Handling, batch: readonly Delivery[]): Promise<void> {
  try {
    await handle(handling, batch)
    return
  } catch (error) {
    const [only] = batch
    if (only !== undefined && batch.length === 1) {
      await hold(handling, { deliveries: [only], dueAtMs: 0, unavailableCount: 0 }, error)
      return
    }
  }
  // One of them is at fault: each for itself shows which.
  for (const delivery of batch) {
    const held = handling.held.get(delivery.stream)
    if (held === undefined) await handleBatch(handling, [delivery])
    else held.deliveries.push(delivery)
  }
}

export async function handleHeld(handling: Handling, held: Held): Promise<void> {
  const [first] = held.deliveries
  if (first === undefined) return
  try {
    await handle(handling, [first])
    release(handling, held)
  } catch (error) {
    await hold(handling, held, error)
  }
}

/** Handles deliveries in one transaction and acknowledges them. */
async function handle(handling: Handling, deliveries: readonly Delivery[]): Promise<void> {
  const events = new Map<string, Envelope>()
  for (const { id, envelope, problem } of deliveries) {
    if (envelope === undefined) throw new Error('the message is no event', { cause: problem })
    events.set(id, envelope)
  }
  await handleOnce(handling.pool, handling.key, [...events.values()], async (transaction, fresh) => {
    const parsed = fresh.map((event) => ({ ...event, ...readPublished(handling.source, event) }))
    for (const event of parsed) await handling.handlers[event.type]?.(transaction, event)
    for (const [type, handleBulk] of Object.entries(handling.bulkHandlers)) {
      const ofType = parsed.filter((event) => event.type === type)
      if (ofType.length > 0) await handleBulk?.(transaction, ofType)
    }
  })
  for (const { message, id } of deliveries) {
    message.ack()
    handling.tries.delete(id)
  }
  handling.handledCount += deliveries.length
}

/** Decides what becomes of the first of `held`, which failed: it waits for another try, or it is parked. */
async function hold(handling: Handling, held: Held, error: unknown): Promise<void> {
  const [first] = held.deliveries
  if (first === undefined) return
  const { message, id, stream } = first
  handling.held.set(stream, held)
  const tries = (handling.tries.get(id) ?? 0) + 1
  const delayMs = handling.retryDelaysMs[tries - 1]
  if (isUnavailability(error)) {
    held.unavailableCount += 1
    held.dueAtMs = performance.now() + Math.min(100 * 2 ** held.unavailableCount, handling.unavailableDelayMaxMs)
    if (held.unavailableCount === 1)
      handling.log.warn({ err: error, eventId: id }, 'an event waits for something unavailable')
    return
  }
  handling.tries.set(id, tries)
  held.unavailableCount = 0
  if (delayMs !== undefined && !(error instanceof Rejection)) {
    held.dueAtMs = performance.now() + delayMs
    handling.log.warn({ err: error, eventId: id, tries }, 'an event failed and is tried again')
    return
  }
  try {
    const { subject } = message
    await parkEvent(handling.pool, {
      consumer: handling.key,
      eventId: id,
      subject,
      payload: message.string(),
      error: String(error),
      tries,
    })
  } catch (cause) {
    handling.log.warn({ err: cause, eventId: id }, 'cannot park an event yet')
    held.dueAtMs = performance.now() + handling.unavailableDelayMaxMs
    handling.tries.set(id, tries - 1)
    return
  }
  message.putAside()
  handling.tries.delete(id)
  handling.parkedCount += 1
  handling.log.error({ err: error, eventId: id, subject: message.subject, tries }, 'an event is parked in dead_letters')
  release(handling, held)
}

/** The first of `held` is done with; the next one is due at once. */
function release(handling: Handling, held: Held): void {
  const first = held.deliveries.shift()
  held.dueAtMs = 0
  held.unavailableCount = 0
  if (held.deliveries.length === 0 && first !== undefined) handling.held.delete(first.stream)
}

export function firstDue(held: ReadonlyMap<string, Held>): Held | undefined {
  let first: Held | undefined
  for (const entry of held.values()) if (first === undefined || entry.dueAtMs < first.dueAtMs) first = entry
  return first
}
