import type { Msg } from '@nats-io/transport-node'
import { comparePositions, Envelope, LOG_START, type LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import {
  LOG_PAGE_BYTES_MAX,
  LOG_PAGE_EVENTS_MAX,
  type LogPage,
  readLogEvents,
  readLogPage,
} from '@wangian/contracts/log-pages.ts'
import { requestSubject } from '@wangian/contracts/subjects.ts'
import { Pool } from 'pg'
import { type NatsConnection, subscribe } from '../bus/nats.ts'
import { request, serveRequests } from '../bus/requests.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { currentName, storedNames } from './event-format.ts'
import { type LogClient, readHorizon, readRowsOfTypes, readRowsOfVersions } from './log-reader.ts'
import { type Complete, publishedEvents } from './published-events.ts'

/** So many events are looked through for those of a page. */
const SCANNED_MAX = 10_000
/** Questions that wait for their page; whoever asks beyond them asks again. */
const WAITING_MAX = 64
const STATEMENT_TIMEOUT_MS = 10_000
const CONNECT_TIMEOUT_MS = 2_000
const IDLE_TIMEOUT_MS = 30_000
/** A page of a busy service takes no longer. */
export const ANSWER_TIMEOUT_MAX_MS = 12_000

type Question = typeof readLogPage.body._output

/**
 * Answers pages of the service's own log (`readLogPage`), and single events of it (`readLogEvents`). It has a database connection of its own and reads one page at a time, so that
 * consumers who read a long log do not keep others waiting.
 * @param options.complete as the relay has it
 */
export function serveLogPages(options: {
  readonly service: EventSource
  readonly databaseUrl: string
  readonly nats: NatsConnection
  readonly complete?: Complete | undefined
  readonly log?: Logger
}): { stop(): Promise<void> } {
  const { service, nats, complete } = options
  const log = (options.log ?? silentLogger).child({ request: readLogPage.name })
  const pool = new Pool({
    connectionString: options.databaseUrl,
    application_name: `${service}-log-pages`,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
  })
  pool.on('error', (err) => log.warn({ err }, 'the connection that reads the log broke'))
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function answer(message: Msg): Promise<void> {
    const question = readLogPage.body.safeParse(message.json())
    if (!question.success) return respondError(message, 'bad-request', 'the request is not as its contract says')
    try {
      message.respond(`{"answer":${await pageAsJson(service, pool, question.data, complete)}}`)
    } catch (err) {
      log.warn({ err }, 'cannot read a page of the log')
      respondError(message, 'unavailable', 'the log cannot be read now')
    }
  }

  const receive = (message: Msg) => {
    if (waiting >= WAITING_MAX) return respondError(message, 'unavailable', 'too many wait for a page of the log')
    waiting += 1
    last = last
      .then(() => answer(message))
      .catch((err: unknown) => log.error({ err }, 'could not answer with a page of the log'))
      .finally(() => {
        waiting -= 1
      })
  }
  const subscription = subscribe(nats, requestSubject(service, readLogPage.name), receive, { queue: service, log })
  const events = serveRequests(nats, service, readLogEvents, (asked) => logEvents(service, pool, asked, complete), {
    log,
  })
  return {
    async stop() {
      subscription.unsubscribe()
      await Promise.all([last, events.stop()])
      await pool.end()
    },
  }
}

/**
 * Asks a service for a page of its log.
 * @throws Failure when it does not answer
 */
export function requestLogPage(
  nats: NatsConnection,
  source: EventSource,
  question: Question,
  timeoutMs = ANSWER_TIMEOUT_MAX_MS,
): Promise<LogPage> {
  return request(nats, source, readLogPage, question, { timeoutMs })
}

/**
 * Asks a service for events of one of its streams, as they are in its log now.
 * @returns them in their order, without those that are not there any more
 * @throws Failure when it does not answer
 */
export async function requestLogEvents(
  nats: NatsConnection,
  source: EventSource,
  { stream, versions }: typeof readLogEvents.body._output,
): Promise<readonly Envelope[]> {
  const found: Envelope[] = []
  for (let rest = versions; rest.length > 0; ) {
    const { events, next } = await request(nats, source, readLogEvents, { stream, versions: rest })
    found.push(...events)
    rest = next === null ? [] : rest.filter((version) => version >= next)
  }
  return found
}

async function logEvents(
  service: EventSource,
  client: LogClient,
  asked: typeof readLogEvents.body._output,
  complete: Complete | undefined,
): Promise<typeof readLogEvents.answer._output> {
  const events: Envelope[] = []
  let bytes = 0
  for (const published of await publishedEvents(service, await readRowsOfVersions(client, asked), complete)) {
    const json = published.toJson(null)
    const event = Envelope.parse(JSON.parse(json))
    bytes += Buffer.byteLength(json)
    if (bytes > LOG_PAGE_BYTES_MAX && events.length > 0) return { events, next: event.version }
    events.push(event)
  }
  return { events, next: null }
}

/** A page of the log as JSON. */
async function pageAsJson(
  service: EventSource,
  client: LogClient,
  { types }: Question,
  complete: Complete | undefined,
): Promise<string> {
  const { end, relayed, heads } = await readEnds(client, service)
  const isBehind = types.some(({ after }) => comparePositions(after, end) > 0)
  const start = startOf(types, heads, relayed)
  // Asked every few seconds by everybody, and mostly so.
  const isNothingNew = comparePositions(start, end) >= 0
  if (isBehind || isNothingNew) return pageJson([], { upTo: start, isEnd: true, isBehind })

  const found = await readRowsOfTypes(client, {
    after: start,
    horizon: (await readHorizon(client)).below,
    types: types.flatMap(({ type }) => storedNames(service, type)),
    limit: LOG_PAGE_EVENTS_MAX,
    scannedMax: SCANNED_MAX,
  })
  const afterOf = new Map(types.map(({ type, after }) => [type, after]))
  const events: string[] = []
  let bytes = 0
  for (const event of await publishedEvents(service, found.rows, complete)) {
    const after = afterOf.get(event.type)
    if (after === undefined || comparePositions(event.position, after) <= 0) continue
    const json = event.toJson(null)
    const length = Buffer.byteLength(json)
    if (bytes + length > LOG_PAGE_BYTES_MAX && bytes > 0) {
      return pageJson(events, { upTo: before(event.position), isEnd: false, isBehind: false })
    }
    events.push(json)
    bytes += length
  }
  return pageJson(events, { upTo: found.upTo ?? start, isEnd: found.isEnd, isBehind: false })
}

function pageJson(events: readonly string[], rest: Omit<LogPage, 'events'>): string {
  return `{"events":[${events.join()}],${JSON.stringify(rest).slice(1)}`
}

interface Ends {
  /** Of the last event that is committed. */
  readonly end: LogPosition
  /** Up to where events are published. */
  readonly relayed: LogPosition
  /** The last published event of each type. */
  readonly heads: ReadonlyMap<string, LogPosition>
}

async function readEnds(client: LogClient, service: EventSource): Promise<Ends> {
  const { rows } = await client.query<{ of: 'end' | 'relayed' | 'type'; type: string; tx: string; position: string }>({
    name: 'log-ends',
    text: `select 'type' as of, type, tx::text, position::text from relay_heads
            union all select 'relayed', '', relayed_tx::text, relayed_position::text from log_state
            union all (select 'end', '', tx::text, position::text from events
                        order by events.tx desc, events.position desc limit 1)`,
  })
  const heads = new Map<string, LogPosition>()
  const ends = { end: LOG_START, relayed: LOG_START }
  for (const row of rows) {
    const position: LogPosition = [Number(row.tx), Number(row.position)]
    if (row.of !== 'type') ends[row.of] = position
    else heads.set(currentName(service, row.type), later(position, heads.get(currentName(service, row.type))))
  }
  return { ...ends, heads }
}

/** What the relay has published does not have to be gone through again for types that have nothing new among it. */
function startOf(types: Question['types'], heads: Ends['heads'], relayed: LogPosition): LogPosition {
  const starts = types.map(({ type, after }) => {
    const head = heads.get(type)
    return head === undefined || comparePositions(head, after) <= 0 ? later(after, relayed) : after
  })
  return starts.reduce((one, other) => (comparePositions(one, other) <= 0 ? one : other))
}

function later(one: LogPosition, other: LogPosition | undefined): LogPosition {
  return other === undefined || comparePositions(one, other) >= 0 ? one : other
}

/** The greatest position that is certainly before this one. */
function before([tx, position]: LogPosition): LogPosition {
  return [tx, position - 1]
}

function respondError(message: Msg, code: 'bad-request' | 'unavailable', text: string): void {
  message.respond(JSON.stringify({ error: { code, message: text } }))
}
