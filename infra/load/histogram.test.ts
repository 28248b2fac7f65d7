import { describe, expect, it } from 'vitest'
import { Histogram } from './histogram.ts'

describe('a histogram', () => {
  it('gives quantiles to about a hundredth', () => {
    const histogram = new Histogram()
    for (let ms = 1; ms <= 1000; ms++) histogram.record(ms)
    expect(histogram.count).toBe(1000)
    for (const share of [0.01, 0.5, 0.9, 0.99]) {
      expect(Math.abs(histogram.quantileMs(share) / (share * 1000) - 1)).toBeLessThan(0.012)
    }
    expect(histogram.quantileMs(1)).toBe(1000)
    expect(histogram.maxMs).toBe(1000)
  })

  it('takes what is shorter or longer than it can tell apart', () => {
    const histogram = new Histogram()
    histogram.record(0)
    histogram.record(10_000_000)
    expect(histogram.quantileMs(0.5)).toBeCloseTo(0.001)
    expect(histogram.maxMs).toBe(10_000_000)
  })

  it('has no quantile of nothing', () => {
    expect(new Histogram().quantileMs(0.5)).toBeNaN()
  })

  it('is the sum of those that were added', () => {
    const [fast, slow] = [new Histogram(), new Histogram()]
    for (let count = 0; count < 9; count++) fast.record(1)
    slow.record(500)
    fast.add(slow)
    expect(fast.count).toBe(10)
    expect(fast.quantileMs(0.9)).toBeCloseTo(1, 1)
    expect(fast.quantileMs(0.95)).toBe(500)
  })
})
