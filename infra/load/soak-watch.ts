import type { System } from '../local/system.ts'
import { usageOf } from './process-usage.ts'

const SAMPLE_EVERY_MS = 10_000
const SAMPLES_PER_LINE = 6
/** Before this a process has not yet reached the memory that it needs. */
const JUDGED_FROM_S = 600
const MB = 1024 * 1024
/** Over the second half memory may grow by a tenth, or so much where that is more. */
const MEMORY_GROWTH_SHARE = 0.1
const MEMORY_GROWTH_BYTES = 16 * MB
const READ_TIMEOUT_MS = 5000

/** What is watched beside memory: of all processes the highest, with how much it may grow over the second half. */
const lags = {
  wangian_relay_lag_seconds: { says: 'relay lag, s', growth: 1 },
  wangian_consumer_lag_seconds: { says: 'consumer lag, s', growth: 3 },
  wangian_consumer_waiting_events: { says: 'events that wait for their next try', growth: 5 },
  wangian_parked_events: { says: 'parked events', growth: 0.5 },
  wangian_auction_events_waiting: { says: 'events that wait for a commit', growth: 50 },
} as const
type Lag = keyof typeof lags

/** Memory by process, and lags, at one time. */
interface Sample {
  readonly atS: number
  readonly memoryBytes: ReadonlyMap<string, number>
  readonly lag: ReadonlyMap<Lag, number>
}

/** How something went over a soak. */
interface Course {
  readonly name: string
  /** After a quarter of the time, and at the end: the mean of some samples. */
  readonly early: number
  readonly late: number
  /** The slope over the second half, times that half. */
  readonly growth: number
  readonly growthMax: number
}

/** What became of memory and lag. */
export interface SoakResult {
  readonly courses: readonly Course[]
  readonly problems: readonly string[]
  readonly says: string
}

export interface SoakWatch {
  /** Ends the watch, and says how it went. */
  stop(): SoakResult
}

/** Watches the processes of a system: a sample every 10 s, a line every minute. */
export function watchSoak(system: System, log: (line: string) => void): SoakWatch {
  const samples: Sample[] = []
  const startedAtMs = performance.now()
  const take = async () => {
    const sample = await sampleOf(system, (performance.now() - startedAtMs) / 1000)
    samples.push(sample)
    if (samples.length % SAMPLES_PER_LINE === 0) log(lineOf(sample))
  }
  let taking = take()
  const timer = setInterval(() => {
    // A slow answer makes a later sample, not two at once.
    taking = taking.then(take)
  }, SAMPLE_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return judgeSoak(samples)
    },
  }
}

async function sampleOf(system: System, atS: number): Promise<Sample> {
  const memoryBytes = new Map<string, number>()
  const note = (name: string, pid: number | undefined, andChildren = false) => {
    const usage = pid === undefined ? undefined : usageOf(pid, { andChildren })
    if (usage !== undefined) memoryBytes.set(name, usage.memoryBytes)
  }
  for (const [name, { pid }] of system.services) note(name, pid)
  note('postgres', system.postgres?.pid, true)
  note('nats', system.nats?.pid)
  const lag = new Map<Lag, number>()
  const services = [...system.services.values()].filter(({ service }) => service !== 'gateway')
  const texts = await Promise.all(services.map(({ url }) => readMetrics(`${url}/metrics`)))
  for (const name of Object.keys(lags) as Lag[])
    lag.set(name, Math.max(0, ...texts.flatMap((text) => valuesOf(text, name))))
  return { atS, memoryBytes, lag }
}

async function readMetrics(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) })
    return await response.text()
  } catch {
    // The next sample says more.
    return ''
  }
}

function valuesOf(text: string, metric: string): number[] {
  const lines = text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)`, 'gm'))
  return [...lines].map(([, value]) => Number(value)).filter(Number.isFinite)
}

function lineOf({ atS, memoryBytes, lag }: Sample): string {
  const all = [...memoryBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
  const each = [...memoryBytes].map(([name, bytes]) => `${name} ${Math.round(bytes / MB)}`)
  const behind = [...lag].map(([name, value]) => `${lags[name].says.replace(/,.*/, '')} ${Number(value.toFixed(1))}`)
  return `${Math.round(atS / 60)} min: ${Math.round(all / MB)} MB (${each.join(', ')}); ${behind.join(', ')}`
}

/** Whether memory or lag grew. */
export function judgeSoak(samples: readonly Sample[]): SoakResult {
  const names = new Set(samples.flatMap(({ memoryBytes }) => [...memoryBytes.keys()]))
  const memory = [...names].map((name) => {
    const points = samples.flatMap(({ atS, memoryBytes }) => {
      const bytes = memoryBytes.get(name)
      return bytes === undefined ? [] : [{ atS, value: bytes / MB }]
    })
    return courseOf(`${name}, MB`, points, (mean) => Math.max(mean * MEMORY_GROWTH_SHARE, MEMORY_GROWTH_BYTES / MB))
  })
  const behind = (Object.keys(lags) as Lag[]).map((name) => {
    const points = samples.map(({ atS, lag }) => ({ atS, value: lag.get(name) ?? 0 }))
    return courseOf(lags[name].says, points, () => lags[name].growth)
  })
  const courses = [...memory, ...behind]
  const lastsS = samples.at(-1)?.atS ?? 0
  const bound = `Over the second half memory may grow by ${MEMORY_GROWTH_SHARE * 100} %, or ${MEMORY_GROWTH_BYTES / MB} MB where that is more`
  if (lastsS < JUDGED_FROM_S) {
    const says = `${bound}; less than ${JUDGED_FROM_S / 60} minutes say nothing of that, as processes take what they need only by and by.`
    return { courses, problems: [], says }
  }
  const problems = courses
    .filter(({ growth, growthMax }) => growth > growthMax)
    .map(
      ({ name, growth, growthMax }) =>
        `${name} grew by ${growth.toFixed(1)} over the second half, by ${growthMax.toFixed(1)} at most is allowed`,
    )
  return { courses, problems, says: `${bound}; lag by what is in the table.` }
}

function courseOf(
  name: string,
  points: readonly { readonly atS: number; readonly value: number }[],
  growthMaxOf: (mean: number) => number,
): Course {
  const mean = (some: typeof points) => some.reduce((sum, { value }) => sum + value, 0) / Math.max(1, some.length)
  const half = points.slice(Math.floor(points.length / 2))
  const few = Math.max(1, Math.floor(points.length / 20))
  const quarter = Math.floor(points.length / 4)
  const lastsS = (half.at(-1)?.atS ?? 0) - (half[0]?.atS ?? 0)
  return {
    name,
    early: mean(points.slice(quarter, quarter + few)),
    late: mean(points.slice(-few)),
    growth: slopeOf(half) * lastsS,
    growthMax: growthMaxOf(mean(half)),
  }
}

/** Of the line with the least squares, per second. */
function slopeOf(points: readonly { readonly atS: number; readonly value: number }[]): number {
  const count = points.length
  const meanS = points.reduce((sum, { atS }) => sum + atS, 0) / count
  const mean = points.reduce((sum, { value }) => sum + value, 0) / count
  const above = points.reduce((sum, { atS, value }) => sum + (atS - meanS) * (value - mean), 0)
  const below = points.reduce((sum, { atS }) => sum + (atS - meanS) ** 2, 0)
  return below === 0 ? 0 : above / below
}

/** A row for each process and lag, below headings. */
export function soakRows({ courses }: SoakResult): string[][] {
  return [
    ['', 'after a quarter', 'at the end', 'growth over the second half', 'at most'],
    ...courses.map(({ name, early, late, growth, growthMax }) => [
      name,
      ...[early, late, growth, growthMax].map((value) => value.toFixed(1)),
    ]),
  ]
}
