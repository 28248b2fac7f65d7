import { type BenchOptions, interleave } from './rounds.ts'
import { MANY_IN_FLIGHT, type Site } from './site.ts'
import type { Samples } from './statistics.ts'

export const SATURATION = 'whole way, hot lot, saturated, answers/s'
export const OVERLOAD = 'whole way, hot lot, twice as many offered, answers/s'
export const OFFERED = 'offered then, bids/s'

/** G9: as many bids as it can take, then twice as many, whatever it says. What counts is durable answers. */
export async function measureOverload(site: Site, samples: Samples, options: BenchOptions): Promise<void> {
  await interleave(
    [
      async () => {
        const saturated = await site.rig.opened.open(1)
        await site.rest()
        const { acceptedPerS } = await site.measure(
          'ours',
          site.busySockets,
          saturated,
          { inFlight: MANY_IN_FLIGHT },
          options.measureMs,
        )
        samples.add(SATURATION, acceptedPerS)
        const overloaded = await site.rig.opened.open(1)
        await site.rest()
        const result = await site.measure(
          'ours',
          site.busySockets,
          overloaded,
          { ratePerS: acceptedPerS * 2 },
          options.measureMs,
        )
        samples.add(OVERLOAD, result.acceptedPerS)
        samples.add(OFFERED, result.offeredPerS)
      },
    ],
    samples,
    options,
  )
}
