import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout, an absolute path without a trailing slash. */
export const rootDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What a developer or CI may give the tests; everything is optional. */
export interface TestConfig {
  /** A superuser URL of a Postgres to use instead of the embedded one. */
  readonly databaseUrl: string | undefined
  readonly natsUrl: string | undefined
  /** The nats-server to run instead of the one that `npm start` would run. */
  readonly natsBinary: string | undefined
  /** A folder in memory, for what need not survive the run. */
  readonly memoryDirectory: string | undefined
  /** The Chromium that Playwright drives. */
  readonly chromiumPath: string | undefined
  /** The folders of the PATH in their order. */
  readonly searchPath: readonly string[]
}

/** Reads the environment once; an empty variable counts as absent. */
export function readTestConfig(): TestConfig {
  const { TEST_DATABASE_URL, TEST_NATS_URL, TEST_NATS_BINARY, TEST_MEMORY_DIRECTORY, CHROMIUM_PATH, PATH } = process.env
  return {
    databaseUrl: TEST_DATABASE_URL || undefined,
    natsUrl: TEST_NATS_URL || undefined,
    natsBinary: TEST_NATS_BINARY || undefined,
    memoryDirectory: TEST_MEMORY_DIRECTORY || undefined,
    chromiumPath: CHROMIUM_PATH || undefined,
    searchPath: (PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
  }
}

/** Tells all stages where memory is: their processes have this environment. */
export function announceMemoryDirectory(directory: string): void {
  process.env['TEST_MEMORY_DIRECTORY'] = directory
}

/** The servers that `global-setup.ts` started or was given. */
export interface TestServers {
  readonly databaseUrl: string
  readonly natsUrl: string
  /** For tests that start and kill a NATS of their own. */
  readonly natsBinary: string
}

/** Tells the workers where the servers are: vitest forks them after the global set-up, with this environment. */
export function announceServers(servers: TestServers): void {
  process.env['TEST_DATABASE_URL'] = servers.databaseUrl
  process.env['TEST_NATS_URL'] = servers.natsUrl
  process.env['TEST_NATS_BINARY'] = servers.natsBinary
}

/**
 * The environment of a child: ours, with Node 24 and the workspace's tools first on the PATH, and `extra` on top. Its
 * output reaches the terminal through a pipe, so whether to use colours has to be said.
 */
export function childEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const tools = [dirname(process.execPath), join(rootDirectory, 'node_modules', '.bin')]
  const decided = process.env['FORCE_COLOR'] !== undefined || process.env['NO_COLOR'] !== undefined
  const colours = decided ? {} : process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  return { ...process.env, ...colours, ...extra, PATH: [...tools, process.env['PATH'] ?? ''].join(delimiter) }
}
