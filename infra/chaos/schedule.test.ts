import { describe, expect, it } from 'vitest'
import { type Round, rounds } from './schedule.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']

function firstRounds(seed: number, count: number): Round<string>[] {
  return rounds(names, seed).take(count).toArray()
}

describe('the rounds of a run', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(firstRounds(7, 5)).toEqual(firstRounds(7, 5))
    expect(firstRounds(8, 5)).not.toEqual(firstRounds(7, 5))
  })

  it('have every fault before one comes again', () => {
    const faults = firstRounds(7, 12).flatMap(({ steps }) => steps.map(({ fault }) => fault))
    for (let start = 0; start + names.length <= faults.length; start += names.length) {
      expect(faults.slice(start, start + names.length).sort()).toEqual(names)
    }
  })

  it('leave the people alone for a while in between', () => {
    const quietMs = firstRounds(7, 50).flatMap(({ steps }) => steps.map((step) => step.quietMs))
    const long = quietMs.filter((ms) => ms >= 2_000)
    expect(long.length / quietMs.length).toBeGreaterThan(0.15)
    expect(long.length / quietMs.length).toBeLessThan(0.35)
  })
})
