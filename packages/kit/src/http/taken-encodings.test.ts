import { expect, it } from 'vitest'
import { takesEncoding } from './taken-encodings.ts'

it.each([
  ['gzip, deflate, br, zstd', true],
  ['br', true],
  [['gzip', 'br'], true],
  ['gzip, deflate', false],
  ['br;q=0', false],
  ['brotli', false],
  [undefined, false],
])('Brotli is taken by who accepts %j: %s', (accepted, isTaken) => {
  expect(takesEncoding(accepted, 'br')).toBe(isTaken)
})
