import { expect, it } from 'vitest'
import { isAtLeast } from './nats-version.ts'

it.each([
  ['2.9.10', '2.9.10', true],
  ['2.10.0', '2.9.10', true],
  ['3.0.0', '2.9.10', true],
  ['2.12.0-RC.1', '2.9.10', true],
  ['2.9.9', '2.9.10', false],
  ['1.14.9', '2.9.10', false],
  ['dev', '2.9.10', false],
])('compares the numbers of versions: %s and %s', (version, wanted, expected) => {
  expect(isAtLeast(version, wanted)).toBe(expected)
})
