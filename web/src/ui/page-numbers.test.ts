import { expect, it } from 'vitest'
import { pageNumbers } from './page-numbers.ts'

it.each([
  [1, 0, ''],
  [1, 1, '1'],
  [1, 3, '1 2 3'],
  [1, 9, '1 2 gap 9'],
  [3, 9, '1 2 3 4 gap 9'],
  [4, 9, '1 2 3 4 5 gap 9'],
  [5, 9, '1 gap 4 5 6 gap 9'],
  [7, 9, '1 gap 6 7 8 9'],
  [9, 9, '1 gap 8 9'],
  [12, 9, '1 gap 9'],
])('page %i of %i shows %s', (current, last, shown) => {
  expect(pageNumbers(current, last).join(' ')).toBe(shown)
})
