import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { Outcome } from './child.ts'
import { rootDirectory } from './config.ts'

/** What a stage came to. Every failure has a name a person can look for in the output above, and how it begins. */
export interface Tally {
  readonly passed: number
  readonly failed: readonly string[]
}

export const emptyTally: Tally = { passed: 0, failed: [] }

export function addTallies(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
    failed: tallies.flatMap((tally) => tally.failed),
  }
}

const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
})

const REASON_LENGTH_MAX = 500

/** How an error begins, on one line: output above may be long gone when somebody reads the end. */
function because(error: string | undefined): string {
  const lines = stripVTControlCharacters(error ?? '')
    .split('\n')
    .map((line) => line.trim())
  const stack = lines.findIndex((line) => line.startsWith('at '))
  const text = lines
    .slice(0, stack === -1 ? lines.length : stack + 1)
    .filter((line) => line !== '')
    .join(' · ')
  return text === '' ? '' : ` — ${text.slice(0, REASON_LENGTH_MAX)}`
}

/**
 * Counts a report of vitest's json reporter. A file that could not be loaded counts as one failure, and so does a
 * skipped test, since it proves nothing; with `filtered` the skipped ones are those that the filter left out.
 */
export function tallyVitest(report: unknown, { filtered = false } = {}): Tally {
  const files = VitestReport.parse(report).testResults
  const failed: string[] = []
  let passed = 0
  for (const file of files) {
    const tests = file.assertionResults
    const name = relative(rootDirectory, file.name)
    for (const test of tests) {
      if (test.status === 'passed') passed += 1
      else if (test.status === 'failed') failed.push(`${name}: ${test.fullName}${because(test.failureMessages?.[0])}`)
      else if (!filtered) failed.push(`${name}: ${test.fullName} (${test.status}, not run)`)
    }
    if (file.status === 'failed' && tests.every((test) => test.status !== 'failed')) {
      failed.push(`${name}: the file failed outside its tests${because(file.message)}`)
    }
  }
  return { passed, failed }
}

const PlaywrightSpec = z.object({
  title: z.string(),
  file: z.string(),
  tests: z.array(
    z.object({
      status: z.string(),
      results: z.array(z.object({ error: z.object({ message: z.string().optional() }).optional() })).optional(),
    }),
  ),
})
interface PlaywrightSuite {
  readonly specs?: readonly z.infer<typeof PlaywrightSpec>[] | undefined
  readonly suites?: readonly PlaywrightSuite[] | undefined
}
/** Files hold groups, groups hold groups. */
const PlaywrightSuite: z.ZodType<PlaywrightSuite> = z.object({
  specs: z.array(PlaywrightSpec).optional(),
  suites: z.array(z.lazy(() => PlaywrightSuite)).optional(),
})
const PlaywrightReport = z.object({
  suites: z.array(PlaywrightSuite),
  errors: z.array(z.object({ message: z.string().optional() })),
})

/** Counts a report of Playwright's json reporter. Skipped counts as failed, and so does what passed only on a retry. */
export function tallyPlaywright(report: unknown): Tally {
  const { suites, errors } = PlaywrightReport.parse(report)
  const failed = errors.map((error) => `outside the tests: ${(error.message ?? 'unknown').split('\n')[0]}`)
  let passed = 0
  const walk = (suite: PlaywrightSuite) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        if (test.status === 'expected') passed += 1
        else {
          const error = test.results?.find(({ error }) => error !== undefined)?.error?.message
          const status = test.status === 'unexpected' ? '' : ` (${test.status})`
          failed.push(`${spec.file}: ${spec.title}${status}${because(error)}`)
        }
      }
    }
    for (const inner of suite.suites ?? []) walk(inner)
  }
  for (const suite of suites) walk(suite)
  return { passed, failed }
}

/**
 * Counts the report that a runner left at `path`, and adds what the report itself cannot say: there is none, it ran
 * nothing, or the runner failed although no test did.
 */
export function tallyRun(
  name: string,
  path: string,
  count: (report: unknown) => Tally,
  outcome: Pick<Outcome, 'ok' | 'reason' | 'lastLines'>,
): Tally {
  if (!existsSync(path)) return { passed: 0, failed: [`${name}: no report (${outcome.reason || 'it ran no tests'})`] }
  const tally = count(JSON.parse(readFileSync(path, 'utf8')))
  if (tally.passed + tally.failed.length === 0) return { passed: 0, failed: [`${name}: not one test ran`] }
  if (!outcome.ok && tally.failed.length === 0) {
    const ending = outcome.lastLines.map((line) => `\n    ${line}`).join('')
    return { ...tally, failed: [`${name}: ${outcome.reason}, though no test failed. Its output ended:${ending}`] }
  }
  return tally
}
