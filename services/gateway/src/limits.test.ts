import { describe, expect, it } from 'vitest'
import { KeyedCounts } from './limits.ts'

describe('counts by key', () => {
  it('let so many in, and another for each that leaves', () => {
    const counts = new KeyedCounts(2)
    expect([counts.acquire('a'), counts.acquire('a'), counts.acquire('a'), counts.acquire('b')]).toEqual([
      true,
      true,
      false,
      true,
    ])
    counts.release('a')
    expect([counts.acquire('a'), counts.acquire('a')]).toEqual([true, false])
  })

  it('remember nobody who holds nothing', () => {
    const counts = new KeyedCounts(1)
    counts.acquire('a')
    counts.release('a')
    counts.release('a')
    counts.release('never seen')
    expect(counts.size).toBe(0)
    expect([counts.acquire('a'), counts.acquire('a')]).toEqual([true, false])
  })
})
