import { openWatchers } from '../load/watchers.ts'
import type { Contender, Design } from './contenders.ts'
import { type BenchOptions, interleave, type Turn } from './rounds.ts'
import { BIDDERS, MANY_IN_FLIGHT, type Site } from './site.ts'
import type { Samples } from './statistics.ts'

export type Lots = 'hot' | 'many'
export const LOTS_MANY = 1000
const POOL_SIZES = [1, 2, 4, 8, 16, 64]
const SWEEP_MS = 700
const WATCHERS = [100, 1000]
const OUR_LOADS = [MANY_IN_FLIGHT, 2 * MANY_IN_FLIGHT, 3 * MANY_IN_FLIGHT]

/** How many connections a contender has, and how many bids it is given at a time. */
interface Setting {
  readonly connections: number
  readonly inFlight: number
}
export type BestSettings = Readonly<Record<Design, Readonly<Record<Lots, Setting>>>> & {
  /** How many bids in flight suit the whole way best. */
  readonly ours: Readonly<Record<Lots, number>>
}

/** Finds the pool size and the load with which each contender, and we, do best: each is measured with those. */
export async function findBestSettings(
  site: Site,
  kinds: readonly Lots[],
  { log }: BenchOptions,
): Promise<BestSettings> {
  const none = { connections: 0, inFlight: BIDDERS }
  const best = { 'row-lock': { hot: none, many: none }, 'single-statement': { hot: none, many: none } }
  for (const design of ['row-lock', 'single-statement'] as const) {
    for (const lots of kinds) {
      let bestPerS = 0
      const measure = async (setting: Setting) => {
        const perS = await measureContender(site, design, setting, lots, SWEEP_MS)
        if (perS <= bestPerS) return
        bestPerS = perS
        best[design][lots] = setting
      }
      for (const connections of POOL_SIZES) await measure({ connections, inFlight: BIDDERS })
      await measure({ ...best[design][lots], inFlight: MANY_IN_FLIGHT })
      const { connections, inFlight } = best[design][lots]
      const name = `${design}, ${lots === 'hot' ? 'hot lot' : '1,000 lots'}`
      log(`${name}: best with ${connections} connections and ${inFlight} in flight`)
    }
  }
  const ours = { hot: MANY_IN_FLIGHT, many: MANY_IN_FLIGHT }
  for (const lots of kinds) {
    let bestPerS = 0
    for (const inFlight of OUR_LOADS) {
      const perS = await measureOurs(site, lots, inFlight, SWEEP_MS)
      if (perS <= bestPerS) continue
      bestPerS = perS
      ours[lots] = inFlight
    }
    log(`whole way, ${lots === 'hot' ? 'hot lot' : '1,000 lots'}: best with ${ours[lots]} in flight`)
  }
  return { ...best, ours }
}

/** Names under which rates are kept: accepted and durable per second. */
export const rateName = (who: string, lots: Lots) => `${who}, ${lots === 'hot' ? 'hot lot' : '1,000 lots'}`

export const OURS = `whole way, ${BIDDERS} in flight`
export const OURS_BUSY = 'whole way'
export const BOOK = 'book in process'

/** G1, G1b and, with `lots` both, G1d: the contenders, our book in this process, and our whole way. */
export async function measureRates(
  site: Site,
  best: BestSettings,
  lots: readonly Lots[],
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  const { measureMs } = options
  const turns = lots.flatMap((kind): Turn[] => [
    async () => {
      const perS = await measureContender(site, 'row-lock', best['row-lock'][kind], kind, measureMs)
      samples.add(rateName('row lock', kind), perS)
    },
    async () => {
      const perS = await measureContender(site, 'single-statement', best['single-statement'][kind], kind, measureMs)
      samples.add(rateName('single statement', kind), perS)
    },
    async () => {
      const ids = await site.book.open(countOf(kind))
      const result = await site.measure('book', site.book, ids, { inFlight: BIDDERS }, measureMs)
      samples.add(rateName(BOOK, kind), result.acceptedPerS)
    },
    async () => {
      samples.add(rateName(OURS, kind), await measureOurs(site, kind, BIDDERS, measureMs))
    },
    async () => {
      samples.add(rateName(OURS_BUSY, kind), await measureOurs(site, kind, best.ours[kind], measureMs))
    },
  ])
  await interleave(turns, samples, options)
}

export const watchedName = (watchers: number) => `whole way, hot lot, ${watchers} watchers`

/** G3c: what a hot lot still takes while many watch it. */
export async function measureWatched(site: Site, samples: Samples, options: BenchOptions): Promise<void> {
  const turns = [0, ...WATCHERS].map(
    (count): Turn =>
      async () => {
        const ids = await site.rig.opened.open(1)
        await site.rest()
        const watchers = await openWatchers(site.rig.socketUrl, ids[0] ?? 0, count)
        const result = await site.measure('ours', site.sockets, ids, { inFlight: BIDDERS }, options.measureMs)
        if (watchers.closed > 0) options.log(`  ${watchers.closed} of ${count} watchers were closed as too slow`)
        await watchers.close()
        samples.add(watchedName(count), result.acceptedPerS)
        if (count > 0) samples.add(`frames/s to ${count} watchers`, (watchers.frames / options.measureMs) * 1000)
      },
  )
  await interleave(turns, samples, options)
}

export async function measureOurs(site: Site, lots: Lots, inFlight: number, durationMs: number): Promise<number> {
  const ids = await site.rig.opened.open(countOf(lots))
  await site.rest()
  const target = await site.socketsFor(inFlight)
  return (await site.measure('ours', target, ids, { inFlight }, durationMs)).acceptedPerS
}

async function measureContender(
  site: Site,
  design: Design,
  { connections, inFlight }: Setting,
  lots: Lots,
  durationMs: number,
): Promise<number> {
  const ids = await site.openContenderAuctions(countOf(lots))
  await site.rest()
  const contender: Contender = site.openContender(design, connections)
  try {
    return (await site.measure('contender', contender, ids, { inFlight }, durationMs)).acceptedPerS
  } finally {
    await contender.close()
  }
}

function countOf(lots: Lots): number {
  return lots === 'hot' ? 1 : LOTS_MANY
}
