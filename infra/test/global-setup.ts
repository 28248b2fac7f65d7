import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { locateNatsServer, startNats } from '../local/nats.ts'
import { startPostgres } from '../local/postgres.ts'
import { announceServers, readTestConfig } from './config.ts'

/**
 * For speed, and here only: these databases live as long as one run, and what survives a crash is the fault tests'
 * question, which start servers of their own with everything on.
 */
const forgetful = { fsync: 'off', full_page_writes: 'off', min_wal_size: '80MB', max_wal_size: '512MB' }

/**
 * Starts one Postgres and one NATS for all test files, unless the environment names others, and tells the workers
 * their addresses as TEST_DATABASE_URL (a superuser) and TEST_NATS_URL. Each file makes its own database and subjects.
 * @returns what vitest calls after the last file
 */
export async function setup(): Promise<() => Promise<void>> {
  const given = readTestConfig()
  const directory = mkdtempSync(join(given.memoryDirectory ?? tmpdir(), 'wangian-servers-'))
  // The user who runs Postgres when we are root has to get in.
  chmodSync(directory, 0o755)
  const servers: { readonly url: string; stop(): Promise<unknown> }[] = []
  const teardown = async () => {
    for (const server of servers.reverse()) await server.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  const start = async (server: Promise<(typeof servers)[number]>) => {
    servers.push(await server)
    return (await server).url
  }
  try {
    const natsBinary = given.natsBinary ?? (await locateNatsServer())
    announceServers({
      databaseUrl: given.databaseUrl ?? (await start(startPostgres({ dataDir: directory, settings: forgetful }))),
      natsBinary,
      natsUrl: given.natsUrl ?? (await start(startNats({ dataDir: directory, binary: natsBinary }))),
    })
  } catch (error) {
    await teardown()
    throw error
  }
  return teardown
}
