import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nowMs } from '../testing/fixtures.ts'
import { EndTimers } from './end-timers.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let due: number[]
let timers: EndTimers
beforeEach(() => {
  vi.useFakeTimers({ now: nowMs })
  due = []
  timers = new EndTimers(
    () => Date.now(),
    (auctionId) => due.push(auctionId),
  )
})
afterEach(() => {
  timers.stop()
  vi.useRealTimers()
})

describe('the timer of the ends', () => {
  it('calls each auction at its end, in the order of the ends', () => {
    timers.add(3, nowMs + 300)
    timers.add(1, nowMs + 100)
    timers.add(2, nowMs + 200)
    vi.advanceTimersByTime(99)
    expect(due).toEqual([])
    vi.advanceTimersByTime(1)
    expect(due).toEqual([1])
    vi.advanceTimersByTime(200)
    expect(due).toEqual([1, 2, 3])
  })

  it('calls those that end together', () => {
    for (const auctionId of [1, 2, 3]) timers.add(auctionId, nowMs + 100)
    vi.advanceTimersByTime(100)
    expect(due.sort()).toEqual([1, 2, 3])
  })

  it('calls one that is over already as soon as it can, but not at once', () => {
    timers.add(1, nowMs - DAY_MS)
    expect(due).toEqual([])
    vi.advanceTimersByTime(0)
    expect(due).toEqual([1])
  })

  it('waits for an end that is farther off than a timer of Node can tell', () => {
    const farMs = 4 * 365 * DAY_MS
    expect(farMs).toBeGreaterThan(2 ** 31)
    timers.add(1, nowMs + farMs)
    timers.add(2, nowMs + 100)
    vi.advanceTimersByTime(100)
    expect(due).toEqual([2])
    vi.advanceTimersByTime(farMs - 101)
    expect(due).toEqual([2])
    vi.advanceTimersByTime(1)
    expect(due).toEqual([2, 1])
    // A timer that wakes once an hour, and not once a millisecond, as an overflow would have it.
    expect(vi.getTimerCount()).toBe(0)
  })

  it('calls an auction again that is added again by whom it calls', () => {
    let isFirst = true
    timers = new EndTimers(
      () => Date.now(),
      (auctionId) => {
        due.push(auctionId)
        if (isFirst) timers.add(auctionId, Date.now() + 100)
        isFirst = false
      },
    )
    timers.add(1, nowMs)
    vi.advanceTimersByTime(99)
    expect(due).toEqual([1])
    vi.advanceTimersByTime(1)
    expect(due).toEqual([1, 1])
  })

  it('has one end of each auction, the one that was added last', () => {
    timers.add(1, nowMs + 100)
    timers.add(1, nowMs + 300)
    timers.add(2, nowMs + 300)
    timers.add(2, nowMs + 200)
    vi.advanceTimersByTime(299)
    expect(due).toEqual([2])
    vi.advanceTimersByTime(1)
    expect(due).toEqual([2, 1])
  })

  it('does not grow by what is added again, moved or over', () => {
    for (let round = 0; round < 100; round += 1) {
      for (let auctionId = 1; auctionId <= 1000; auctionId += 1) timers.add(auctionId, nowMs + DAY_MS)
    }
    expect(timers.size).toBe(1000)
    for (let round = 0; round < 100; round += 1) {
      for (let auctionId = 1; auctionId <= 1000; auctionId += 1)
        timers.add(auctionId, nowMs + DAY_MS + round + auctionId)
    }
    expect(timers.size).toBeLessThan(4000)
    timers.forget(Array.from({ length: 999 }, (_, index) => index + 1))
    expect(timers.size).toBeLessThan(1100)
    vi.advanceTimersByTime(2 * DAY_MS)
    expect(due).toEqual([1000])
  })

  it('goes by the clock that it is given, not by the time that has passed', () => {
    let clockMs = nowMs
    timers = new EndTimers(
      () => clockMs,
      (auctionId) => due.push(auctionId),
    )
    timers.add(1, nowMs + 100)
    clockMs = nowMs + 99
    vi.advanceTimersByTime(100)
    expect(due).toEqual([])
    clockMs = nowMs + 100
    vi.advanceTimersByTime(1)
    expect(due).toEqual([1])
  })

  it('calls nobody after it was stopped', () => {
    timers.add(1, nowMs + 100)
    timers.stop()
    timers.add(2, nowMs + 50)
    vi.advanceTimersByTime(DAY_MS)
    expect(due).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
