import {
  type NatsConnection as Connection,
  connect,
  createInbox,
  errors,
  headers,
  type Msg,
  type MsgHdrs,
  type Subscription,
} from '@nats-io/transport-node'
import { type Logger, silentLogger } from '../service/logger.ts'
import { currentTraceparent } from '../service/tracing.ts'

export type NatsConnection = Connection

/** A server that leaves the third ping unanswered is given up after 2.1 s, and the connection is made anew. */
const PING_INTERVAL_MS = 700
const UNANSWERED_PINGS_MAX = 2
const CONNECT_TIMEOUT_MS = 2000
const REACHABLE_TIMEOUT_MS = 1000
const RECONNECT_WAIT_MS = 100
const RECONNECT_JITTER_MS = 150
const DRAIN_TIMEOUT_MS = 2000
/** What the server refuses is asked for again after this: it may get the right to it meanwhile. */
const REFUSED_WAIT_MS = 10_000
/** Streams have so many copies where there are as many servers: any one of them may be lost. */
const STREAM_REPLICAS = 3
/** Only a wait that a person would notice is worth a line. */
const WAITING_NOTICE_MS = 1000

/**
 * Connects to NATS and stays connected: waits for a server that is not there yet, notices a dead one within about
 * 2 s and reconnects for ever. Callers see an outage as requests that time out or find no responders.
 * @param options.url one or more addresses, separated by commas, which may carry `user:password@` or `token@`
 */
export async function connectNats(options: {
  readonly url: string
  readonly name: string
  /** False for a command: it fails at once where no server answers. */
  readonly isPatient?: boolean
  readonly log?: Logger
}): Promise<NatsConnection> {
  const { isPatient = true, log = silentLogger } = options
  const { servers, inboxPrefix, ...known } = readNatsUrl(options.url)
  const notice = setTimeout(() => log.warn({ servers }, 'waiting for NATS'), WAITING_NOTICE_MS)
  try {
    const connection = await connect({
      servers,
      ...known,
      ...(inboxPrefix !== undefined && { inboxPrefix }),
      name: options.name,
      timeout: CONNECT_TIMEOUT_MS,
      waitOnFirstConnect: isPatient,
      reconnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      reconnectJitter: RECONNECT_JITTER_MS,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: UNANSWERED_PINGS_MAX,
      // Wrong credentials after a restart of the server may be right again in a moment.
      ignoreAuthErrorAbort: true,
      // A stack trace for every request costs more than the request itself.
      noAsyncTraces: true,
    })
    if (inboxPrefix !== undefined) inboxPrefixes.set(connection, inboxPrefix)
    if (servers.length >= STREAM_REPLICAS) clustered.add(connection)
    log.info({ server: connection.getServer() }, 'connected to NATS')
    void logStatus(connection, log)
    return connection
  } finally {
    clearTimeout(notice)
  }
}

/** What a connection to one or more addresses needs, separated by commas: the client itself would overlook who is named in them. */
export function readNatsUrl(url: string) {
  const addresses = url.split(',').map((part) => new URL(part.trim()))
  const known = credentials(addresses[0])
  return {
    servers: addresses.map((address) => `${address.protocol}//${address.host}`),
    ...known,
    // Without it the client would speak as the server likes, and tell the password to one that has no TLS.
    ...(addresses.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    // A server may allow each user its own inbox only.
    inboxPrefix: known.user === undefined ? undefined : `_INBOX.${known.user}`,
  }
}

const inboxPrefixes = new WeakMap<NatsConnection, string>()

/** A subject for answers that only this connection's user may hear. */
export function newInbox(connection: NatsConnection): string {
  return createInbox(inboxPrefixes.get(connection))
}

const clustered = new WeakSet<NatsConnection>()

/** How many servers keep a stream that this connection makes: three where it was given as many addresses, else one. */
export function streamReplicasOf(connection: NatsConnection): number {
  return clustered.has(connection) ? STREAM_REPLICAS : 1
}

/** Lets subscriptions finish what they have and closes. A server that is away cannot hold this up for long. */
export async function closeNats(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return
  await withinMs(DRAIN_TIMEOUT_MS, connection.drain())
  await connection.close()
}

/** How to stop one that was made by {@link subscribe}; a drained one handles what has come. */
export type Listening = Pick<Subscription, 'unsubscribe' | 'drain'>

/**
 * Subscribes with a handler that may throw: whatever a callback throws would end the reading of everything that comes over
 * this connection, silently and for good. Here it is a line in the log. One that the server refuses is asked for again until it is stopped: the
 * client would forget it, also when it connects anew.
 */
export function subscribe(
  connection: NatsConnection,
  subject: string,
  handler: (message: Msg) => void,
  options: {
    readonly queue?: string
    readonly log?: Logger
    readonly onError?: (error: Error) => void
    readonly refusedWaitMs?: number
  } = {},
): Listening {
  const { log = silentLogger, refusedWaitMs = REFUSED_WAIT_MS } = options
  let isStopped = false
  let current = ask()

  function ask(): Subscription {
    return connection.subscribe(subject, {
      ...(options.queue !== undefined && { queue: options.queue }),
      callback: (error, message) => {
        if (error !== null) {
          log.error({ err: error, subject }, 'a subscription failed')
          setTimeout(askAgain, refusedWaitMs).unref()
          return options.onError?.(error)
        }
        try {
          handler(message)
        } catch (cause) {
          log.error({ err: cause, subject }, 'a message could not be handled')
        }
      },
    })
  }

  function askAgain(): void {
    if (!isStopped && !connection.isClosed() && !connection.isDraining()) current = ask()
  }

  return {
    unsubscribe() {
      isStopped = true
      current.unsubscribe()
    },
    async drain() {
      isStopped = true
      if (!current.isClosed()) await current.drain()
    },
  }
}

const TRACEPARENT = 'traceparent'

/** What a message says of the trace that it belongs to: that of the running span, if any. */
export function traceHeaders(traceparent = currentTraceparent()): { readonly headers?: MsgHdrs } {
  if (traceparent === null) return {}
  const carried = headers()
  carried.set(TRACEPARENT, traceparent)
  return { headers: carried }
}

/** The trace that a message belongs to. */
export function traceparentOf(message: Msg): string | null {
  return message.headers?.get(TRACEPARENT) || null
}

/** Whether the server answers right now; for readiness. */
export async function isReachable(connection: NatsConnection): Promise<boolean> {
  let answered = false
  const answer = connection.rtt().then(() => {
    answered = true
  })
  await withinMs(REACHABLE_TIMEOUT_MS, answer)
  return answered
}

const NO_RESPONDERS = 503

/** Whether a message is the server's own answer that nobody listens where something with a reply subject was sent. */
export function saysNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === NO_RESPONDERS
}

/** Whether a request failed because nobody listens on its subject: it was certainly not handled. */
export function isNoResponders(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true
  return error instanceof errors.RequestError && error.isNoResponders()
}

/** Whether a request failed because no answer came in time: it may have been handled. */
export function isRequestTimeout(error: unknown): boolean {
  return error instanceof errors.TimeoutError || (error instanceof Error && error.cause instanceof errors.TimeoutError)
}

/** Waits for something that need not succeed, but not longer than this. */
export async function withinMs(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([work.catch(() => {}), timeout])
  clearTimeout(timer)
}

function credentials(address: URL | undefined): { user?: string; pass?: string; token?: string } {
  if (address === undefined || address.username === '') return {}
  const user = decodeURIComponent(address.username)
  return address.password === '' ? { token: user } : { user, pass: decodeURIComponent(address.password) }
}

async function logStatus(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const status of connection.status()) {
    switch (status.type) {
      case 'disconnect':
      case 'staleConnection':
        log.warn({ status: status.type }, 'lost NATS')
        break
      case 'reconnect':
        log.info({ server: status.server }, 'reconnected to NATS')
        break
      case 'error':
        log.error({ err: status.error }, 'NATS reports an error')
        break
      case 'slowConsumer':
        log.warn({ subject: status.sub.getSubject(), pending: status.pending }, 'a subscription is too slow')
        break
      default:
        log.debug({ status: status.type }, 'NATS status')
    }
  }
}
