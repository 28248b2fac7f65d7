import { describe, expect, it } from 'vitest'
import { nowMs } from '../testing/fixtures.ts'
import { daysAhead, daysIn, instantOf, partsOf } from './malaysian-moment.ts'

describe('a moment in Malaysia', () => {
  it('is eight hours ahead of UTC, on the next day when it is late there', () => {
    expect(partsOf(nowMs)).toEqual({ day: '21', month: '11', year: '2026', hour: '16', minute: '0', second: '0' })
    expect(partsOf(Date.parse('2026-12-31T16:00:59Z'))).toEqual({
      day: '1',
      month: '1',
      year: '2027',
      hour: '0',
      minute: '0',
      second: '59',
    })
  })

  it('leads back to the instant that it was made of', () => {
    for (const instant of ['2026-11-21T08:00:00Z', '2028-02-29T03:04:05Z', '2026-12-31T16:00:00Z']) {
      expect(instantOf(partsOf(Date.parse(instant)))).toBe(Date.parse(instant))
    }
  })

  it.each([
    [{ day: '31', month: '2' }],
    [{ day: '29', month: '2' }],
    [{ day: '31', month: '4' }],
    [{ day: '' }],
    [{ hour: '24' }],
    [{ day: '0' }],
    [{ month: '13' }],
  ])('does not exist with %j', (changes) => {
    expect(instantOf({ ...partsOf(nowMs), ...changes })).toBeNull()
  })

  it('knows leap years', () => {
    expect([daysIn(2027, 2), daysIn(2028, 2), daysIn(2026, 11), daysIn(2026, 12)]).toEqual([28, 29, 30, 31])
    expect(instantOf({ ...partsOf(nowMs), day: '29', month: '2', year: '2028' })).not.toBeNull()
  })

  it('is offered seven days ahead, at the full minute', () => {
    expect(daysAhead(nowMs + 59_999)).toEqual(partsOf(Date.parse('2026-11-28T08:00:00Z')))
    expect(daysAhead(nowMs, 1)).toEqual(partsOf(Date.parse('2026-11-22T08:00:00Z')))
  })
})
