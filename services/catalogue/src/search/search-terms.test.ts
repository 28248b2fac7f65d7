import { describe, expect, it } from 'vitest'
import { type AskedWord, nameKeysOf, otherTerms, searchTerms } from './search-terms.ts'

const known = (word: string, ...near: string[]) => asked(word, 40, near, 40)
const rare = (word: string, ...near: string[]) => asked(word, 1, near, 40)
const unknown = (word: string, ...near: string[]) => asked(word, 0, near, 1)

function asked(word: string, uses: number, near: readonly string[], nearUses: number): AskedWord {
  return { word, forms: null, uses, near: near.map((each) => ({ word: each, uses: nearUses })) }
}

describe('what is searched for', () => {
  it('is every word, whose last letters may be missing', () => {
    const tsquery = `'lab':* & 'le':*`
    expect(searchTerms([known('le'), known('lab')])).toEqual({ tsquery, leading: tsquery, corrected: null })
  })

  it('is the same in whatever order the words are typed', () => {
    const typed = [known('dior'), rare('savage', 'savage', 'sauvage'), known('elixir')]
    const { tsquery, leading } = searchTerms(typed)
    expect(searchTerms(typed.toReversed())).toEqual({ tsquery, leading, corrected: 'elixir sauvage dior' })
  })

  it('is the words that begin so, where they are known, and the word itself', () => {
    const rose = { word: 'rose', forms: ['rose', 'roses'], uses: 40, near: [] }
    const bleu = { word: 'bleu', forms: [], uses: 0, near: [] }
    expect(searchTerms([rose, bleu]).tsquery).toBe(`'bleu' & ('rose' | 'roses')`)
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
    expect(searchTerms([unknown(word, ...near)])).toEqual({ tsquery, leading: tsquery, corrected })
  })

  it('may be any of several words that are equally like it', () => {
    const tsquery = `'blue':* & ('rose' | 'doze')`
    expect(searchTerms([known('blue'), unknown('roze', 'rose', 'doze', 'ruse')])).toEqual({
      tsquery,
      leading: tsquery,
      corrected: 'blue rose',
    })
  })

  it('is what was typed and what many write, when hardly anybody writes what was typed', () => {
    expect(searchTerms([known('dior'), rare('savage', 'savage', 'sauvage')])).toEqual({
      tsquery: `('dior':* & 'savage':*) | ('dior':* & 'sauvage')`,
      leading: `'dior':* & 'savage':*`,
      corrected: 'dior sauvage',
    })
    const asRare = { word: 'naxos', forms: null, uses: 1, near: [{ word: 'taxos', uses: 19 }] }
    expect(searchTerms([asRare]).corrected).toBeNull()
  })
})

describe('when nothing has all words', () => {
  it('one of them after the other is taken for the likest, in one order for all orders of the words', () => {
    const typed = [known('channel', 'chanel'), known('blue', 'bleu', 'blue')]
    const others = otherTerms(typed)
    expect(others.map(({ tsquery, corrected }) => [tsquery, corrected])).toEqual([
      [`'bleu' & 'channel':*`, 'channel bleu'],
      [`'blue':* & 'chanel'`, 'chanel blue'],
    ])
    expect(otherTerms(typed.toReversed()).map(({ tsquery }) => tsquery)).toEqual(others.map(({ tsquery }) => tsquery))
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
