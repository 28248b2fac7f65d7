import { describe, expect, it } from 'vitest'
import { type Histogram, merged, record, timesOf } from './histogram.ts'

function of(...times: readonly number[]): Histogram {
  const histogram: Histogram = {}
  for (const ms of times) record(histogram, ms)
  return histogram
}

const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index)

describe('a histogram of times', () => {
  it('has the times that a share of all stays at or below', () => {
    expect(timesOf(of(...oneToHundred))).toEqual({ count: 100, median: 50, p95: 95, p99: 99, max: 100 })
    expect(timesOf(of(7))).toEqual({ count: 1, median: 7, p95: 7, p99: 7, max: 7 })
  })

  it('is of nothing before something was measured', () => {
    expect(timesOf({})).toEqual({ count: 0, median: 0, p95: 0, p99: 0, max: 0 })
  })

  it('counts whole milliseconds, and none below zero', () =>
    expect(of(-3, 0.4, 0.6, 12)).toEqual({ 0: 2, 1: 1, 12: 1 }))

  it('is the same in one part as in several, which an average of percentiles is not', () => {
    const slow = Array.from({ length: 10 }, () => 900)
    expect(timesOf(merged([of(...oneToHundred), of(...slow)]))).toEqual(timesOf(of(...oneToHundred, ...slow)))
    expect(timesOf(merged([of(...oneToHundred), of(...slow)])).p95).toBe(900)
    expect(merged([])).toEqual({})
  })
})
