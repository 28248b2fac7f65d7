import { describe, expect, it } from 'vitest'
import { formatClock, splitDuration } from './durations.ts'
import { formatTimeLeft } from './time-left.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('time that is left', () => {
  it('is split so that it reads 0 only when it is over', () => {
    expect(splitDuration(2 * DAY + 3 * HOUR + 4 * MINUTE + 5 * SECOND)).toEqual({
      days: 2,
      hours: 3,
      minutes: 4,
      seconds: 5,
    })
    expect(splitDuration(1)).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 1 })
    expect(splitDuration(-5)).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 0 })
    expect(splitDuration(HOUR - 1)).toEqual({ days: 0, hours: 1, minutes: 0, seconds: 0 })
  })

  it.each([
    [2 * DAY + 3 * HOUR + MINUTE, '2d 3h'],
    [3 * HOUR + 5 * MINUTE, '3h 5m'],
    [12 * MINUTE, '12m'],
    [59 * SECOND, '< 1m'],
  ])('is said on cards: %i ms is %s', (durationMs, words) => {
    expect(formatTimeLeft(durationMs)).toBe(words)
  })

  it.each([
    [2 * DAY + 3 * HOUR, '2d 3h'],
    [3 * HOUR + 5 * MINUTE + 9 * SECOND, '3:05:09'],
    [12 * MINUTE + 30 * SECOND, '12:30'],
    [9 * SECOND, '0:09'],
  ])('is said in the bid bar: %i ms is %s', (durationMs, words) => {
    expect(formatClock(durationMs)).toBe(words)
  })
})
