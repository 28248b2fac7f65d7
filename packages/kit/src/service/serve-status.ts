import { LOG_START } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import {
  type ConsumerStatus,
  type LetterKey,
  type ParkedEvent,
  type ServiceStatus,
  serviceStatusRequests,
} from '@wangian/contracts/service-status.ts'
import { withinMs } from '../bus/nats.ts'
import { createRequestServer } from '../bus/requests.ts'
import type { DatabasePool } from '../database/postgres.ts'
import { Rejection } from '../errors.ts'
import type { ConsumerStats } from '../log/consumer.ts'
import {
  countLetters,
  deleteLetter,
  findLetter,
  type LetterRow,
  listLettersAfter,
  RELAY,
  releaseLetter,
} from '../log/dead-letters.ts'
import { listHeads, listPositions, readBacklog } from '../log/log-status.ts'
import type { Complete } from '../log/published-events.ts'
import { streamPage } from '../log/stream-pages.ts'
import type { ServiceConfig, ServiceContext } from './start-service.ts'

/** Whoever asks how a service is gets an answer in time, also when its database hangs. */
const DATABASE_TIMEOUT_MS = 1_000
const ERROR_LENGTH_MAX = 1_000

/** A consumer of this process. */
export interface RunningConsumer {
  readonly source: EventSource
  readonly name: string
  /** Of the events that it handles. */
  readonly types: readonly string[]
  stats(): ConsumerStats
}

/** Answers how this service is, what it has put aside, and what is in a stream of its log ({@link serviceStatusRequests}). */
export function serveStatus(options: {
  readonly service: EventSource
  readonly startedAt: Date
  readonly consumers: readonly RunningConsumer[]
  readonly complete: Complete | undefined
  readonly context: Pick<ServiceContext<ServiceConfig>, 'nats' | 'pool' | 'log' | 'config'>
}): { stop(): Promise<void> } {
  const { service, complete } = options
  const { nats, pool, log } = options.context
  const { getStatus, listParked, retryParked, discardParked, readStream } = serviceStatusRequests
  const requests = createRequestServer(nats, service, log)
  requests.answer(getStatus, () => statusOf(options))
  requests.answer(listParked, async (page) => ({ parked: (await listLettersAfter(pool, page)).map(parkedEvent) }))
  requests.answer(retryParked, (key) => retry(pool, key))
  requests.answer(discardParked, (key) => discard(pool, key))
  requests.answer(readStream, (question) => streamPage(pool, service, question, complete))
  return requests
}

async function statusOf({
  service,
  startedAt,
  consumers,
  context,
}: Parameters<typeof serveStatus>[0]): Promise<ServiceStatus> {
  let stored: Stored | undefined
  const reading = readStored(context.pool, service).then((found) => {
    stored = found
  })
  await withinMs(DATABASE_TIMEOUT_MS, reading)
  const process = { instanceId: context.config.instanceId, startedAt: startedAt.toISOString() }
  if (stored === undefined) return { ...process, isDatabaseUp: false, relay: null, consumers: [], parkedCount: null }
  const { relay, positions, letters } = stored
  return {
    ...process,
    isDatabaseUp: true,
    relay,
    consumers: consumers.map((consumer) => consumerStatus(consumer, positions, letters)),
    parkedCount: [...letters.values()].reduce((sum, { parkedCount }) => sum + parkedCount, 0),
  }
}

type Stored = Awaited<ReturnType<typeof readStored>>

async function readStored(pool: DatabasePool, service: EventSource) {
  // One connection, one statement after the other: whoever looks must not be in the way.
  return pool.connect(async (connection) => ({
    relay: { ...(await readBacklog(connection)), heads: await listHeads(connection, service) },
    positions: await listPositions(connection),
    letters: await countLetters(connection),
  }))
}

function consumerStatus(
  { source, name, types, stats }: RunningConsumer,
  positions: Stored['positions'],
  letters: Stored['letters'],
): ConsumerStatus {
  const consumer = `${source}-${name}`
  const { isActive, isCaughtUp, handledCount } = stats()
  const known = new Map(positions.get(consumer)?.map(({ type, position }) => [type, position]))
  const { parkedCount = 0, waitingCount = 0 } = letters.get(consumer) ?? {}
  return {
    consumer,
    source,
    positions: types.map((type) => ({ type, position: known.get(type) ?? LOG_START })),
    isActive,
    isCaughtUp,
    handledCount,
    parkedCount,
    waitingCount,
  }
}

async function retry(pool: DatabasePool, key: LetterKey) {
  if (key.consumer === RELAY) throw new Rejection('conflict', 'An event that cannot be published is not tried again.')
  const released = await releaseLetter(pool, key)
  if (released !== null) return { hasChanged: true, parked: parkedEvent(released) }
  return { hasChanged: false, parked: await getParked(pool, key) }
}

async function discard(pool: DatabasePool, key: LetterKey) {
  const parked = await getParked(pool, key)
  // Of two who give it up at once, one does.
  if (!(await deleteLetter(pool, key))) throw new Rejection('not-found')
  return { parked }
}

async function getParked(pool: DatabasePool, key: LetterKey): Promise<ParkedEvent> {
  const letter = await findLetter(pool, key)
  if (letter === null) throw new Rejection('not-found')
  return parkedEvent(letter)
}

function parkedEvent({ subject, payload: _, error, ...letter }: LetterRow): ParkedEvent {
  return { ...letter, type: subject.slice(subject.lastIndexOf('.') + 1), error: error.slice(0, ERROR_LENGTH_MAX) }
}
