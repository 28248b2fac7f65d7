import { expect, it } from 'vitest'
import { isAnythingSeen, isVisibleName, isVisibleText } from './text.ts'

it.each([
  ['', true],
  ['Santal 33', true],
  ['N°5', true],
  ['ミルクティー', true],
  ['عود', true],
  ['می‌خواهم', true],
  ['Rosé 🌹', true],
  ['Team 👩‍🔬 Oud', true],
  ['Dior\u200B', false],
  ['Di\u200Dor', false],
  ['\u200BDior', false],
  ['Dior\u00AD', false],
  ['\u202EroiD', false],
  ['\u2066Dior\u2069', false],
  ['Di\tor', false],
  ['Di\nor', false],
  ['Dior\u0007', false],
  ['\u3164\u3164\u3164', false],
  ['\u2800\u2800\u2800', false],
  ['\u0301\u0301\u0301', false],
  ['...', false],
  ['Dior\u{E0061}', false],
])('a name is as it looks: %j %s', (name, isVisible) => {
  expect(isVisibleName(name)).toBe(isVisible)
})

it('a text may have several lines', () => {
  expect(isVisibleText('Cardamom,\r\n\tiris.\n')).toBe(true)
  expect(isVisibleText('Cardamom,\u202E iris')).toBe(false)
  expect(isVisibleText('\u200B\n'.repeat(10))).toBe(false)
})

it.each([
  ['Is it still there?', true],
  ['👍', true],
  ['❤️', true],
  ['...', true],
  ['\u200B?', true],
  ['', false],
  [' \n\t', false],
  ['\u200B\u200D', false],
  ['\u202E\u0007', false],
  ['\u3164\u2800\u00AD', false],
])('of %j there is something to see: %s', (text, isSeen) => {
  expect(isAnythingSeen(text)).toBe(isSeen)
})
