import { parseArgs } from 'node:util'
import { fuzzFrames } from './frames-fuzzer.ts'
import { fuzzRoutes } from './routes-fuzzer.ts'
import { type FuzzSite, type Memory, startFuzzSite } from './site.ts'

const USAGE = 'Usage: npm run fuzz -- --seconds N [--seed S]'
/** Shown of all that was found; one cause is often found a thousand times. */
const FAULTS_SHOWN_MAX = 40
/** When memory is looked at, as parts of the whole duration. What grows after the first is not caches that fill. */
const LOOKS = [0.4, 0.6, 0.8, 1] as const
/** How much more may be on a heap at the last look than at the one before which had most: a tenth, and what one look differs from another by. */
const GROWTH_MAX = { share: 0.1, bytes: 4 * 1024 * 1024 } as const
const MIB = 1024 * 1024

const { seconds, seed } = readOptions()
const site = await startFuzzSite()
let failures = 0
try {
  failures = await run(site)
} finally {
  await site.stop()
}
process.exitCode = failures === 0 ? 0 : 1

async function run(site: FuzzSite): Promise<number> {
  const startMs = performance.now()
  const elapsed = () => (performance.now() - startMs) / 1000 / seconds
  const faults = new Set<string>()
  const looks: ReadonlyMap<string, Memory>[] = []
  let [requests, frames] = [0, 0]
  for (let round = seed; elapsed() < 1 || looks.length < LOOKS.length; round++) {
    const overHttp = await fuzzRoutes(site, round)
    const overSockets = await fuzzFrames(site, round)
    requests += overHttp.requests
    frames += overSockets.frames
    for (const fault of [...overHttp.faults, ...overSockets.faults]) {
      if (faults.size < FAULTS_SHOWN_MAX && !faults.has(fault)) console.error(`${fault}\n`)
      faults.add(fault)
    }
    if (elapsed() >= (LOOKS[looks.length] ?? 1)) looks.push(await site.measureMemory())
  }
  await site.requireHealth()
  const grown = [...site.system.services.keys()].filter((name) => {
    const heaps = looks.map((look) => look.get(name) as Memory)
    for (const [index, { heapBytes, rssBytes }] of heaps.entries()) {
      console.log(`${name} at ${LOOKS[index]}: heap ${mib(heapBytes)}, rss ${mib(rssBytes)}`)
    }
    return hasGrown(heaps.map(({ heapBytes }) => heapBytes))
  })
  for (const name of grown) console.error(`${name} holds more and more`)
  console.log(`${requests} requests and ${frames} frames from seed ${seed} on; ${faults.size} faults`)
  return faults.size + grown.length
}

/** What a leak does: the last look has more than all before, by more than chance. */
function hasGrown(heaps: readonly number[]): boolean {
  const before = Math.max(...heaps.slice(0, -1))
  return (heaps.at(-1) ?? 0) > before * (1 + GROWTH_MAX.share) + GROWTH_MAX.bytes
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`
}

function readOptions(): { seconds: number; seed: number } {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
  const [seconds, seed] = [Number(values.seconds), Number(values.seed ?? Date.now() % 1_000_000_000)]
  if (seconds > 0 && Number.isSafeInteger(seed)) return { seconds, seed }
  console.error(USAGE)
  process.exit(2)
}
