import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestServers } from '@wangian/kit/testing/config.ts'

/** The root of the checkout, an absolute path without a trailing slash. */
export const rootDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What a developer or CI may give the tests; everything is optional. */
export interface TestConfig {
  /** A superuser URL of a Postgres to use instead of the embedded one. */
  readonly databaseUrl: string | undefined
  readonly natsUrl: string | undefined
  /** The nats-server to run instead of the one that `npm start` would run. */
  readonly natsBinary: string | undefined
  /** Whether the servers are to run in containers; what the machine has decides when nothing is said. */
  readonly usesContainers: boolean | undefined
  /** Where a Docker engine may answer: an address of the environment, or the path of a socket. */
  readonly engineAddresses: readonly string[]
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
  const { TEST_CONTAINERS, DOCKER_HOST, XDG_RUNTIME_DIR } = process.env
  return {
    databaseUrl: TEST_DATABASE_URL || undefined,
    natsUrl: TEST_NATS_URL || undefined,
    natsBinary: TEST_NATS_BINARY || undefined,
    usesContainers: TEST_CONTAINERS ? TEST_CONTAINERS !== '0' : undefined,
    engineAddresses: [
      ...(DOCKER_HOST ? [DOCKER_HOST] : []),
      '/var/run/docker.sock',
      ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'docker.sock')] : []),
      join(homedir(), '.docker/run/docker.sock'),
    ],
    memoryDirectory: TEST_MEMORY_DIRECTORY || undefined,
    chromiumPath: CHROMIUM_PATH || undefined,
    searchPath: (PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
  }
}

/** Tells all stages where memory is: their processes have this environment. */
export function announceMemoryDirectory(directory: string): void {
  process.env['TEST_MEMORY_DIRECTORY'] = directory
}

/**
 * Tells the workers where the servers are: vitest forks them after the global set-up, with this environment.
 * @param servers those that there are
 * @param nats what a test runs that starts and kills a NATS of its own
 */
export function announceServers(
  servers: Partial<TestServers>,
  nats: { readonly image: string } | { readonly binary: string },
): void {
  process.env['TEST_SERVERS'] = JSON.stringify(servers)
  process.env['TEST_NATS_IMAGE'] = 'image' in nats ? nats.image : ''
  process.env['TEST_NATS_BINARY'] = 'binary' in nats ? nats.binary : ''
}

/** Testcontainers would fetch an image of its own to remove what is left behind; we look after that ourselves. */
export function withoutReaper(): void {
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true'
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
