import { expect, it } from 'vitest'
import { Reason } from './reason.ts'

it.each([
  ['Sells fakes.', 'Sells fakes.'],
  ['  Sells fakes. ', 'Sells fakes.'],
  ['x'.repeat(500), 'x'.repeat(500)],
  ['x'.repeat(501), null],
  ['  ', null],
  ['\0', null],
])('a reason is something of at most 500 characters: %j', (text, reason) => {
  expect(Reason.safeParse(text).data ?? null).toBe(reason)
})
