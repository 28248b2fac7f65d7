import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { Client } from 'pg'
import { type Exit, spawnGuarded } from '../processes/guarded-process.ts'
import { loadSecrets } from '../secrets.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { clearPredecessor, clusterDirectory, initialiseCluster, postgresEnvironment } from './postgres-directory.ts'
import { unprivilegedUser } from './unprivileged-user.ts'

export interface PostgresOptions {
  readonly dataDir: string
  /** A free one when not given. */
  readonly port?: number | undefined
  readonly log?: (line: string) => void
  /** So many can connect at once, or more. */
  readonly connectionsMin?: number
  /** Server settings beyond ours, for example `{ log_statement: 'all' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Additions to the server's environment, for example a library to preload. */
  readonly environment?: NodeJS.ProcessEnv
}

/** How to stop: end the sessions and write everything, or crash and recover at the next start. */
export type PostgresStopMode = 'fast' | 'immediate'

export interface PostgresServer {
  /** The superuser's, for the database `postgres`. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Resolves when the server answers; rejects when it ends before. */
  readonly ready: Promise<void>
  readonly exited: Promise<Exit>
  kill(signal?: NodeJS.Signals): void
  stop(mode?: PostgresStopMode): Promise<Exit>
}

/** Also where fewer are needed: tests and tools connect, too. */
const connectionsUsual = 200
const wrongPassword = '28P01'
const pollMs = 30

/**
 * Sized for one machine that also runs all services. Nothing here trades durability for speed: fsync and
 * synchronous_commit keep their defaults (on), stated because a bid that was answered must survive a power cut.
 */
export const postgresSettings: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  effective_cache_size: '4GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  wal_buffers: '16MB',
  min_wal_size: '128MB',
  // What a crash leaves to go through is at most this much, which takes half a second, and two where all is slow: bids wait for it.
  max_wal_size: '256MB',
  checkpoint_completion_target: '0.9',
  checkpoint_timeout: '5min',
  random_page_cost: '1.1',
}

/** Of a server that only this machine's own processes use. */
const localSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  // Its path could be longer than a socket's may be, and nobody needs it.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Errors of statements are reported by the service that sent them; here only what concerns the server.
  log_min_messages: 'log',
  log_line_prefix: '',
}

/** Starts Postgres and resolves when it answers. The server ends with this process. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const server = await launchPostgres(options)
  await server.ready
  return server
}

/**
 * Starts Postgres on `<dataDir>/postgres`, created on first use, as an unprivileged user when we are root.
 * @throws when the server cannot be started at all; see `ready` for one that ends at once
 */
export async function launchPostgres({
  dataDir,
  port,
  log = () => {},
  connectionsMin = 0,
  settings = {},
  environment = {},
}: PostgresOptions): Promise<PostgresServer> {
  const user = unprivilegedUser()
  const binaries = findPostgresBinaries(user)
  const { postgres: password } = loadSecrets(dataDir, ['postgres'])
  const cluster = initialiseCluster(binaries, clusterDirectory(dataDir, user, log), password, user)
  await clearPredecessor(cluster)

  const max_connections = String(Math.max(connectionsMin, connectionsUsual))
  const serverPort = port ?? (await findFreePort())
  const server = spawnGuarded({
    command: binaries.postgres,
    args: [
      '-D',
      cluster,
      '-p',
      String(serverPort),
      ...settingArguments({ ...postgresSettings, ...localSettings, max_connections, ...settings }),
    ],
    workingDirectory: '/',
    environment: { ...postgresEnvironment, ...environment },
    user,
    stopSignal: 'SIGINT',
    onLine: log,
  })
  const url = `postgres://postgres:${password}@127.0.0.1:${serverPort}/postgres`
  const ready = untilAnswering(url, server.exited, server.recentOutput)
  // Until its first one Postgres does not look how old a piece is that is not full, up to checkpoint_timeout. Nobody waits for it, and where it fails,
  // as on a full disk, Postgres says so and answers all the same.
  if (settings['archive_timeout'] !== undefined) void ready.then(() => checkpoint(url)).catch(() => {})
  // Who only waits for `exited` must not be ended by a rejection of the other.
  ready.catch(() => {})
  return {
    url,
    port: serverPort,
    pid: server.pid,
    ready,
    exited: server.exited,
    kill: (signal = 'SIGKILL') => server.kill(signal),
    stop: (mode = 'fast') => server.stop({ signal: mode === 'fast' ? 'SIGINT' : 'SIGQUIT' }),
  }
}

function settingArguments(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function checkpoint(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  // The query fails as well; an error that nobody listens to would end this process.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

async function untilAnswering(url: string, exited: Promise<Exit>, recentOutput: () => string): Promise<void> {
  let ended = false
  void exited.then(() => {
    ended = true
  })
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
    try {
      await client.connect()
      return
    } catch (cause) {
      if ((cause as { code?: string }).code === wrongPassword) {
        throw new Error('the password in secrets.json is not that of this database: the two do not belong together.', {
          cause,
        })
      }
      if (ended) throw new Error(`it ended before it was ready:\n${recentOutput()}`, { cause })
      await wait(pollMs)
    } finally {
      await client.end().catch(() => {})
    }
  }
}
