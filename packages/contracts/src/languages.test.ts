import { describe, expect, it } from 'vitest'
import { wishedLanguage } from './languages.ts'

describe('the language that a browser wishes for', () => {
  it.each([
    ['ms', 'ms'],
    ['ms-MY,ms;q=0.9,en;q=0.8', 'ms'],
    ['en-GB,en;q=0.9,ms;q=0.8', 'en'],
    ['MS-my', 'ms'],
    ['en;q=0.3, ms;q=0.7', 'ms'],
    ['en;q=0.7, ms;q=0.7', 'en'],
    ['zh-CN,zh;q=0.9,ms;q=0.5', 'ms'],
    ['de, *;q=0.5', 'en'],
    ['ms;q=0, en;q=0.1', 'en'],
    ['ms;q=0', null],
    ['ms;q=2', null],
    ['ms;q=high', null],
    ['id-ID, zh', null],
    ['msx', null],
    ['', null],
    [undefined, null],
    [`${'x,'.repeat(100_000)}ms`, null],
  ])('%s is %s', (header, language) => {
    expect(wishedLanguage(header)).toBe(language)
  })
})
