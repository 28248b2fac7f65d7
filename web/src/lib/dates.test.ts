import { expect, it } from 'vitest'
import { formatDateTime, formatMoment } from './dates.ts'

const evening = '2026-11-21T15:59:59.000Z'

it('says the time in Malaysia, with the day when it is another one', () => {
  expect(formatMoment(evening, Date.parse('2026-11-21T10:00:00.000Z'))).toBe('11:59:59 pm')
  expect(formatMoment(evening, Date.parse('2026-11-21T16:00:00.000Z'))).toBe('21 Nov, 11:59:59 pm')
  expect(formatDateTime(evening)).toBe('21 Nov 2026, 11:59 pm')
})
