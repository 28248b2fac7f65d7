import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Rounds } from './rounds.ts'

const EVERY_MS = 1000

let items: Set<number>
let visits: number[]
let rounds: Rounds<number>
beforeEach(() => {
  vi.useFakeTimers()
  items = new Set()
  visits = []
  rounds = new Rounds(items, EVERY_MS, (item) => visits.push(item))
})
afterEach(() => {
  rounds.stop()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('visits everybody once in each round, and few at a time', () => {
  for (let item = 0; item < 10_000; item += 1) items.add(item)
  let most = 0
  for (let ms = 0; ms < EVERY_MS; ms += 1) {
    const before = visits.length
    vi.advanceTimersByTime(1)
    most = Math.max(most, visits.length - before)
  }
  expect(visits).toEqual([...items])
  expect(most).toBeLessThanOrEqual(200)
  vi.advanceTimersByTime(EVERY_MS)
  expect(visits).toHaveLength(20_000)
})

it('visits nobody who has gone, and whoever comes at the latest in the next round', () => {
  for (let item = 0; item < 100; item += 1) items.add(item)
  vi.advanceTimersByTime(20)
  expect(visits.length).toBeGreaterThan(0)
  expect(visits.length).toBeLessThan(100)
  items.delete(99)
  items.add(100)
  vi.advanceTimersByTime(2 * EVERY_MS)
  expect(visits).not.toContain(99)
  expect(visits).toContain(100)
})

it('goes on when there was nobody', () => {
  vi.advanceTimersByTime(3 * EVERY_MS)
  items.add(1)
  vi.advanceTimersByTime(EVERY_MS)
  expect(visits).toEqual([1])
})

it.each([0, 9])('wakes once in a round for %s', (size) => {
  for (let item = 0; item < size; item += 1) items.add(item)
  const startedAtMs = performance.now()
  let wakes = 0
  for (; performance.now() < startedAtMs + 10 * EVERY_MS; wakes += 1) vi.advanceTimersToNextTimer()
  expect(wakes).toBeLessThanOrEqual(11)
  expect(visits.length).toBeGreaterThanOrEqual(10 * size)
})

it('does not begin a round at once, where the one before took longer than it may', () => {
  items.add(1)
  let lateMs = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
  rounds.stop()
  rounds = new Rounds(items, EVERY_MS, () => {
    lateMs += 2 * EVERY_MS
  })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  vi.advanceTimersByTime(EVERY_MS)
  const pausesMs = timers.mock.calls.map(([, ms = 0]) => ms)
  expect(pausesMs.length).toBeGreaterThan(10)
  expect(Math.min(...pausesMs)).toBe(10)
})
