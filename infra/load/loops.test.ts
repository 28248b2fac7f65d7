import { beforeEach, describe, expect, it } from 'vitest'
import { roundRobinPlan } from './bid-plan.ts'
import { Ledger } from './ledger.ts'
import { type BidTarget, closedLoop } from './loops.ts'

let ledger: Ledger
beforeEach(() => {
  ledger = new Ledger()
})

const loopOn = (target: BidTarget) => ({
  target,
  plan: roundRobinPlan([{ auctionId: 5, priceSen: 10_000 }], 500),
  ledger,
  durationMs: 300,
})

/** A target whose answers take so long. */
function answering(seq: number, afterMs: number): BidTarget {
  return { place: (_auctionId, _amountSen, done) => void setTimeout(done, afterMs, seq) }
}

describe('a closed loop', () => {
  it('measures how long accepted bids took', async () => {
    const { accepted, refused, unanswered, p50Ms, p99Ms } = await closedLoop({
      ...loopOn(answering(1, 5)),
      inFlight: 2,
    })
    expect(accepted).toBeGreaterThan(0)
    expect({ refused, unanswered }).toEqual({ refused: 0, unanswered: 0 })
    expect(ledger.count).toBeGreaterThanOrEqual(accepted)
    // A timer may fire up to a millisecond early.
    expect(p50Ms).toBeGreaterThan(4)
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
  })

  it('has no latency of refused bids', async () => {
    const result = await closedLoop({ ...loopOn(answering(0, 1)), inFlight: 1 })
    expect(result.refused).toBeGreaterThan(0)
    expect(result).toMatchObject({ accepted: 0, p50Ms: Number.NaN, p99Ms: Number.NaN })
  })
})
