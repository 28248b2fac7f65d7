// npm run bench:auction [-- --quick] [-- --only=G1,G3]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { fanOutName, measureFanOut } from './fan-out.ts'
import { tellFigure } from './figures.ts'
import { type GoalName, goals } from './goals.ts'
import { LONG_HISTORY, measureHistory, RECOVERY, SHORT_HISTORY, SPREAD_1000, SPREAD_10000 } from './history.ts'
import { HIGHEST_RATE, latencyName, measureLatencies } from './latency.ts'
import { measureOverload, OVERLOAD, SATURATION } from './overload.ts'
import { goalsTable, type Report, reportPage } from './report.ts'
import type { BenchOptions } from './rounds.ts'
import { type Site, startSite } from './site.ts'
import { buildSlowFsync } from './slow-fsync.ts'
import { median, Samples } from './statistics.ts'
import {
  type BestSettings,
  findBestSettings,
  type Lots,
  measureOurs,
  measureRates,
  measureWatched,
  OURS,
  OURS_BUSY,
  rateName,
  watchedName,
} from './throughput.ts'

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const wanted = flags.only.split(',').filter((name) => name !== '')
const isWanted = (...ids: string[]) => wanted.length === 0 || ids.some((id) => wanted.includes(id))

const FSYNC_DELAY_US = 1000
const WARM_UP_MS = 1500
const ROUNDS_WITHOUT_GOAL = 3
const startedAtMs = performance.now()
const options: BenchOptions = {
  rounds: flags.quick ? 3 : 5,
  measureMs: flags.quick ? 1000 : 1500,
  log: (line) => console.log(`${`${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`.padStart(6)}  ${line}`),
}

process.once('SIGINT', () => process.exit(130))

const measured = new Map<GoalName, readonly number[]>()
const samples = new Map<string, Samples>()
const notes: string[] = []
const problems: string[] = []
let postgresVersion = ''

if (isWanted('G1', 'G1b', 'G1d', 'G2', 'G2b', 'G3c', 'G4', 'G5', 'G9')) await measureOnFastDisk()
if (isWanted('G3')) await measureRooms()
if (isWanted('G1c')) await measureOnSlowDisk()

const report: Report = { measured, samples, notes, problems, rounds: options.rounds, postgresVersion }
console.log(`\n${goalsTable(report)}\n`)
for (const [name, values] of measured) {
  const { id, says, unit, isMore } = goals[name]
  if (id !== '') tellFigure({ name: `auction: ${id}, ${says}`, value: median(values), unit, isMore })
}
for (const note of notes) console.log(note)
for (const problem of problems) console.log(`PROBLEM: ${problem}`)
if (wanted.length === 0 && !flags.quick) {
  writeFileSync(new URL('./results.md', import.meta.url), reportPage(report))
  console.log('Written to infra/bench/results.md.')
} else console.log(reportPage(report))
process.exit(problems.length === 0 ? 0 : 1)

async function measureOnFastDisk(): Promise<void> {
  await onSite(undefined, async (site) => {
    postgresVersion = await versionOf(site)
    if (isWanted('G1', 'G1b', 'G1d', 'G2', 'G2b')) {
      const lots: readonly Lots[] = isWanted('G1d') ? ['hot', 'many'] : ['hot']
      const best = await findBestSettings(site, lots, options)
      if (isWanted('G1', 'G1b', 'G1d')) await measureThroughput(site, best, lots)
      if (isWanted('G2', 'G2b')) await measureLatency(site, best)
    }
    if (isWanted('G3c')) {
      const rates = section('A hot lot with watchers, accepted bids/s')
      await measureWatched(site, rates, options)
      measured.set('G3c', percent(rates.ratios(watchedName(1000), watchedName(0))))
    }
    if (isWanted('G9')) {
      const rates = section('Overload')
      await measureOverload(site, rates, options)
      measured.set('G9', percent(rates.ratios(OVERLOAD, SATURATION)))
    }
    if (isWanted('G4', 'G5')) {
      const rates = section('Long history and many open lots')
      await measureHistory(site, { g4: isWanted('G4'), g5: isWanted('G5') }, rates, options)
      measured.set('G4Cost', rates.ratios(SHORT_HISTORY, LONG_HISTORY))
      measured.set('G4Kept', rates.ratios(SPREAD_10000, SPREAD_1000))
      measured.set('G5', rates.of(RECOVERY))
    }
  })
}

async function measureThroughput(site: Site, best: BestSettings, lots: readonly Lots[]): Promise<void> {
  const rates = section('Accepted, durable bids/s')
  await measureRates(site, best, lots, rates, options)
  const against = (ours: string, contender: string, kind: Lots) =>
    rates.ratios(rateName(ours, kind), rateName(contender, kind))
  measured.set('G1', against(OURS_BUSY, 'row lock', 'hot'))
  measured.set('G1Fewer', against(OURS, 'row lock', 'hot'))
  measured.set('G1b', against(OURS_BUSY, 'single statement', 'hot'))
  measured.set('G1bFewer', against(OURS, 'single statement', 'hot'))
  measured.set('G1dRowLock', against(OURS_BUSY, 'row lock', 'many'))
  measured.set('G1dRowLockFewer', against(OURS, 'row lock', 'many'))
  measured.set('G1dStatement', against(OURS_BUSY, 'single statement', 'many'))
  measured.set('G1dStatementFewer', against(OURS, 'single statement', 'many'))
}

async function measureLatency(site: Site, best: BestSettings): Promise<void> {
  const latencies = section('Latencies behind sockets, open loop, ms')
  await measureLatencies(site, best, latencies, { ...options, isClimbing: true })
  measured.set(
    'G2',
    latencies.of(HIGHEST_RATE).map((ratePerS) => ratePerS / 1000),
  )
  const ratios = [500, 1000].map((ratePerS) =>
    latencies.ratios(latencyName('whole way', ratePerS, 'p50'), latencyName('single statement', ratePerS, 'p50')),
  )
  // The worse of the two rates counts.
  const [slow = [], fast = []] = ratios
  measured.set(
    'G2b',
    slow.map((ratio, round) => Math.max(ratio, fast[round] ?? ratio)),
  )
}

async function measureRooms(): Promise<void> {
  const deliveries = section('Fan-out to 1,000 sockets')
  await measureFanOut(deliveries, options)
  measured.set('G3', deliveries.ratios(fanOutName('hub', 1), fanOutName('bare', 1)))
  measured.set('G3Tick', deliveries.ratios(fanOutName('hub', 8), fanOutName('bare', 8)))
}

async function measureOnSlowDisk(): Promise<void> {
  const slow = buildSlowFsync(FSYNC_DELAY_US)
  if (slow === null) {
    notes.push('G1c was not measured: it needs a C compiler (cc) to build the library that delays fsync.')
    return
  }
  try {
    await onSite(slow.environment, async (site) => {
      const commitMs = await commitLatencyMs(site)
      if (commitMs < FSYNC_DELAY_US / 1000) throw new Error(`a commit takes ${commitMs} ms: fsync was not delayed`)
      const best = await findBestSettings(site, ['hot', 'many'], options)
      const rates = section('With 1 ms more per fsync: accepted, durable bids/s')
      await measureRates(site, best, ['hot', 'many'], rates, options)
      measured.set('G1c', rates.ratios(rateName(OURS_BUSY, 'hot'), rateName('row lock', 'hot')))
      measured.set('G1cFewer', rates.ratios(rateName(OURS, 'hot'), rateName('row lock', 'hot')))
      if (!flags.quick) {
        // No goal is set on these; they are here to be looked at.
        const fewer = { ...options, rounds: ROUNDS_WITHOUT_GOAL, isClimbing: false }
        await measureLatencies(site, best, section('With 1 ms more per fsync: latencies behind sockets, ms'), fewer)
        await measureWatched(site, section('With 1 ms more per fsync: a hot lot with watchers, accepted bids/s'), fewer)
      }
      notes.push(`With the delayed fsync one commit of one connection takes ${commitMs.toFixed(2)} ms.`)
    })
  } finally {
    slow.remove()
  }
}

async function onSite(postgresEnvironment: NodeJS.ProcessEnv | undefined, work: (site: Site) => Promise<void>) {
  const site = await startSite({ log: options.log, ...(postgresEnvironment && { postgresEnvironment }) })
  try {
    options.log('warming up')
    await measureOurs(site, 'hot', 128, WARM_UP_MS)
    await work(site)
  } finally {
    problems.push(...site.problems)
    await site.close()
  }
}

/** The median time of a commit that writes one row, on a connection of its own. */
async function commitLatencyMs(site: Site): Promise<number> {
  const client = new Client({ connectionString: site.contenderUrl })
  await client.connect()
  try {
    await client.query('create table commits (number int)')
    const tookMs: number[] = []
    for (let number = 0; number < 50; number++) {
      const sentAtMs = performance.now()
      await client.query('insert into commits values ($1)', [number])
      tookMs.push(performance.now() - sentAtMs)
    }
    return median(tookMs)
  } finally {
    await client.end()
  }
}

async function versionOf(site: Site): Promise<string> {
  const client = new Client({ connectionString: site.contenderUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? ''
  } finally {
    await client.end()
  }
}

function section(title: string): Samples {
  const created = new Samples()
  samples.set(title, created)
  return created
}

function percent(ratios: readonly number[]): number[] {
  return ratios.map((ratio) => ratio * 100)
}
