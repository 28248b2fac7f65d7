import { beforeEach, describe, expect, it } from 'vitest'
import { DatabaseClock } from './clock.ts'

const databaseMs = Date.parse('2026-11-21T08:00:00.000Z')

let monotonicMs: number
let clock: DatabaseClock
beforeEach(() => {
  monotonicMs = 1000
  clock = new DatabaseClock(() => monotonicMs)
})

describe("the estimate of the database's clock", () => {
  it('does not exist before the first reading', () => {
    expect(() => clock.nowMs()).toThrow('the clock was not set yet')
  })

  it('takes the reading for the middle of its round trip, and goes on by the monotonic clock', () => {
    clock.sample(databaseMs, 1000, 1010)
    monotonicMs = 1005
    expect(clock.nowMs()).toBe(databaseMs)
    monotonicMs = 2005.9
    expect(clock.nowMs()).toBe(databaseMs + 1000)
  })

  it('prefers the reading with the shorter round trip', () => {
    clock.sample(databaseMs, 1000, 1010)
    // A slow answer whose middle lies by mischance an hour away.
    clock.sample(databaseMs + 3_600_000, 1100, 1200)
    monotonicMs = 1005
    expect(clock.nowMs()).toBe(databaseMs)
    clock.sample(databaseMs + 500, 1300, 1301)
    monotonicMs = 1300.5
    expect(clock.nowMs()).toBe(databaseMs + 500)
  })

  it('believes two readings in a row that cannot be of the clock as it was', () => {
    clock.sample(databaseMs, 1000, 1010)
    clock.sample(databaseMs + 60_300, 1300, 1320)
    monotonicMs = 1305
    expect(clock.nowMs()).toBe(databaseMs + 300)
    clock.sample(databaseMs + 60_600, 1600, 1620)
    monotonicMs = 1610
    expect(clock.nowMs()).toBe(databaseMs + 60_600)
    // One that may be of it takes the doubt away.
    clock.sample(databaseMs + 120_900, 1900, 1940)
    clock.sample(databaseMs + 61_200, 2200, 2240)
    clock.sample(databaseMs + 121_500, 2500, 2540)
    monotonicMs = 2510
    expect(clock.nowMs()).toBe(databaseMs + 61_500)
  })

  it('takes any reading in the place of one that is old', () => {
    clock.sample(databaseMs, 1000, 1010)
    clock.sample(databaseMs + 20_000, 11_100, 11_200)
    monotonicMs = 11_150
    expect(clock.nowMs()).toBe(databaseMs + 20_000)
  })

  it('never runs backwards', () => {
    clock.sample(databaseMs, 1000, 1010)
    monotonicMs = 1505
    expect(clock.nowMs()).toBe(databaseMs + 500)
    clock.sample(databaseMs + 100, 1500, 1502)
    expect(clock.nowMs()).toBe(databaseMs + 500)
    expect(clock.aheadMs()).toBe(396)
    monotonicMs = 2001
    expect(clock.nowMs()).toBe(databaseMs + 600)
    expect(clock.aheadMs()).toBe(0)
  })
})
