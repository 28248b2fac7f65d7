import { expect, it } from 'vitest'
import { suggestedIncrement } from './suggested-increment.ts'

it.each([
  [1, 0.5],
  [60, 1],
  [200, 5],
  [680, 10],
  [99_999, 100],
  [0, null],
  [Number.NaN, null],
])('suggests for a starting price of %s', (price, increment) => {
  expect(suggestedIncrement(price)).toBe(increment)
})
