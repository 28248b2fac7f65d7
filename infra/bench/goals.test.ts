import { describe, expect, it } from 'vitest'
import { goals, verdictOf } from './goals.ts'
import { median, Samples } from './statistics.ts'

describe('a goal', () => {
  it('is judged by the median', () => {
    expect(verdictOf(goals.G1, [14, 14.9, 100])).toBe('missed')
    expect(verdictOf(goals.G1, [1, 15, 200])).toBe('floor')
    expect(verdictOf(goals.G1, [40])).toBe('goal')
    expect(verdictOf(goals.G1, [100])).toBe('moonshot')
    expect(verdictOf(goals.G1, [])).toBe('not measured')
  })

  it('may be that less is better', () => {
    expect(verdictOf(goals.G5, [3.1])).toBe('missed')
    expect(verdictOf(goals.G5, [2])).toBe('floor')
    expect(verdictOf(goals.G5, [0.9])).toBe('goal')
    expect(verdictOf(goals.G5, [0.3])).toBe('moonshot')
  })
})

describe('samples', () => {
  it('have a middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  it('are compared round by round', () => {
    const samples = new Samples()
    for (const [ours, theirs] of [
      [20, 2],
      [30, 10],
    ] as const) {
      samples.add('ours', ours)
      samples.add('theirs', theirs)
    }
    expect(samples.ratios('ours', 'theirs')).toEqual([10, 3])
    expect(samples.ratios('ours', 'nobody')).toEqual([])
  })
})
