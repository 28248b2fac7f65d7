import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { now, nowMs } from '../testing/fixtures.ts'
import { hearAnswerDate, hearServerTime, serverNow } from './server-clock.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs })
})
afterEach(() => {
  vi.useRealTimers()
})

const minuteMs = 60_000
const offsetMs = () => serverNow() - Date.now()
/** What the server said at `now` arrives when this device's clock says `afterMs` more; asked for when it said `askedAfterMs` more. */
const hears = (afterMs: number, askedAfterMs: number | null = null) => {
  vi.setSystemTime(nowMs + afterMs)
  hearServerTime(now, askedAfterMs === null ? null : nowMs + askedAfterMs)
}
/** An answer of the server that took from one moment of this device's clock to another, of its moment `now`. */
const isAnswered = (askedAfterMs: number, receivedAfterMs: number) => {
  vi.setSystemTime(nowMs + receivedAfterMs)
  hearAnswerDate(new Date(nowMs).toUTCString(), nowMs + askedAfterMs)
}

describe("the server's clock", () => {
  it('is taken from the message that was fastest', () => {
    hears(300)
    hears(80)
    hears(500)
    expect(offsetMs()).toBe(-80)
  })

  it('is corrected by an answer after the device changed its clock, and not by a late frame', () => {
    hears(0)
    hears(minuteMs)
    expect(offsetMs()).toBe(0)
    hears(minuteMs, minuteMs - 100)
    expect(offsetMs()).toBe(-minuteMs)
  })

  it('is not moved by an answer that was long on its way, as to a phone that slept', () => {
    hears(0)
    hears(5 * minuteMs, -100)
    expect(offsetMs()).toBe(0)
  })

  it('is taken from the date of an answer where the device is wrong', () => {
    isAnswered(17 * minuteMs, 17 * minuteMs + 200)
    expect(offsetMs()).toBe(-17 * minuteMs - 200)
    isAnswered(-17 * minuteMs, -17 * minuteMs + 200)
    expect(offsetMs()).toBe(17 * minuteMs - 200)
  })

  it('is not moved by the seconds of a date, or by an answer that was long on its way', () => {
    isAnswered(900, 1_000)
    isAnswered(-5_000, 10_000)
    isAnswered(2_000, 2_100)
    expect(offsetMs()).toBe(0)
    hears(80)
    isAnswered(900, 1_000)
    expect(offsetMs()).toBe(-80)
  })

  it('does not need a date', () => {
    hearAnswerDate(null, nowMs)
    expect(offsetMs()).toBe(0)
  })
})
