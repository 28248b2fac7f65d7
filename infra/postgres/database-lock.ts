import { hostname } from 'node:os'
import { pause } from '@wangian/kit/bell.ts'
import { type HeldConnection, holdConnection } from '@wangian/kit/database/exclusive-session.ts'

export interface DatabaseLockOptions {
  /** Of a role that may connect to the database, which is there. */
  readonly url: string
  /** In front of the names of the services' roles. */
  readonly rolePrefix: string
  /** What other starts and `pg_stat_activity` say of this one. */
  readonly dataDir: string
  readonly log: (line: string) => void
}

export interface DatabaseLock {
  /** Resolves with what to say when the connection broke and another start had the database before we had it again. */
  readonly taken: Promise<DatabaseInUseError>
  release(): Promise<void>
}

/** Another system works with the database, by passwords that only its own DATA_DIR has. */
export class DatabaseInUseError extends Error {
  constructor(url: string, holder: string, advice: string) {
    const { host, pathname } = new URL(url)
    super(
      `The database "${decodeURIComponent(pathname.slice(1))}" at ${host} (DATABASE_URL) is in use by another Wangian, ` +
        `which has a DATA_DIR of its own (${holder}). ${advice}`,
    )
  }
}

/** Who has the lock. */
interface Holder {
  readonly applicationName: string
  /** A former connection of this very start, of whose end Postgres does not know yet. */
  readonly isOurs: boolean
}

const RETRY_INTERVAL_MS = 1_000
const ATTEMPTS_MAX = 3

/**
 * Makes sure that one system at a time works with a database and the roles of its services: whoever sets these up changes their passwords, and
 * whoever was there before can connect no more. It is a session lock of Postgres, there for as long as its connection, which says in
 * `pg_stat_activity` that it is `wangian-start`. Postgres frees it when the process ends, and within ten seconds when it hangs or is cut off.
 *
 * When the connection breaks, because Postgres is started again for example, the system goes on, and the lock is asked for every second until
 * it is there again. If another start has it by then, it has changed the passwords: `taken` says so, and the system can only stop.
 * @throws DatabaseInUseError when another system has it
 */
export async function lockDatabase(options: DatabaseLockOptions): Promise<DatabaseLock> {
  const { log, url } = options
  const stopping = new AbortController()
  const { promise: taken, resolve: tellTaken } = Promise.withResolvers<DatabaseInUseError>()
  const first = await acquire(options)
  if ('isOurs' in first) {
    const advice = 'Stop that one, or name another database here.'
    throw new DatabaseInUseError(url, first.applicationName, advice)
  }
  const keeping = keep(first)

  async function keep(held: HeldConnection): Promise<void> {
    for (let connection: HeldConnection | null = held; connection !== null; ) {
      await aborted(AbortSignal.any([connection.lost, stopping.signal]))
      await connection.close()
      if (stopping.signal.aborted) return
      log('the connection that keeps other starts from the database broke; asking for it again')
      connection = await regain()
      if (connection !== null) log('other starts are kept from the database again')
    }
  }

  /** `null` when it is not wanted any more, or another start has it. */
  async function regain(): Promise<HeldConnection | null> {
    while (!stopping.signal.aborted) {
      // Whatever is wrong with Postgres, the services tell it.
      const got = await acquire(options).catch(() => null)
      if (got !== null && !('isOurs' in got)) return got
      if (got !== null && !got.isOurs) {
        const advice = 'It took the database while Postgres was away, so this one stops.'
        tellTaken(new DatabaseInUseError(url, got.applicationName, advice))
        return null
      }
      await pause(RETRY_INTERVAL_MS, stopping.signal)
    }
    return null
  }

  return {
    taken,
    async release() {
      stopping.abort()
      await keeping
    },
  }
}

/** @returns who keeps others from the database; `null` when nobody does */
export async function findDatabaseHolder(url: string, rolePrefix: string): Promise<string | null> {
  const connection = await holdConnection({ url, applicationName: 'wangian-command' })
  try {
    return (await findHolder(connection, rolePrefix))?.applicationName ?? null
  } finally {
    await connection.close()
  }
}

/** @returns the connection that has the lock, or who else has it */
async function acquire({ url, rolePrefix, dataDir }: DatabaseLockOptions): Promise<HeldConnection | Holder> {
  const applicationName = `wangian-start ${process.pid} on ${hostname()}, ${dataDir}`
  const connection = await holdConnection({ url, applicationName })
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      if (await tryLock(connection, rolePrefix)) return connection
      const holder = await findHolder(connection, rolePrefix)
      // Otherwise it has just been given back.
      if (holder !== null) {
        await connection.close()
        return holder
      }
    }
    throw new Error('The database of DATABASE_URL is being taken by other starts. Try again.')
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function tryLock({ alone, client }: HeldConnection, rolePrefix: string): Promise<boolean> {
  // Of a namespace of its own. Postgres counts these locks by database.
  const query = `select pg_try_advisory_lock(hashtext('wangian-start'), hashtext(current_database() || ':' || $1)) as locked`
  const { rows } = await alone(() => client.query<{ locked: boolean }>(query, [rolePrefix]))
  return rows[0]?.locked === true
}

async function findHolder({ alone, client }: HeldConnection, rolePrefix: string): Promise<Holder | null> {
  const query = `
    select coalesce(application_name, 'process ' || pid || ' of Postgres') as "applicationName",
           application_name is not distinct from current_setting('application_name') as "isOurs"
      from pg_locks left join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and (classid, objid) = (hashtext('wangian-start')::oid, hashtext(current_database() || ':' || $1)::oid)`
  const { rows } = await alone(() => client.query<Holder>(query, [rolePrefix]))
  return rows[0] ?? null
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
