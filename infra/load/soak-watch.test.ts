import { describe, expect, it } from 'vitest'
import { judgeSoak } from './soak-watch.ts'

const MB = 1024 * 1024

/** Samples every 10 s for so long, of one process and the lag of the relay. */
function samplesOf(minutes: number, memoryMbAt: (atS: number) => number, lagAt: (atS: number) => number = () => 0) {
  return Array.from({ length: minutes * 6 + 1 }, (_, index) => index * 10).map((atS) => ({
    atS,
    memoryBytes: new Map([['identity', memoryMbAt(atS) * MB]]),
    lag: new Map([['wangian_relay_lag_seconds' as const, lagAt(atS)]]),
  }))
}

const sawtooth = (atS: number) => 100 + (atS % 120) / 6

describe('a soak', () => {
  it('finds nothing where memory goes up and down, or has grown in the beginning only', () => {
    expect(judgeSoak(samplesOf(30, sawtooth)).problems).toEqual([])
    expect(judgeSoak(samplesOf(30, (atS) => sawtooth(atS) + Math.min(atS / 8, 100))).problems).toEqual([])
  })

  it('finds memory that goes on growing', () => {
    const { problems, courses } = judgeSoak(samplesOf(30, (atS) => sawtooth(atS) + atS / 20))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^identity, MB grew by 4\d\.\d over the second half, by 1\d\.\d at most is allowed$/)
    expect(courses[0]?.late).toBeGreaterThan((courses[0]?.early ?? 0) + 50)
  })

  it('finds lag that grows', () => {
    const { problems } = judgeSoak(samplesOf(20, sawtooth, (atS) => atS / 100))
    expect(problems).toEqual(['relay lag, s grew by 6.0 over the second half, by 1.0 at most is allowed'])
  })

  it('does not judge the first minutes', () => {
    expect(judgeSoak(samplesOf(5, (atS) => atS)).problems).toEqual([])
    expect(judgeSoak([]).problems).toEqual([])
  })
})
