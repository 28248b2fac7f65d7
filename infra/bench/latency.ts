import { findFreePort } from '@wangian/kit/free-port.ts'
import { openSocketTarget, type SocketTarget } from '../load/socket-target.ts'
import { repositoryRoot } from '../local/config.ts'
import { launchService } from '../local/processes/service-process.ts'
import type { Design } from './contenders.ts'
import { type BenchOptions, interleave, type Turn } from './rounds.ts'
import { BIDDERS, type Site } from './site.ts'
import type { Samples } from './statistics.ts'
import type { BestSettings } from './throughput.ts'

const LOW_RATES_PER_S = [500, 1000]
const REFERENCE_RATE_PER_S = 1000
/** A step of the search is shorter than other measurements, as there are many. */
const STEP_FACTOR = 0.7
/** Each about a quarter above the one before; the search ends at the first two in a row that are too slow. */
const LADDER_PER_S = [
  1000, 2000, 3000, 4000, 5000, 6500, 8000, 10_000, 12_500, 16_000, 20_000, 25_000, 32_000, 40_000, 50_000,
]

export const latencyName = (who: string, ratePerS: number, quantile: 'p50' | 'p99') =>
  `${who}, ${ratePerS}/s, ${quantile} ms`
export const HIGHEST_RATE = "highest rate with the row lock's p99 at 1,000/s"

/**
 * G2 and G2b. Here the contenders stand behind sockets, too, in a process of their own as people would build it: a latency without the
 * way to the bidder is nobody's latency.
 */
export async function measureLatencies(
  site: Site,
  best: BestSettings,
  samples: Samples,
  options: BenchOptions & { readonly isClimbing: boolean },
): Promise<void> {
  const rowLock = await openBehindSockets(site, 'row-lock', best)
  const statement = await openBehindSockets(site, 'single-statement', best)
  try {
    const contenderTurns = [
      { who: 'row lock', target: rowLock.target },
      { who: 'single statement', target: statement.target },
    ].map(
      ({ who, target }): Turn =>
        async () => {
          for (const ratePerS of LOW_RATES_PER_S) {
            const ids = await site.openContenderAuctions(1)
            await site.rest()
            const { p50Ms, p99Ms } = await site.measure('contender', target, ids, { ratePerS }, options.measureMs)
            samples.add(latencyName(who, ratePerS, 'p50'), p50Ms)
            samples.add(latencyName(who, ratePerS, 'p99'), p99Ms)
          }
        },
    )
    const ours: Turn = async () => {
      for (const ratePerS of LOW_RATES_PER_S) {
        const { p50Ms, p99Ms } = await measureOursAt(site, ratePerS, options.measureMs)
        samples.add(latencyName('whole way', ratePerS, 'p50'), p50Ms)
        samples.add(latencyName('whole way', ratePerS, 'p99'), p99Ms)
      }
    }
    // Last in each round: its limit is what the row lock needed in the same round.
    const climb: Turn = async (_, round) => {
      const limitMs = samples.of(latencyName('row lock', REFERENCE_RATE_PER_S, 'p99'))[round] ?? Number.NaN
      samples.add(HIGHEST_RATE, await highestRate(site, limitMs, options))
    }
    await interleave(
      [
        async (given, round) => {
          for (const turn of [...contenderTurns, ours]) await turn(given, round)
          if (options.isClimbing) await climb(given, round)
        },
      ],
      samples,
      options,
    )
  } finally {
    await rowLock.close()
    await statement.close()
  }
}

async function highestRate(site: Site, limitMs: number, { measureMs, log }: BenchOptions): Promise<number> {
  let highest = 0
  let failuresInARow = 0
  for (const ratePerS of LADDER_PER_S) {
    const { p99Ms, keptUp } = await measureOursAt(site, ratePerS, measureMs * STEP_FACTOR)
    const isGood = p99Ms <= limitMs && keptUp
    log(
      `  ${ratePerS}/s: p99 ${p99Ms.toFixed(1)} ms of ${limitMs.toFixed(1)} allowed${keptUp ? '' : ', not as planned'}`,
    )
    if (isGood) highest = ratePerS
    failuresInARow = isGood ? 0 : failuresInARow + 1
    if (failuresInARow === 2) break
  }
  return highest
}

async function measureOursAt(site: Site, ratePerS: number, durationMs: number) {
  const ids = await site.rig.opened.open(1)
  await site.rest()
  const result = await site.measure('ours', site.sockets, ids, { ratePerS }, durationMs)
  return {
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    // Bids that overtook each other on their sockets are refused as too low; more of them would be a measurement of something else.
    // Otherwise something else was measured: a generator that is late, or bids that overtook each other and were too low.
    keptUp: result.offeredPerS > ratePerS * 0.97 && result.refused * 10 < result.accepted && result.unanswered === 0,
  }
}

async function openBehindSockets(
  site: Site,
  design: Design,
  best: BestSettings,
): Promise<{ target: SocketTarget; close(): Promise<void> }> {
  const port = await findFreePort()
  const server = launchService({
    args: [
      new URL('./contender-server.ts', import.meta.url).pathname,
      String(port),
      design,
      String(best[design].hot.connections),
      site.contenderUrl,
    ],
    workingDirectory: repositoryRoot,
    environment: {},
    url: `http://127.0.0.1:${port}`,
    onLine: (line) => console.error(`${design}: ${line}`),
  })
  await server.ready
  const tokens = Array.from({ length: BIDDERS }, (_, index) => ({ userId: index + 1, token: 'believed' }))
  const target = await openSocketTarget({ url: `ws://127.0.0.1:${port}/ws`, tokens })
  return {
    target,
    async close() {
      await target.close()
      await server.stop()
    },
  }
}
