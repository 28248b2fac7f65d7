import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, printLine, run } from './child.ts'
import { ensureChromium } from './chromium.ts'
import { readTestConfig, rootDirectory } from './config.ts'
import { addTallies, type Tally, tallyPlaywright, tallyRun, tallyVitest } from './tally.ts'

const MINUTE_MS = 60_000
const CHECK_TIMEOUT_MS = 3 * MINUTE_MS
const VITEST_TIMEOUT_MS = 10 * MINUTE_MS
const FAULTS_TIMEOUT_MS = 15 * MINUTE_MS
const BROWSER_TIMEOUT_MS = 15 * MINUTE_MS

const tool = (name: string) => join(rootDirectory, 'node_modules', '.bin', name)

/** The checks that read the sources and run none of them. Each is one passed or failed. */
const checks: readonly { name: string; program: string; args: readonly string[] }[] = [
  { name: 'types', program: tool('tsc'), args: ['--project', 'tsconfig.json'] },
  { name: 'types of web', program: tool('tsc'), args: ['--project', 'web/tsconfig.json'] },
  { name: 'lint and format', program: tool('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'import directions', program: process.execPath, args: ['infra/test/boundaries.ts'] },
  { name: 'unused code', program: tool('knip'), args: ['--no-config-hints'] },
]

/** Types, lint, import directions and unused code. */
export async function checkStage(): Promise<Tally> {
  const tallies: Tally[] = []
  for (const check of checks) {
    const outcome = await run({ ...base('check'), ...check, timeoutMs: CHECK_TIMEOUT_MS, output: 'on-failure' })
    const seconds = (outcome.durationMs / 1000).toFixed(1)
    printLine('check', `${outcome.ok ? 'passed' : 'FAILED'}  ${check.name}, ${seconds} s ${outcome.reason}`.trimEnd())
    tallies.push(outcome.ok ? { passed: 1, failed: [] } : { passed: 0, failed: [`check: ${check.name}`] })
  }
  return addTallies(tallies)
}

/** Unit, integration and web tests. `filters` are arguments for vitest: file names, or options such as `-t name`. */
export async function vitestStage(temporaryDirectory: string, filters: readonly string[]): Promise<Tally> {
  const projects = filters.length > 0 ? [] : ['--project=unit-integration', '--project=web']
  return await vitest('vitest', [...projects, ...filters], temporaryDirectory, VITEST_TIMEOUT_MS, filters.length > 0)
}

/** Tests that kill real processes. They measure time, so nothing else may run beside them. */
export async function faultsStage(temporaryDirectory: string): Promise<Tally> {
  return await vitest('faults', ['--project=faults'], temporaryDirectory, FAULTS_TIMEOUT_MS, false)
}

/** Journeys in a real browser against the whole system. */
export async function browserStage(temporaryDirectory: string): Promise<Tally> {
  const chromium = await ensureChromium(readTestConfig())
  if ('missing' in chromium) {
    printLine('browser', chromium.missing)
    return { passed: 0, failed: [`browser: ${chromium.missing}`] }
  }
  const web = join(rootDirectory, 'web')
  const playwright = join(web, 'node_modules', '.bin', 'playwright')
  if (!existsSync(playwright)) return { passed: 0, failed: ['browser: Playwright is not installed in web'] }
  const report = join(temporaryDirectory, 'browser.json')
  const artifacts = join(temporaryDirectory, 'browser-artifacts')
  const outcome = await run({
    ...base('browser'),
    program: playwright,
    args: ['test', '--forbid-only', '--reporter=list,json', `--output=${artifacts}`],
    cwd: web,
    env: { CHROMIUM_PATH: chromium.path, PLAYWRIGHT_JSON_OUTPUT_FILE: report, TMPDIR: temporaryDirectory },
    timeoutMs: BROWSER_TIMEOUT_MS,
  })
  return tallyRun('browser', report, tallyPlaywright, outcome)
}

async function vitest(
  label: string,
  args: readonly string[],
  temporaryDirectory: string,
  timeoutMs: number,
  filtered: boolean,
): Promise<Tally> {
  const report = join(temporaryDirectory, `${label}.json`)
  const outcome = await run({
    ...base(label),
    program: tool('vitest'),
    args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    env: { TMPDIR: temporaryDirectory },
    timeoutMs,
  })
  return tallyRun(label, report, (content) => tallyVitest(content, { filtered }), outcome)
}

function base(label: string): Pick<Command, 'label' | 'cwd' | 'output'> {
  return { label, cwd: rootDirectory, output: 'live' }
}
