import { Client } from 'pg'
import { pause } from '../bell.ts'
import { invariant } from '../invariant.ts'
import { type Logger, silentLogger } from '../service/logger.ts'

export interface ExclusiveSession {
  /** The connection that holds the lock as long as it lives; others may hold theirs on it, too. */
  readonly client: Client
  /** Aborted when the connection is lost or the session is to stop. */
  readonly signal: AbortSignal
}

export interface SessionKeeper {
  /** Ends the work, gives the lock back, and resolves when both are done. */
  stop(): Promise<void>
}

/** What one process may do of what there is one of in a schema. */
export interface Locks {
  /**
   * Does `work` in one process at a time: whoever holds a Postgres session lock does it, others stand by and take over
   * within about a second when that connection ends. When `work` fails or the connection breaks, it is begun again.
   * `work` must return soon after its signal is aborted, and must not use the connection for long queries.
   * @param lock what there may be one of in this schema, e.g. `relay`; a process asks for it once
   */
  keep(lock: string, work: (session: ExclusiveSession) => Promise<void>): SessionKeeper
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
 * All locks of a process on one connection. It is opened for the first lock and closed after the last one; when it breaks, or when the work of one
 * lock fails, all of them are begun again.
 */
export function holdLocks(options: {
  readonly url: string
  readonly applicationName: string
  readonly log?: Logger | undefined
}): Locks {
  const { log = silentLogger } = options
  const kept = new Set<string>()
  let opening: Promise<HeldConnection> | null = null

  function connect(): Promise<HeldConnection> {
    opening ??= holdConnection(options).then(
      (connection) => {
        if (connection.lost.aborted) opening = null
        else connection.lost.addEventListener('abort', () => (opening = null), { once: true })
        return connection
      },
      (error: unknown) => {
        opening = null
        throw error
      },
    )
    return opening
  }

  async function keep(lock: string, work: (session: ExclusiveSession) => Promise<void>, stopping: AbortSignal) {
    for (let failures = 0; !stopping.aborted; ) {
      let connection: HeldConnection | undefined
      let isHeld = false
      try {
        connection = await connect()
        const { client, lost } = connection
        const signal = AbortSignal.any([stopping, lost])
        while (!signal.aborted && !isHeld) {
          isHeld = await connection.alone(() => tryLock(client, lock))
          if (!isHeld) await pause(STANDBY_POLL_MS, signal)
        }
        if (signal.aborted) continue
        failures = 0
        await work({ client, signal })
        // It had nothing left to do; that may change.
        await pause(RETRY_DELAY_MAX_MS, signal)
      } catch (error) {
        await connection?.close()
        if (stopping.aborted) break
        failures += 1
        // Once per outage; the tries until it is over say nothing new.
        if (failures === 1) log.warn({ err: error, lock }, 'an exclusive session broke, it is begun again')
        await pause(Math.min(RETRY_DELAY_MIN_MS * 2 ** failures, RETRY_DELAY_MAX_MS), stopping)
      } finally {
        if (isHeld && connection !== undefined) await giveBack(connection, lock)
      }
    }
  }

  return {
    keep(lock, work) {
      invariant(!kept.has(lock), `this process keeps ${lock} already`)
      kept.add(lock)
      const stopping = new AbortController()
      const running = keep(lock, work, stopping.signal)
      return {
        async stop() {
          stopping.abort()
          await running
          kept.delete(lock)
          if (kept.size > 0 || opening === null) return
          const connection = await opening.catch(() => null)
          if (kept.size === 0) await connection?.close()
        },
      }
    },
  }
}

/** One lock on a connection of its own, for work that asks the database a lot by it. See {@link Locks.keep}. */
export function keepExclusiveSession(options: {
  readonly url: string
  readonly lock: string
  readonly applicationName: string
  readonly work: (session: ExclusiveSession) => Promise<void>
  readonly log?: Logger
}): SessionKeeper {
  return holdLocks(options).keep(options.lock, options.work)
}

export interface HeldConnection {
  readonly client: Client
  /** Aborted when the connection has ended, by whatever. */
  readonly lost: AbortSignal
  /** Asks when nobody else on this connection does: queries would queue in the client, which will not do that for ever. */
  alone<Answer>(ask: () => Promise<Answer>): Promise<Answer>
  /** Ends it, and with it all locks on it. */
  close(): Promise<void>
}

/** A connection that lives until it is closed, of whose end both sides know within seconds: for session locks. @throws when there is none to be had */
export async function holdConnection(options: {
  readonly url: string
  readonly applicationName: string
}): Promise<HeldConnection> {
  const url = new URL(options.url)
  url.searchParams.set('application_name', options.applicationName)
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
  let last: Promise<unknown> = Promise.resolve()
  const connection: HeldConnection = {
    client,
    lost: lost.signal,
    alone(ask) {
      const answer = last.then(ask)
      last = answer.catch(() => {})
      return answer
    },
    async close() {
      lost.abort()
      await end(client)
    },
  }
  try {
    await client.connect()
    await client.query(`select set_config('idle_session_timeout', $1, false)`, [`${IDLE_SESSION_TIMEOUT_MS}ms`])
  } catch (error) {
    await connection.close()
    throw error
  }
  const heartbeat = setInterval(
    () => connection.alone(() => client.query('select')).catch(() => connection.close()),
    HEARTBEAT_INTERVAL_MS,
  )
  lost.signal.addEventListener('abort', () => clearInterval(heartbeat), { once: true })
  if (lost.signal.aborted) clearInterval(heartbeat)
  return connection
}

async function tryLock(client: Client, lock: string): Promise<boolean> {
  // Numbers of their own namespace, and one per schema: several services may share a database.
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtext('wangian-session'), hashtext(current_schema() || ':' || $1)) as locked`,
    [lock],
  )
  return rows[0]?.locked === true
}

async function giveBack(connection: HeldConnection, lock: string): Promise<void> {
  if (connection.lost.aborted) return
  try {
    await connection.alone(() =>
      connection.client.query(
        `select pg_advisory_unlock(hashtext('wangian-session'), hashtext(current_schema() || ':' || $1))`,
        [lock],
      ),
    )
  } catch {
    await connection.close()
  }
}

async function end(client: Client): Promise<void> {
  // Not longer than a server that is gone deserves.
  const ended = client.end().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, 1_000)))])
  clearTimeout(timer)
}
