// `npm test`: every check and every test, and then one line that says how many passed and how many failed.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { locateNatsServer } from '../local/servers/nats.ts'
import { printLine, stopAll } from './child.ts'
import { ensureChromium } from './chromium.ts'
import { announceMemoryDirectory, readTestConfig } from './config.ts'
import { makeMemoryDirectory } from './memory-directory.ts'
import { parseRunOptions, type Stage } from './options.ts'
import {
  browserStage,
  checkStage,
  faultsStage,
  natsStage,
  prepareJourneys,
  timedStage,
  vitestStage,
  webStage,
} from './stages.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'

const REMOVE_TRIES_MAX = 20
const REMOVE_PAUSE_MS = 250

const options = parseRunOptions(process.argv.slice(2))
if ('usage' in options) {
  console.error(options.usage)
  process.exit(2)
}

const startedAtMs = performance.now()
// Reports, databases, browser traces: whatever a run writes goes here and not into the tree.
const temporaryDirectory = mkdtempSync(join(tmpdir(), 'wangian-test-'))
// Postgres runs as another user when we are root, and its data lies inside.
chmodSync(temporaryDirectory, 0o755)
const memoryDirectory = makeMemoryDirectory()
if (memoryDirectory !== undefined) {
  chmodSync(memoryDirectory, 0o755)
  announceMemoryDirectory(memoryDirectory)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop(signal))

const tally = addTallies(await runStages(new Set(options.stages), options.vitestFilters))
for (const name of tally.failed) console.log(`FAILED  ${stripVTControlCharacters(name)}`)
await removeDirectory(memoryDirectory)
if (tally.failed.length === 0) await removeDirectory(temporaryDirectory)
else console.log(`Reports and traces are in ${temporaryDirectory}`)
console.log(`Took ${Math.round((performance.now() - startedAtMs) / 1000)} s`)
process.exitCode = tally.failed.length === 0 ? 0 : 1
console.log(`${tally.passed} passed, ${tally.failed.length} failed`)

/**
 * Two cores are kept busy: beside the unit and integration tests, which wait a good deal, run the fault tests that promise no time. Those
 * that measure wait even more, and beside them runs what takes only what they leave: the web tests, the checks, and what the journeys begin
 * with. Those have the machine for themselves.
 */
async function runStages(wanted: ReadonlySet<Stage>, filters: readonly string[]): Promise<Tally[]> {
  // With a filter, the first vitest run looks through all of its projects.
  const wantsAll = wanted.has('vitest') && filters.length === 0
  // One after the other, for both may install packages. The browser is there long before the journeys.
  if (wanted.has('vitest')) await fetchNats()
  const chromium = wanted.has('browser') ? ensureChromium(readTestConfig()) : undefined
  const tests = wanted.has('vitest') ? [settle('vitest', vitestStage(temporaryDirectory, filters))] : []
  if (wantsAll) {
    tests.push(settle('faults', faultsStage(temporaryDirectory)))
    // Takes the place of whichever is through first.
    tests.push(Promise.race(tests).then(() => settle('nats', natsStage(temporaryDirectory))))
  }
  const tallies = await Promise.all(tests)
  const patient = async () => {
    const web = wantsAll ? await settle('web', webStage(temporaryDirectory)) : emptyTally
    const checks = wanted.has('check') ? await settle('check', checkStage()) : emptyTally
    const demoData = wanted.has('browser') ? await prepareJourneys(temporaryDirectory) : undefined
    return { patientTallies: [web, checks], demoData }
  }
  const timed = wantsAll ? settle('timed', timedStage(temporaryDirectory)) : emptyTally
  const [timedTally, { patientTallies, demoData }] = await Promise.all([timed, patient()])
  tallies.push(timedTally, ...patientTallies)
  if (chromium) tallies.push(await settle('browser', browserStage(temporaryDirectory, await chromium, demoData)))
  return tallies
}

/** Before two stages want it, so that they do not fetch and build it twice. They say themselves what is wrong when it cannot be had. */
async function fetchNats(): Promise<void> {
  if (readTestConfig().natsBinary === undefined) {
    await locateNatsServer((line) => printLine('start', line)).catch(() => {})
  }
}

/** A stage that breaks is one failure; the last line is printed all the same. */
async function settle(name: string, stage: Promise<Tally>): Promise<Tally> {
  try {
    return await stage
  } catch (error) {
    console.error(error)
    return { passed: 0, failed: [`${name}: ${(error as Error).message}`] }
  }
}

async function stop(signal: NodeJS.Signals): Promise<never> {
  await stopAll()
  await removeDirectory(memoryDirectory)
  await removeDirectory(temporaryDirectory)
  console.error(`Stopped by ${signal}`)
  process.exit(128 + constants.signals[signal])
}

/** Servers that are just stopping still write: it takes a few tries. What is left then fails nobody's test. */
async function removeDirectory(directory: string | undefined): Promise<void> {
  if (directory === undefined) return
  for (let tries = 0; tries < REMOVE_TRIES_MAX && existsSync(directory); tries += 1) {
    if (tries > 0) await wait(REMOVE_PAUSE_MS)
    try {
      rmSync(directory, { recursive: true, force: true })
    } catch (error) {
      if (tries === REMOVE_TRIES_MAX - 1) console.error(`Could not remove ${directory}: ${error}`)
    }
  }
}
