import { jetstreamManager } from '@nats-io/jetstream'
import { AuthorizationError, connect } from '@nats-io/transport-node'
import { readNatsUrl } from '@wangian/kit/bus/nats.ts'
import { Client } from 'pg'
import { withDatabase } from '../../postgres/roles.ts'
import { connectionsNeeded } from './connections.ts'
import { isAtLeast, natsVersionMin } from './nats-version.ts'

const connectTimeoutMs = 5000
const postgresVersionMin = 15

/**
 * Makes sure that a Postgres that is not ours answers, is new enough and takes as many connections as all services may open.
 * @throws an error that says what is wrong with DATABASE_URL
 */
export async function checkPostgres(url: string, auctionInstances: number): Promise<void> {
  let client: Client | undefined
  try {
    // Reads the files of certificates that the address names.
    client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      // As the services ask: a pooler may refuse connections that come with settings of their own.
      statement_timeout: connectTimeoutMs,
      idle_in_transaction_session_timeout: connectTimeoutMs,
    })
    await client.connect()
    const { rows } = await client.query<{ version: number; connections: number }>(`
      select current_setting('server_version_num')::int / 10000 as version,
             current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections`)
    const { version = 0, connections = 0 } = rows[0] ?? {}
    if (version < postgresVersionMin) {
      throw new Error(`it is version ${version}, and ${postgresVersionMin} or newer is needed`)
    }
    const needed = connectionsNeeded(auctionInstances)
    if (connections < needed) {
      throw new Error(
        `it takes ${connections} connections, and the services may open ${needed} with AUCTION_INSTANCES=${auctionInstances}; ` +
          'raise max_connections, or run fewer of them',
      )
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // The database itself is created later.
    const another = withDatabase(url, 'postgres')
    // Awaited here: it must not fail unheard while this connection ends.
    if (code === '3D000') return url === another ? undefined : await checkPostgres(another, auctionInstances)
    throw new Error(
      `Postgres at ${withoutPassword(url)} (DATABASE_URL) cannot be used: ${message || code}${hintOf(error as Error, url)}.`,
      { cause: error },
    )
  } finally {
    await client?.end().catch(() => {})
  }
}

function hintOf(error: Error, url: string): string {
  // The client has no better word for that, and no code.
  if (!('code' in error) && new URL(url).password === '') return '; it has no password'
  if (!error.message.startsWith('unsupported startup parameter')) return ''
  return '; PgBouncer lets no connection have settings of its own: name the Postgres behind it'
}

/**
 * Makes sure that a NATS that is not ours answers, is new enough and has JetStream.
 * @param url one address, or those of a cluster with commas
 * @throws an error that says what is wrong with NATS_URL
 */
export async function checkNats(url: string): Promise<void> {
  const shown = url
    .split(',')
    .map((part) => withoutPassword(part.trim()))
    .join(', ')
  try {
    const { inboxPrefix, ...server } = readNatsUrl(url)
    const connection = await connect({
      ...server,
      ...(inboxPrefix !== undefined && { inboxPrefix }),
      timeout: connectTimeoutMs,
      reconnect: false,
    })
    try {
      const version = connection.info?.version ?? 'unknown'
      if (!isAtLeast(version, natsVersionMin)) throw new Error(`it is version ${version}`)
      const manager = await jetstreamManager(connection, { timeout: connectTimeoutMs })
      await manager.getAccountInfo()
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (error instanceof AuthorizationError) {
      throw new Error(`NATS at ${shown} does not take the user and password of NATS_URL.`, {
        cause: error,
      })
    }
    throw new Error(
      `NATS at ${shown} (NATS_URL) cannot be used: ${(error as Error).message}. ` +
        `It has to be ${natsVersionMin} or newer and run with JetStream (nats-server -js).`,
      { cause: error },
    )
  }
}

function withoutPassword(url: string): string {
  const shown = new URL(url)
  shown.password = ''
  shown.searchParams.delete('password')
  return shown.href
}
