import { expect, it } from 'vitest'
import { Instant } from './time.ts'

it.each([
  ['1970-01-01T00:00:00Z', true],
  ['2026-11-21T16:00:00.123456+08:00', true],
  ['9999-12-31T23:59:59.999Z', true],
  ['0000-01-01T00:00:00Z', false],
  ['0001-01-01T00:00:00+23:59', false],
  ['1969-12-31T23:59:59.999Z', false],
  ['1970-01-01T00:00:00+00:01', false],
  ['9999-12-31T23:59:59-00:01', false],
  ['2026-02-29T00:00:00Z', false],
  [`2026-01-01T00:00:00.${'0'.repeat(30)}Z`, false],
  ['2026-01-01', false],
])('an instant is what Postgres and JavaScript both can hold: %s', (text, isInstant) => {
  expect(Instant.safeParse(text).success).toBe(isInstant)
})
