import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nowMs } from '../testing/fixtures.ts'
import { Simulation, type Step } from '../testing/simulation.ts'

beforeEach(() => vi.useFakeTimers({ now: nowMs }))
afterEach(() => vi.useRealTimers())

const process = fc.nat({ max: 3 })
const auction = fc.constantFrom(0, 0, 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('bid' as const),
      process,
      auction,
      raise: fc.integer({ min: -1, max: 4 }),
      idNumber: fc.option(fc.nat({ max: 4 })),
      isPoison: fc.constantFrom(false, false, false, false, true),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      process,
      outcome: fc.constantFrom('finish', 'finish', 'finish', 'finish', 'fail', 'lose-written', 'lose-unwritten'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 100, 500, 1500, 4200) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('renew' as const), process }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), process, isWritten: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('takeover' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hand-over' as const), process, auction }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('late-arrival' as const), number: fc.nat({ max: 5 }) }) },
)

/** What random runs have found and what was mended since. */
const foundBefore: Step[][] = [
  // A bid that was parked while its process started joins a later copy of itself, and must not wait as long as that one may.
  [
    { kind: 'restart', process: 0, isWritten: false },
    { kind: 'bid', process: 0, auction: 0, raise: 0, idNumber: 3 },
    { kind: 'wait', ms: 1500 },
    { kind: 'answer', process: 0, outcome: 'fail' },
    { kind: 'answer', process: 0, outcome: 'finish' },
    { kind: 'renew', process: 0 },
    { kind: 'bid', process: 0, auction: 0, raise: 0, idNumber: 3 },
    { kind: 'answer', process: 0, outcome: 'finish' },
    { kind: 'wait', ms: 3001 },
  ],
  // A bid that was accepted before its process started again is repeated while the end of the auction is pending.
  [
    { kind: 'bid', process: 0, auction: 1, raise: 1, idNumber: 3 },
    { kind: 'answer', process: 0, outcome: 'finish' },
    { kind: 'restart', process: 0, isWritten: false },
    { kind: 'bid', process: 0, auction: 1, raise: 0, idNumber: 3 },
    { kind: 'answer', process: 0, outcome: 'finish' },
    { kind: 'bid', process: 0, auction: 1, raise: 3, idNumber: null },
    { kind: 'answer', process: 0, outcome: 'lose-unwritten' },
    { kind: 'bid', process: 0, auction: 0, raise: 0, idNumber: null },
    { kind: 'answer', process: 0, outcome: 'finish' },
    { kind: 'answer', process: 0, outcome: 'finish' },
    { kind: 'bid', process: 0, auction: 0, raise: 0, idNumber: null },
    { kind: 'answer', process: 0, outcome: 'finish' },
  ],
]

async function simulate(steps: readonly Step[]): Promise<Simulation> {
  vi.setSystemTime(nowMs)
  const simulation = new Simulation()
  try {
    await simulation.start()
    for (const next of steps) await simulation.take(next)
    await simulation.settleAndCheck()
  } finally {
    simulation.stop()
    vi.clearAllTimers()
  }
  return simulation
}

describe('any interleaving of bids, faults and takeovers', () => {
  it('keeps the promises P1 to P8, and answers everybody once the faults stop', async () => {
    const tally = { accepted: 0, ended: 0, refused: 0, poisonous: 0, unknown: 0, sold: 0, dead: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80, size: 'max' }), async (steps) => {
        const happened = (await simulate(steps)).tally
        for (const key of Object.keys(tally) as (keyof typeof tally)[]) tally[key] += happened[key]
      }),
      { numRuns: 1000, examples: foundBefore.map((steps) => [steps]) },
    )
    // A simulation in which nothing happens would keep every promise.
    expect(tally.accepted).toBeGreaterThan(300)
    for (const count of Object.values(tally)) expect(count).toBeGreaterThan(20)
  }, 60_000)
})
