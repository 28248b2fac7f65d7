import { expect, it } from 'vitest'
import { cutTo } from './cut.ts'

it('has whole signs alone', () => {
  expect(cutTo('oud', 3)).toBe('oud')
  expect(cutTo('oud', 2)).toBe('ou')
  expect(cutTo('ou😀d', 3)).toBe('ou')
  expect(cutTo('ou😀d', 4)).toBe('ou😀')
  expect(cutTo('', 4)).toBe('')
})
