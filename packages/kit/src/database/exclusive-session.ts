import { Client } from 'pg'
import { pause } from '../bell.ts'
import { type Logger, silentLogger } from '../service/logger.ts'

export interface ExclusiveSession {
  /** Its own connection, which holds the lock as long as it lives. */
  readonly client: Client
  /** Aborted when the connection is lost or the session is to stop. */
  readonly signal: AbortSignal
}

export interface SessionKeeper {
  /** Ends the work, gives the lock back, and resolves when both are done. */
  stop(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 2_000
const QUERY_TIMEOUT_MS = 10_000
/** A holder that has been silent for longer is cut off by the server: it hangs, or its network does. */
const IDLE_SESSION_TIMEOUT_MS = 8_000
const HEARTBEAT_INTERVAL_MS = 3_000
const STANDBY_POLL_MS = 1_000
const RETRY_DELAY_MIN_MS = 100
const RETRY_DELAY_MAX_MS = 2_000

/**
 * Does `work` in one process at a time: whoever holds a Postgres session lock does it, others stand by and take over
 * within about a second when that connection ends. When `work` fails or its connection breaks, it is begun again.
 * `work` must return soon after its signal is aborted, and must not use the connection for long queries.
 * @param options.lock what there may be one of in this schema, e.g. `relay`
 */
export function keepExclusiveSession(options: {
  readonly url: string
  readonly lock: string
  readonly applicationName: string
  readonly work: (session: ExclusiveSession) => Promise<void>
  readonly log?: Logger
}): SessionKeeper {
  const stopping = new AbortController()
  const running = keep(options, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function keep(options: Parameters<typeof keepExclusiveSession>[0], stopping: AbortSignal): Promise<void> {
  const { log = silentLogger, lock } = options
  const url = new URL(options.url)
  url.searchParams.set('application_name', options.applicationName)
  for (let failures = 0; !stopping.aborted; ) {
    const client = new Client({
      connectionString: url.href,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
      idle_in_transaction_session_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    })
    const lost = new AbortController()
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    let heartbeat: NodeJS.Timeout | undefined
    try {
      await client.connect()
      await client.query(`select set_config('idle_session_timeout', $1, false)`, [`${IDLE_SESSION_TIMEOUT_MS}ms`])
      const signal = AbortSignal.any([stopping, lost.signal])
      while (!signal.aborted && !(await tryLock(client, lock))) await pause(STANDBY_POLL_MS, signal)
      if (signal.aborted) continue
      failures = 0
      heartbeat = setInterval(() => client.query('select').catch(() => lost.abort()), HEARTBEAT_INTERVAL_MS)
      await options.work({ client, signal })
      // It had nothing left to do; that may change.
      await pause(RETRY_DELAY_MAX_MS, signal)
    } catch (error) {
      if (stopping.aborted) break
      failures += 1
      // Once per outage; the tries until it is over say nothing new.
      if (failures === 1) log.warn({ err: error, lock }, 'an exclusive session broke, it is begun again')
      await pause(Math.min(RETRY_DELAY_MIN_MS * 2 ** failures, RETRY_DELAY_MAX_MS), stopping)
    } finally {
      clearInterval(heartbeat)
      await close(client)
    }
  }
}

async function tryLock(client: Client, lock: string): Promise<boolean> {
  // Numbers of their own namespace, and one per schema: several services may share a database.
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtext('wangian-session'), hashtext(current_schema() || ':' || $1)) as locked`,
    [lock],
  )
  return rows[0]?.locked === true
}

async function close(client: Client): Promise<void> {
  // Not longer than a server that is gone deserves.
  const closed = client.end().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, 1_000)))])
  clearTimeout(timer)
}
