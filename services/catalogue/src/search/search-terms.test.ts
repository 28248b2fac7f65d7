import { describe, expect, it } from 'vitest'
import { searchTerms } from './search-terms.ts'

const known = (word: string) => ({ word, isKnown: true, near: [] })
const unknown = (word: string, ...near: string[]) => ({ word, isKnown: false, near })

describe('what is searched for', () => {
  it('is every word, whose last letters may be missing', () => {
    expect(searchTerms([known('le'), known('lab')])).toEqual({ tsquery: `'le':* & 'lab':*`, corrected: null })
  })

  it.each([
    ['givnchy', ['givenchy', 'ginger'], `'givenchy'`, 'givenchy'],
    ['chanle', ['chanel', 'channel'], `'chanel'`, 'chanel'],
    ['doir', ['dior', 'door', 'dark'], `('dior' | 'door')`, 'dior'],
    ['creeed', ['creed'], `'creed'`, 'creed'],
    ['tom', ['ton'], `'tom':*`, null],
    ['xyzzyx', ['givenchy'], `'xyzzyx':*`, null],
    ['xyzzyx', [], `'xyzzyx':*`, null],
  ])('with %s among %j is %s', (word, near, tsquery, corrected) => {
    expect(searchTerms([unknown(word, ...near)])).toEqual({ tsquery, corrected })
  })

  it('may be any of several words that are equally like it', () => {
    expect(searchTerms([known('blue'), unknown('roze', 'rose', 'doze', 'ruse')])).toEqual({
      tsquery: `'blue':* & ('rose' | 'doze')`,
      corrected: 'blue rose',
    })
  })
})
