import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { K6Search } from './config.ts'

const execute = promisify(execFile)

const RELEASE = 'v1.8.1'
const ANSWER_TIMEOUT_MS = 10_000
const BUILD_TIMEOUT_MS = 900_000

/** The path of a k6 that can run the scripts, and where it came from. */
export interface K6Binary {
  readonly path: string
  readonly version: string
}

/**
 * A k6 from the PATH or from our cache, else one built with Go.
 * @throws when there is none, saying what to do
 */
export async function findK6(search: K6Search, log: (line: string) => void): Promise<K6Binary> {
  const cached = join(search.cacheDirectory, `k6-${RELEASE}`)
  const candidates = [...search.searchPath.map((folder) => join(folder, 'k6')), cached]
  for (const path of candidates) {
    const found = await examine(path)
    if (found === undefined) continue
    if (isUsable(found.version)) return found
    log(`${path} is k6 ${found.version}; the scripts need 1.6 or newer`)
  }
  let reason: string
  try {
    log(`building k6 ${RELEASE} with Go (a minute or two, once) …`)
    await build(cached, search.environment)
    const built = await examine(cached)
    if (built !== undefined) return built
    reason = `${cached} does not run`
  } catch (error) {
    reason = messageOf(error)
  }
  throw new Error(
    [
      'k6 was not found and could not be built.',
      `  ${reason}`,
      'Install k6 1.6 or newer so that it is on the PATH (https://grafana.com/docs/k6/latest/set-up/install-k6/),',
      'or install Go (https://go.dev/dl) and run this again.',
    ].join('\n'),
  )
}

/** Takes what `k6 version` prints, e.g. `k6 v1.8.1 (go1.26.8, linux/amd64)`; it calls itself as its file is named. */
export function versionIn(output: string): string | undefined {
  return /^k6\S* v?(\d+\.\d+\.\d+)/.exec(output)?.[1]
}

/** `k6/websockets` is there since 1.6. */
export function isUsable(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 1 || (major === 1 && minor >= 6)
}

async function examine(path: string): Promise<K6Binary | undefined> {
  try {
    accessSync(path, constants.X_OK)
    const { stdout } = await execute(path, ['version'], { timeout: ANSWER_TIMEOUT_MS })
    const version = versionIn(stdout)
    return version === undefined ? undefined : { path, version }
  } catch {
    return undefined
  }
}

/** Builds in a folder of its own and moves the result into place, so that no half copy is ever used. */
async function build(target: string, environment: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(join(target, '..'), { recursive: true })
  const folder = mkdtempSync(`${target}.`)
  try {
    await execute('go', ['install', `go.k6.io/k6@${RELEASE}`], {
      timeout: BUILD_TIMEOUT_MS,
      env: { ...environment, GOBIN: folder },
      // Not the checkout: a go.mod above it would be taken for ours.
      cwd: folder,
    })
    renameSync(join(folder, 'k6'), target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function messageOf(error: unknown): string {
  const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string }
  if (code === 'ENOENT') return 'there is no Go on the PATH'
  return stderr?.trim().split('\n').at(-1) || message
}
