import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { isAtLeast, natsVersionMin } from './nats-version.ts'

const connectTimeoutMs = 5000
const postgresVersionMin = 15

/**
 * Makes sure that a Postgres that is not ours answers and is new enough.
 * @throws an error that says what is wrong with DATABASE_URL
 */
export async function checkPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    )
    const version = rows[0]?.version ?? 0
    if (version < postgresVersionMin) {
      throw new Error(`it is version ${version}, and ${postgresVersionMin} or newer is needed`)
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // The database itself is created later.
    if (code === '3D000') return
    throw new Error(`Postgres at ${withoutPassword(url)} (DATABASE_URL) cannot be used: ${message || code}.`, {
      cause: error,
    })
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Makes sure that a NATS that is not ours answers, is new enough and has JetStream.
 * @throws an error that says what is wrong with NATS_URL
 */
export async function checkNats(url: string): Promise<void> {
  try {
    const connection = await connect({ servers: url, timeout: connectTimeoutMs, reconnect: false })
    try {
      const version = connection.info?.version ?? 'unknown'
      if (!isAtLeast(version, natsVersionMin)) throw new Error(`it is version ${version}`)
      const manager = await jetstreamManager(connection, { timeout: connectTimeoutMs })
      await manager.getAccountInfo()
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw new Error(
      `NATS at ${withoutPassword(url)} (NATS_URL) cannot be used: ${(error as Error).message}. ` +
        `It has to be ${natsVersionMin} or newer and run with JetStream (nats-server -js).`,
      { cause: error },
    )
  }
}

function withoutPassword(url: string): string {
  const shown = new URL(url)
  shown.password = ''
  return shown.href
}
