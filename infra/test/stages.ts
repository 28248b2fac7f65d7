import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildWeb } from '../local/builds/web-build.ts'
import { locateNatsServer, locateNatsServerOf } from '../local/servers/nats.ts'
import { natsVersionOf } from '../local/servers/nats-binary.ts'
import { isAtLeast, natsVersionCurrent, natsVersionMin } from '../local/servers/nats-version.ts'
import { type Command, printLine, run } from './child.ts'
import type { FoundChromium } from './chromium.ts'
import { readTestConfig, rootDirectory } from './config.ts'
import { chooseServers } from './containers.ts'
import { addTallies, type Tally, tallyPlaywright, tallyRun, tallyVitest } from './tally.ts'

const MINUTE_MS = 60_000
// These end what hangs: what takes ten minutes on a quiet machine has taken twice as long on one that others slowed. Checks wait for others besides.
const CHECK_TIMEOUT_MS = 10 * MINUTE_MS
const PREPARE_TIMEOUT_MS = 10 * MINUTE_MS
const VITEST_TIMEOUT_MS = 35 * MINUTE_MS
const NATS_TIMEOUT_MS = 20 * MINUTE_MS
const FAULTS_TIMEOUT_MS = 30 * MINUTE_MS
const BROWSER_TIMEOUT_MS = 40 * MINUTE_MS
/** How the names of the journeys of each half begin: those take equally long. */
const JOURNEY_HALVES = ['[a-elp]', '[^a-elp]']

const tool = (name: string) => join(rootDirectory, 'node_modules', '.bin', name)

/** The checks that read the sources and run none of them. Each is one passed or failed. */
const checks: readonly { name: string; program: string; args: readonly string[] }[] = [
  { name: 'types', program: tool('tsc'), args: ['--project', 'tsconfig.json'] },
  { name: 'types of web', program: tool('tsc'), args: ['--project', 'web/tsconfig.json'] },
  { name: 'lint and format', program: tool('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'import directions', program: process.execPath, args: ['packages/repository-rules/src/boundaries.ts'] },
  { name: 'unused code', program: tool('knip'), args: ['--no-config-hints'] },
]

/** Types, lint, import directions and unused code. Patient: nothing in them counts time. */
export async function checkStage(): Promise<Tally> {
  const tallies: Tally[] = []
  for (const check of checks) {
    const outcome = await run({
      ...{ ...base('check'), ...check, timeoutMs: CHECK_TIMEOUT_MS, output: 'on-failure' },
      isPatient: true,
    })
    const seconds = (outcome.durationMs / 1000).toFixed(1)
    printLine('check', `${outcome.ok ? 'passed' : 'FAILED'}  ${check.name}, ${seconds} s ${outcome.reason}`.trimEnd())
    tallies.push(outcome.ok ? { passed: 1, failed: [] } : { passed: 0, failed: [`check: ${check.name}`] })
  }
  return addTallies(tallies)
}

/**
 * Builds the web app as journeys have it, and fills a data directory with the demo, as patiently as the checks are run.
 * @returns the data directory; `undefined` where something failed: then each half makes its own, and says why it can not
 */
export async function prepareJourneys(temporaryDirectory: string): Promise<string | undefined> {
  const dataDirectory = join(readTestConfig().memoryDirectory ?? temporaryDirectory, 'demo-data')
  for (const args of [
    ['infra/docker/build-web.ts', '--dev-pages'],
    ['infra/test/make-demo-data.ts', dataDirectory],
  ]) {
    const command = { program: process.execPath, args, timeoutMs: PREPARE_TIMEOUT_MS, output: 'on-failure' } as const
    const { ok } = await run({ ...base('prepare'), ...command, isPatient: true })
    if (!ok) return undefined
  }
  return dataDirectory
}

/** Unit and integration tests. `filters` are arguments for vitest: file names, or options such as `-t name`; with any, all tests are looked through. */
export async function vitestStage(temporaryDirectory: string, filters: readonly string[]): Promise<Tally> {
  const projects = filters.length > 0 ? [] : ['--project=unit-integration']
  return await vitest('vitest', [...projects, ...filters], {
    temporaryDirectory,
    timeoutMs: VITEST_TIMEOUT_MS,
    filtered: filters.length > 0,
  })
}

/** Web tests, as patiently as the checks: nothing in them counts time either. */
export async function webStage(temporaryDirectory: string): Promise<Tally> {
  return await vitest('web', ['--project=web'], { temporaryDirectory, timeoutMs: VITEST_TIMEOUT_MS, isPatient: true })
}

/**
 * The tests of what uses NATS once more, on the oldest server that is supported and on a current one; the one that the tests of
 * `vitestStage` ran on is left out. A version that cannot be had here is a line in the output.
 */
export async function natsStage(temporaryDirectory: string): Promise<Tally> {
  const say = (line: string) => printLine('nats', line)
  const config = readTestConfig()
  const { usesContainers } = await chooseServers(config)
  const usual =
    usesContainers && config.natsBinary === undefined
      ? natsVersionCurrent
      : ((await natsVersionOf(config.natsBinary ?? (await locateNatsServer()))) ?? '')
  const others = [natsVersionMin, natsVersionCurrent].filter((version) =>
    version === natsVersionMin ? usual !== version : !isAtLeast(usual, version),
  )
  const tallies: Tally[] = []
  for (const version of others) {
    let binary: string
    try {
      binary = await locateNatsServerOf(version, say)
    } catch {
      say(`NOT TESTED on nats-server ${version}, which cannot be had here: the tests ran on ${usual} only`)
      continue
    }
    say(`the tests of what uses NATS, on nats-server ${version}`)
    const { passed, failed } = await vitest(`nats-${version}`, ['--project=unit-integration', ...natsTests()], {
      temporaryDirectory,
      timeoutMs: NATS_TIMEOUT_MS,
      env: { TEST_NATS_BINARY: binary, TEST_NATS_URL: '' },
    })
    tallies.push({ passed, failed: failed.map((name) => `on nats-server ${version}: ${name}`) })
  }
  return addTallies(tallies)
}

/** Those of whoever uses the client of NATS, which are parts of the kit and of the gateway: what a server does differently, it does to these. */
function natsTests(): string[] {
  return globSync('{packages/kit,services/gateway}/src/**/*.test.ts', { cwd: rootDirectory })
    .filter((path) => {
      const tested = join(rootDirectory, path.replace(/\.test\.ts$/, '.ts'))
      return existsSync(tested) && readFileSync(tested, 'utf8').includes("from '@nats-io/")
    })
    .sort()
}

/** Tests that kill real processes, and wait as long as it takes. */
export async function faultsStage(temporaryDirectory: string): Promise<Tally> {
  return await vitest('faults', ['--project=faults'], { temporaryDirectory, timeoutMs: FAULTS_TIMEOUT_MS })
}

/** Those that measure how long others need to take over, and tests that promise a time, so nothing else may run beside them. */
export async function timedStage(temporaryDirectory: string): Promise<Tally> {
  const projects = ['--project=timed-faults', '--project=timed']
  return await vitest('timed', projects, { temporaryDirectory, timeoutMs: FAULTS_TIMEOUT_MS })
}

/**
 * Journeys in a real browser against the whole system, half of them beside the other half, each half with a system of its own.
 * @param demoData the data directory that both begin with a copy of; without one they fill their own
 */
export async function browserStage(
  temporaryDirectory: string,
  chromium: FoundChromium,
  demoData: string | undefined,
): Promise<Tally> {
  if ('missing' in chromium) {
    printLine('browser', chromium.missing)
    return { passed: 0, failed: [`browser: ${chromium.missing}`] }
  }
  const web = join(rootDirectory, 'web')
  const playwright = join(web, 'node_modules', '.bin', 'playwright')
  if (!existsSync(playwright)) return { passed: 0, failed: ['browser: Playwright is not installed in web'] }
  // Once and not by each system.
  await buildWeb(rootDirectory, { withDevPages: true }, (line) => printLine('browser', line))
  const half = async (letters: string, index: number) => {
    const label = `browser-${index + 1}`
    const report = join(temporaryDirectory, `${label}.json`)
    const outcome = await run({
      ...base(label),
      program: playwright,
      args: [
        'test',
        `/e2e/${letters}[^/]*$`,
        '--forbid-only',
        '--reporter=list,json',
        `--output=${join(temporaryDirectory, `${label}-artifacts`)}`,
      ],
      cwd: web,
      env: {
        CHROMIUM_PATH: chromium.path,
        ...(demoData !== undefined && { E2E_DEMO_DATA: demoData }),
        PLAYWRIGHT_JSON_OUTPUT_FILE: report,
        TMPDIR: readTestConfig().memoryDirectory ?? temporaryDirectory,
      },
      timeoutMs: BROWSER_TIMEOUT_MS,
    })
    return tallyRun(label, report, tallyPlaywright, outcome)
  }
  return addTallies(await Promise.all(JOURNEY_HALVES.map(half)))
}

async function vitest(
  label: string,
  args: readonly string[],
  options: {
    readonly temporaryDirectory: string
    readonly timeoutMs: number
    /** Whether tests may be left out. */
    readonly filtered?: boolean
    readonly env?: Readonly<Record<string, string>>
    readonly isPatient?: boolean
  },
): Promise<Tally> {
  const { temporaryDirectory, timeoutMs, filtered = false, env = {}, isPatient = false } = options
  const report = join(temporaryDirectory, `${label}.json`)
  const outcome = await run({
    ...base(label),
    program: tool('vitest'),
    args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    env: { ...env, TMPDIR: temporaryDirectory },
    timeoutMs,
    isPatient,
  })
  return tallyRun(label, report, (content) => tallyVitest(content, { filtered }), outcome)
}

function base(label: string): Pick<Command, 'label' | 'cwd' | 'output'> {
  return { label, cwd: rootDirectory, output: 'live' }
}
