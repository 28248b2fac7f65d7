import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KeyedCounts, ShortMemory } from './limits.ts'

describe('a short memory', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('forgets what is old, and the oldest of too many', () => {
    const memory = new ShortMemory({ forMs: 1000, max: 2 })
    memory.add(1)
    vi.advanceTimersByTime(999)
    expect([memory.has(1), memory.has(2)]).toEqual([true, false])
    vi.advanceTimersByTime(1)
    expect(memory.has(1)).toBe(false)
    for (const value of [2, 3, 2, 4]) memory.add(value)
    expect([2, 3, 4].map((value) => memory.has(value))).toEqual([true, false, true])
  })
})

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
