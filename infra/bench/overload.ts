import { type BenchOptions, interleave } from './rounds.ts'
import { BIDDERS, MANY_IN_FLIGHT, type Site } from './site.ts'
import type { Samples } from './statistics.ts'

export const SATURATION = 'whole way, saturated, accepted/s'
export const OVERLOAD = 'whole way, twice as many offered, accepted/s'
const OFFERED = 'offered then, bids/s'

/**
 * G9: as many bids as it can take, then twice as many, whatever it says. What counts is durable answers. Each bidder has a lot of his
 * own: where bids on one lot queue on many sockets, they arrive in another order than they were sent in, and then most are too low.
 */
export async function measureOverload(site: Site, samples: Samples, options: BenchOptions): Promise<void> {
  const { measureMs } = options
  await interleave(
    [
      async () => {
        const target = site.orderedSockets
        const saturated = await site.rig.opened.open(BIDDERS)
        await site.rest()
        const { acceptedPerS } = await site.measure('ours', target, saturated, { inFlight: MANY_IN_FLIGHT }, measureMs)
        samples.add(SATURATION, acceptedPerS)
        const overloaded = await site.rig.opened.open(BIDDERS)
        await site.rest()
        const result = await site.measure('ours', target, overloaded, { ratePerS: acceptedPerS * 2 }, measureMs)
        samples.add(OVERLOAD, result.acceptedPerS)
        samples.add(OFFERED, result.offeredPerS)
      },
    ],
    samples,
    options,
  )
}
