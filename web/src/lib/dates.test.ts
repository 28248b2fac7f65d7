import { expect, it } from 'vitest'
import { formatDateTime } from './date-time.ts'
import { formatFullMoment, formatMessageTime, formatMoment, monthName } from './dates.ts'

const evening = '2026-11-21T15:59:59.000Z'

it('says the time in Malaysia, with the day when it is another one', () => {
  expect(formatMoment(evening, Date.parse('2026-11-21T10:00:00.000Z'))).toBe('11:59:59 pm')
  expect(formatMoment(evening, Date.parse('2026-11-21T16:00:00.000Z'))).toBe('21 Nov, 11:59:59 pm')
  expect(formatDateTime(evening)).toBe('21 Nov 2026, 11:59 pm')
})

it('says when a message was sent, and nothing for what is no time', () => {
  expect(formatMessageTime(evening)).toBe('Nov 21, 11:59 PM')
  expect(formatMessageTime('2026-11-21T16:05:00.000Z')).toBe('Nov 22, 12:05 AM')
  expect(formatMessageTime('soon')).toBeNull()
})

it('says all of a moment, and the names of months', () => {
  expect(formatFullMoment(evening)).toBe('Saturday, 21 November 2026 at 11:59:59 pm')
  expect([1, 2, 12].map(monthName)).toEqual(['January', 'February', 'December'])
})
