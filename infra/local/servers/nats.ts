import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { type NatsUser, natsUsers } from '../../nats/permissions.ts'
import { type NatsClusterMember, type NatsPasswords, natsServerConfig } from '../../nats/server-config.ts'
import { natsSearch } from '../config.ts'
import { untilAnswering } from '../processes/answering.ts'
import { type Exit, spawnGuarded } from '../processes/guarded-process.ts'
import { isRunning } from '../processes/predecessor.ts'
import { loadSecrets } from '../secrets.ts'
import { findNatsServer, natsSources, natsSourcesOf } from './nats-binary.ts'
import { makeDataDirectory } from './postgres-directory.ts'

export interface NatsOptions {
  readonly dataDir: string
  /** Free ones when not given. */
  readonly port?: number | undefined
  readonly monitoringPort?: number | undefined
  /** The binary to run; looked for when not given. */
  readonly binary?: string | undefined
  /** Everybody may do everything without them. */
  readonly passwords?: NatsPasswords | undefined
  /** Among whom it keeps its streams; it is ready once most of them run. */
  readonly cluster?: NatsClusterMember | undefined
  readonly log?: (line: string) => void
}

export interface NatsServer {
  readonly url: string
  readonly port: number
  readonly monitoringPort: number
  readonly pid: number
  /** Below `dataDir`; may be wiped while the server is down. */
  readonly storeDirectory: string
  /** Resolves when JetStream is up; rejects when the server ends before. */
  readonly ready: Promise<void>
  readonly exited: Promise<Exit>
  kill(signal?: NodeJS.Signals): void
  stop(): Promise<Exit>
}

const predecessorTimeoutMs = 5000
const pollMs = 30

/** Where nats-server is on this machine, fetched if need be. */
export function locateNatsServer(log: (line: string) => void = () => {}): Promise<string> {
  return findNatsServer(natsSources(natsSearch()), log)
}

/** A nats-server of this very version, fetched if need be, without changing what is installed on this machine. */
export function locateNatsServerOf(version: string, log: (line: string) => void): Promise<string> {
  return findNatsServer(natsSourcesOf(version, natsSearch()), log)
}

/** The generated passwords of this data directory. */
export function loadNatsPasswords(dataDir: string): NatsPasswords {
  const secrets = loadSecrets(
    dataDir,
    natsUsers.map((user) => `nats-${user}`),
  )
  return Object.fromEntries(natsUsers.map((user) => [user, secrets[`nats-${user}`]])) as NatsPasswords
}

export function natsUrlFor(user: NatsUser, passwords: NatsPasswords, port: number): string {
  return `nats://${user}:${passwords[user]}@127.0.0.1:${port}`
}

/** Starts nats-server with JetStream and resolves when it is up. The server ends with this process. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const server = await launchNats(options)
  await server.ready
  return server
}

/**
 * Starts nats-server with its JetStream store in `<dataDir>/nats`.
 * @throws when no nats-server can be found; see `ready` for one that ends at once
 */
export async function launchNats(options: NatsOptions): Promise<NatsServer> {
  const log = options.log ?? (() => {})
  const binary = options.binary ?? (await locateNatsServer(log))
  const port = options.port ?? (await findFreePort())
  const monitoringPort = options.monitoringPort ?? (await findFreePort())
  makeDataDirectory(options.dataDir)
  const directory = resolve(options.dataDir, 'nats')
  const storeDirectory = join(directory, 'store')
  mkdirSync(directory, { recursive: true })
  const configFile = join(directory, 'nats-server.conf')
  const pidFile = join(directory, 'nats-server.pid')
  await clearPredecessor(pidFile)
  writeFileSync(
    configFile,
    natsServerConfig({
      host: '127.0.0.1',
      clientPort: port,
      monitoringPort,
      storeDirectory,
      pidFile,
      passwords: options.passwords,
      cluster: options.cluster,
    }),
    { mode: 0o600 },
  )

  const server = spawnGuarded({
    command: binary,
    args: ['--config', configFile],
    environment: {},
    stopSignal: 'SIGTERM',
    onLine: log,
  })
  // The server's own health answer is 200 only once JetStream has recovered its streams.
  const ready = untilAnswering(`http://127.0.0.1:${monitoringPort}/healthz`, server)
  // Who only waits for `exited` must not be ended by a rejection of the other.
  ready.catch(() => {})
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    monitoringPort,
    pid: server.pid,
    storeDirectory,
    ready,
    exited: server.exited,
    kill: (signal = 'SIGKILL') => server.kill(signal),
    stop: () => server.stop(),
  }
}

/** Two servers must never share a store: one that a dead supervisor left behind is given a moment, then killed. */
async function clearPredecessor(pidFile: string): Promise<void> {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : Number.NaN
  const deadline = Date.now() + predecessorTimeoutMs
  while (pid > 0 && isRunning(pid, 'nats-server', dirname(pidFile))) {
    process.kill(pid, Date.now() < deadline ? 'SIGTERM' : 'SIGKILL')
    await wait(pollMs)
  }
  rmSync(pidFile, { force: true })
}
