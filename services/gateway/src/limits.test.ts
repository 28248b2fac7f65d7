import { describe, expect, it } from 'vitest'
import { KEYS_MAX, KeyedBuckets, KeyedCounts, TokenBucket } from './limits.ts'

const takes = (bucket: TokenBucket, count: number, nowMs: number) =>
  Array.from({ length: count }, () => bucket.take(nowMs)).filter(Boolean).length

describe('a token bucket', () => {
  it('gives its burst at once and then so many a second, in parts of a second too', () => {
    const bucket = new TokenBucket({ perSecond: 20, burst: 60 }, 0)
    expect(takes(bucket, 100, 0)).toBe(60)
    expect(takes(bucket, 100, 49)).toBe(0)
    expect(takes(bucket, 100, 50)).toBe(1)
    expect(takes(bucket, 100, 1050)).toBe(20)
  })

  it('never holds more than its burst, however long it rests', () => {
    const bucket = new TokenBucket({ perSecond: 5, burst: 5 }, 0)
    expect(takes(bucket, 3, 0)).toBe(3)
    expect(takes(bucket, 100, 1e9)).toBe(5)
  })

  it('loses nothing to being asked often', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 1 }, 0)
    let taken = 0
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 7) if (bucket.take(nowMs)) taken++
    expect(taken).toBeGreaterThan(90)
    expect(taken).toBeLessThanOrEqual(101)
  })

  it('is full again when all is refilled', () => {
    const bucket = new TokenBucket({ perSecond: 5, burst: 5 }, 0)
    bucket.take(0)
    expect(bucket.isFull(199)).toBe(false)
    expect(bucket.isFull(200)).toBe(true)
  })
})

describe('buckets by key', () => {
  it('are independent of each other', () => {
    const buckets = new KeyedBuckets({ perSecond: 1, burst: 1 })
    expect([buckets.take('a', 0), buckets.take('a', 0), buckets.take('b', 0), buckets.take('a', 1000)]).toEqual([
      true,
      false,
      true,
      true,
    ])
  })

  it('forget those that rest before others', () => {
    const buckets = new KeyedBuckets({ perSecond: 1, burst: 1 })
    for (let key = 0; key < KEYS_MAX - 1; key++) buckets.take(`resting ${key}`, 0)
    buckets.take('busy', 900)
    buckets.take('one too many', 1000)
    expect(buckets.size).toBe(2)
    expect(buckets.take('busy', 1000)).toBe(false)
  })

  it('are bounded even when all are busy, at little cost', () => {
    const buckets = new KeyedBuckets({ perSecond: 1, burst: 1 })
    const startedAtMs = performance.now()
    for (let key = 0; key < 5 * KEYS_MAX; key++) buckets.take(String(key), 0)
    expect(buckets.size).toBeLessThanOrEqual(KEYS_MAX)
    expect(buckets.take(String(5 * KEYS_MAX - 1), 0)).toBe(false)
    expect(performance.now() - startedAtMs).toBeLessThan(5000)
  })

  it('make room for many when only few of them rest', () => {
    const buckets = new KeyedBuckets({ perSecond: 1, burst: 1 })
    buckets.take('resting', 0)
    for (let key = 1; key < KEYS_MAX; key++) buckets.take(`busy ${key}`, 999)
    buckets.take('one too many', 1000)
    // Otherwise every further key would look through all of them.
    expect(buckets.size).toBeLessThanOrEqual(KEYS_MAX / 2 + 1)
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
