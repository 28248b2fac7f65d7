import { describe, expect, it } from 'vitest'
import { tickIn, untilTick } from './bell.ts'

describe('the tick at which to look again', () => {
  it('is the same for all that is looked at as often', () => {
    expect([10_001, 10_120, 10_949].map((nowMs) => tickIn(1_000, nowMs))).toEqual([11_000, 11_000, 11_000])
    expect([10_001, 12_400, 14_949].map((nowMs) => tickIn(5_000, nowMs))).toEqual([15_000, 15_000, 15_000])
    expect([10_201, 10_380, 10_469].map((nowMs) => tickIn(300, nowMs))).toEqual([10_500, 10_500, 10_500])
  })

  it('is one of what is looked at more often, too', () => {
    expect([1_000, 2_000, 5_000].map((ms) => tickIn(ms, 60_000) % 1_000)).toEqual([0, 0, 0])
  })

  it('comes no later than was asked for, but for what a timer may be early', () => {
    for (let nowMs = 20_000; nowMs < 25_000; nowMs += 7) {
      const afterMs = tickIn(2_000, nowMs) - nowMs
      expect(afterMs).toBeGreaterThan(0)
      expect(afterMs).toBeLessThanOrEqual(2_050)
    }
  })

  it('is a moment of its own for what is looked at seldom', () => {
    expect(tickIn(10_000, 20_123)).toBe(30_123)
  })

  it('follows the one before, though a timer went off early or late', () => {
    for (const nowMs of [29_960, 30_000, 30_002, 30_900]) expect(tickIn(1_000, nowMs)).toBe(31_000)
    for (const nowMs of [29_980, 30_000, 30_260]) expect(tickIn(300, nowMs)).toBe(30_300)
  })

  it('is waited for in whole milliseconds', () => {
    expect(untilTick(1_000, 10_120.4)).toBe(880)
  })
})
