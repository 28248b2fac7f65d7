import { type ExecFileException, execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { isAtLeast, natsVersionCurrent, natsVersionMin } from './nats-version.ts'

/** One way to come by nats-server: the path of a binary that runs, or undefined when this way leads nowhere. */
export interface NatsSource {
  readonly name: string
  obtain(log: (line: string) => void): Promise<string | undefined>
}

export interface NatsSearch {
  /** For the programs that are run; its PATH is where nats-server is looked for first. */
  readonly environment: NodeJS.ProcessEnv
  /** Where a copy of ours is kept between starts and shared between checkouts. */
  readonly cacheDirectory: string
  readonly isRoot: boolean
}

const releases = 'https://github.com/nats-io/nats-server/releases/download'
const answerTimeoutMs = 5000
const downloadTimeoutMs = 120_000
const buildTimeoutMs = 600_000
const packageTimeoutMs = 180_000
const binaryName = 'nats-server'

/**
 * The first binary that one of the sources has. A source that fails is only a reason to ask the next one.
 * @throws when none has, saying what to do
 */
export async function findNatsServer(sources: readonly NatsSource[], log: (line: string) => void): Promise<string> {
  const failures: string[] = []
  for (const source of sources) {
    try {
      const binary = await source.obtain(log)
      if (binary) return binary
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
      log(`${source.name}: ${reason}`)
      failures.push(`${source.name}: ${reason}`)
    }
  }
  throw new Error(
    [
      'nats-server was not found and could not be fetched.',
      ...failures.map((failure) => `  ${failure}`),
      `Install version ${natsVersionMin} or newer (apt-get install nats-server, brew install nats-server, or https://nats.io/download) so that it is on the PATH,`,
      'or give the address of a running one with JetStream in NATS_URL.',
    ].join('\n'),
  )
}

/** Every way there is, the cheap and trusted ones first. */
export function natsSources({ environment, cacheDirectory, isRoot }: NatsSearch): NatsSource[] {
  const cached = cachedBinary(cacheDirectory, natsVersionCurrent)
  const installed = searchPath(environment.PATH ?? '')
  return [
    { name: 'PATH', obtain: () => firstThatRuns(installed) },
    { name: 'cache', obtain: () => firstThatRuns([cached]) },
    { name: 'official release', obtain: (log) => download(cached, natsVersionCurrent, log) },
    { name: 'go install', obtain: (log) => build(cached, natsVersionCurrent, environment, log) },
    {
      name: 'system packages',
      obtain: async (log) => (isRoot ? installPackage(installed, environment, log) : undefined),
    },
  ]
}

/** The ways to this very version, for tests. None changes what is installed on the machine. */
export function natsSourcesOf(version: string, { environment, cacheDirectory, isRoot }: NatsSearch): NatsSource[] {
  const cached = cachedBinary(cacheDirectory, version)
  return [
    { name: 'cache', obtain: () => firstThatRuns([cached]) },
    { name: 'official release', obtain: (log) => download(cached, version, log) },
    { name: "Debian's package", obtain: (log) => unpackPackage(cached, version, isRoot, environment, log) },
    { name: 'go install', obtain: (log) => build(cached, version, environment, log) },
  ]
}

/** @returns the version of this nats-server, '2.9.10' for example; undefined when that is no nats-server */
export async function natsVersionOf(binary: string): Promise<string | undefined> {
  return /v(\d+\.\d+\.\d+)/.exec(await run(binary, ['--version'], answerTimeoutMs))?.[1]
}

function cachedBinary(cacheDirectory: string, version: string): string {
  return join(cacheDirectory, `${binaryName}-v${version}`)
}

/** Debian keeps nats-server where the PATH of an ordinary user does not lead. */
function searchPath(path: string): string[] {
  const folders = [...path.split(delimiter), '/usr/local/bin', '/usr/local/sbin', '/usr/sbin', '/opt/homebrew/bin']
  return [...new Set(folders.filter(Boolean))].map((folder) => join(folder, binaryName))
}

/** @throws when there are only servers that are too old */
async function firstThatRuns(candidates: readonly string[]): Promise<string | undefined> {
  const tooOld: string[] = []
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK)
    } catch {
      continue
    }
    const version = await natsVersionOf(candidate)
    if (version === undefined) continue
    if (isAtLeast(version, natsVersionMin)) return candidate
    tooOld.push(`${candidate} is version ${version}, and ${natsVersionMin} or newer is needed`)
  }
  if (tooOld.length > 0) throw new Error(tooOld.join('; '))
  return undefined
}

async function download(target: string, version: string, log: (line: string) => void): Promise<string | undefined> {
  const architecture = { x64: 'amd64', arm64: 'arm64', arm: 'arm7' }[process.arch as string]
  if (!architecture || !['linux', 'darwin'].includes(process.platform)) return undefined
  const name = `${binaryName}-v${version}-${process.platform}-${architecture}`
  const folder = `${releases}/v${version}`
  log(`downloading nats-server ${version} …`)
  const checksums = await fetchWithin(`${folder}/SHA256SUMS`, answerTimeoutMs)
  const expected = checksums
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/))
    .find(([, file]) => file === `${name}.tar.gz`)?.[0]
  if (!expected) throw new Error(`no checksum is published for ${name}.tar.gz`)
  const archive = await fetchWithin(`${folder}/${name}.tar.gz`, downloadTimeoutMs)
  const actual = createHash('sha256').update(archive).digest('hex')
  if (actual !== expected) throw new Error(`the checksum of ${name}.tar.gz is ${actual} and should be ${expected}`)
  return unpackInto(target, version, async (folder) => {
    writeFileSync(join(folder, 'archive.tar.gz'), archive)
    await run('tar', ['-xzf', join(folder, 'archive.tar.gz'), '-C', folder], downloadTimeoutMs)
    return join(folder, name, binaryName)
  })
}

async function build(
  target: string,
  version: string,
  environment: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<string | undefined> {
  if (!(await answers('go', ['version'], environment))) return undefined
  log(`building nats-server ${version} with Go (a minute or two) …`)
  return unpackInto(target, version, async (folder) => {
    await run('go', ['install', `github.com/nats-io/nats-server/v2@v${version}`], buildTimeoutMs, {
      // The compiler collects garbage less often so, and takes an eighth less time.
      environment: { GOGC: '400', ...environment, GOBIN: folder },
    })
    return join(folder, binaryName)
  })
}

async function installPackage(
  installed: readonly string[],
  environment: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<string | undefined> {
  const managers: [string, string[][]][] = [
    [
      'apt-get',
      [
        ['update', '-qq'],
        ['install', '-y', '-qq', '--no-install-recommends', binaryName],
      ],
    ],
    ['apk', [['add', '--no-cache', binaryName]]],
  ]
  for (const [manager, commands] of managers) {
    if (!(await answers(manager, ['--version'], environment))) continue
    log(`installing nats-server with ${manager} …`)
    for (const args of commands) {
      await run(manager, args, packageTimeoutMs, {
        environment: { ...environment, DEBIAN_FRONTEND: 'noninteractive' },
      })
    }
    return firstThatRuns(installed)
  }
  return undefined
}

/** Takes the binary out of Debian's package without installing it. */
async function unpackPackage(
  target: string,
  version: string,
  isRoot: boolean,
  environment: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<string | undefined> {
  if (!(await answers('apt-get', ['--version'], environment))) return undefined
  log(`fetching Debian's package of nats-server …`)
  if (isRoot) await run('apt-get', ['update', '-qq'], packageTimeoutMs, { environment })
  return unpackInto(target, version, async (folder) => {
    await run('apt-get', ['download', '-qq', binaryName], packageTimeoutMs, { environment, cwd: folder })
    const [archive] = readdirSync(folder)
    if (archive === undefined) throw new Error('apt-get downloaded nothing')
    await run('dpkg', ['-x', join(folder, archive), folder], packageTimeoutMs, { environment })
    return join(folder, 'usr', 'sbin', binaryName)
  })
}

/**
 * Makes the binary in a folder of its own and moves it into place when it runs, so that no half copy is ever used.
 * @throws when what was made is another version
 */
async function unpackInto(target: string, version: string, make: (folder: string) => Promise<string>): Promise<string> {
  mkdirSync(join(target, '..'), { recursive: true })
  const folder = mkdtempSync(`${target}.`)
  try {
    const made = await make(folder)
    chmodSync(made, 0o755)
    const madeVersion = await natsVersionOf(made)
    if (madeVersion !== version) throw new Error(`it is version ${madeVersion}, and ${version} was looked for`)
    renameSync(made, target)
    return target
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fetchWithin(url: string, timeoutMs: number): Promise<Buffer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.ok) return Buffer.from(await response.arrayBuffer())
    throw new Error(`status ${response.status}`)
  } catch (error) {
    // fetch itself only says "fetch failed"; the reason is in the cause.
    const { cause, message } = error as Error
    throw new Error(`${url}: ${cause instanceof Error ? cause.message : message}`, { cause: error })
  }
}

async function answers(command: string, args: string[], environment: NodeJS.ProcessEnv): Promise<boolean> {
  return run(command, args, answerTimeoutMs, { environment }).then(
    () => true,
    () => false,
  )
}

function run(
  command: string,
  args: string[],
  timeoutMs: number,
  { environment, cwd }: { environment?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: ExecFileException | null, output: string, errors: string) =>
      error ? reject(new Error(`${command}: ${errors.trim().split('\n').at(-1) || error.message}`)) : resolve(output)
    execFile(command, args, { timeout: timeoutMs, encoding: 'utf8', env: environment, cwd }, done)
  })
}
