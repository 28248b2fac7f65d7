import { describe, expect, it } from 'vitest'
import type { WordQuery } from './domain/word-index.ts'
import { type AskedWord, isLikeEnough, nameKeysOf, otherTerms, searchTerms } from './search-terms.ts'

const known = (word: string, ...near: string[]) => asked(word, 40, near, 40)
const rare = (word: string, ...near: string[]) => asked(word, 1, near, 40)
const unknown = (word: string, ...near: string[]) => asked(word, 0, near, 1)

function asked(word: string, uses: number, near: readonly string[], nearUses: number): AskedWord {
  return { word, uses, near: near.map((each) => ({ word: each, uses: nearUses })) }
}

/** Every part must be there, one of its words; `le*` begins so. */
const read = (query: WordQuery | null) =>
  query?.map((terms) => terms.map(({ word, isBeginning }) => (isBeginning ? `${word}*` : word)).join('|')).join(' ')

describe('what is searched for', () => {
  it('is every word, whose last letters may be missing', () => {
    const { leading, other, corrected } = searchTerms([known('le'), known('lab')])
    expect([read(leading), other, corrected]).toEqual(['lab* le*', null, null])
  })

  it('is each word once', () => {
    expect(read(searchTerms([known('oud'), known('rose'), known('oud')]).leading)).toBe('oud* rose*')
  })

  it('is the same in whatever order the words are typed', () => {
    const typed = [known('dior'), rare('savage', 'savage', 'sauvage'), known('elixir')]
    const { leading, other } = searchTerms(typed)
    expect(searchTerms(typed.toReversed())).toEqual({ leading, other, corrected: 'elixir sauvage dior' })
  })

  it.each([
    ['givnchy', ['givenchy', 'ginger'], 'givenchy', 'givenchy'],
    ['chanle', ['chanel', 'channel'], 'chanel', 'chanel'],
    ['doir', ['dior', 'door', 'dark'], 'dior|door', 'dior'],
    ['creeed', ['creed'], 'creed', 'creed'],
    ['tom', ['ton'], 'tom*', null],
    ['xyzzyx', ['givenchy'], 'xyzzyx*', null],
    ['xyzzyx', [], 'xyzzyx*', null],
  ])('with %s among %j is %s', (word, near, query, corrected) => {
    const terms = searchTerms([unknown(word, ...near)])
    expect([read(terms.leading), terms.other, terms.corrected]).toEqual([query, null, corrected])
  })

  it('may be any of several words that are equally like it', () => {
    const { leading, other, corrected } = searchTerms([known('blue'), unknown('roze', 'rose', 'doze', 'ruse')])
    expect([read(leading), other, corrected]).toEqual(['blue* rose|doze', null, 'blue rose'])
  })

  it('is what was typed and what many write, when hardly anybody writes what was typed', () => {
    const { leading, other, corrected } = searchTerms([known('dior'), rare('savage', 'savage', 'sauvage')])
    expect([read(leading), read(other), corrected]).toEqual(['dior* savage*', 'dior* sauvage', 'dior sauvage'])
    const asRare = { word: 'naxos', uses: 1, near: [{ word: 'taxos', uses: 19 }] }
    expect(searchTerms([asRare]).corrected).toBeNull()
  })
})

describe('a word that may be meant by another', () => {
  it.each([
    ['dio', 'dior', false],
    ['doir', 'dior', true],
    ['chanel', 'chanell', true],
    ['x'.repeat(30), `${'x'.repeat(29)}y`, true],
    // To compare words of a hundred letters takes hundreds of times as long as usual ones, and sellers may write many.
    ['x'.repeat(41), `${'x'.repeat(40)}y`, false],
  ])('has few errors, and no more letters than words have: %s, %s', (typed, word, expected) => {
    expect(isLikeEnough(typed, word)).toBe(expected)
  })
})

describe('when nothing has all words', () => {
  it('one of them after the other is taken for the likest, in one order for all orders of the words', () => {
    const typed = [known('channel', 'chanel'), known('blue', 'bleu', 'blue')]
    const others = otherTerms(typed)
    expect(others.map(({ leading, corrected }) => [read(leading), corrected])).toEqual([
      ['bleu channel*', 'channel bleu'],
      ['blue* chanel', 'chanel blue'],
    ])
    expect(otherTerms(typed.toReversed()).map(({ leading }) => leading)).toEqual(others.map(({ leading }) => leading))
  })
})

describe('the name that is looked for', () => {
  it('is made of a few words in any order, and of more as they were typed', () => {
    expect(nameKeysOf(['sauvage'])).toEqual(['sauvage'])
    expect(nameKeysOf(['sauvage', 'dior'])).toEqual(['diorsauvage', 'sauvagedior'])
    expect(nameKeysOf(['n', '5', 'chanel'])).toEqual([
      '5chaneln',
      '5nchanel',
      'chanel5n',
      'chaneln5',
      'n5chanel',
      'nchanel5',
    ])
    expect(nameKeysOf(['rose', '31', 'le', 'labo'])).toEqual(['rose31lelabo'])
  })
})
