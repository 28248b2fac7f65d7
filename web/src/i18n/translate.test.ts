import { describe, expect, it } from 'vitest'
import { translatorIn, type WordsKey } from './translate.ts'

const words = {
  plain: 'Save',
  within: { deeper: 'Saved' },
  named: '{{name}} of {{name}}, {{place}}',
  stock_zero: 'none left',
  stock_one: '{{count}} left',
  stock_other: '{{count, number}} left',
  bids_one: '{{count}} bid',
  bids_other: '{{count}} bids',
}
/** These words are nobody's keys. */
const t = (key: string, parts?: Parameters<typeof english>[1]) => english(key as WordsKey, parts)
const english = translatorIn('en', [words])

describe('a sentence', () => {
  it('is found by its path, and is its key while it is not there', () => {
    expect([t('plain'), t('within.deeper'), t('within'), t('within.nothing'), t('plain.further')]).toEqual([
      'Save',
      'Saved',
      'within',
      'within.nothing',
      'plain.further',
    ])
  })

  it('has parts put into it as they are, and nothing for those that are missing', () => {
    expect(t('named', { name: '$& <b>', place: null })).toBe('$& <b> of $& <b>, ')
  })

  it('has the form of its count, and a form of its own for none where there is one', () => {
    expect([0, 1, 1200].map((count) => t('stock', { count }))).toEqual(['none left', '1 left', '1,200 left'])
    expect([0, 1, 2].map((count) => t('bids', { count }))).toEqual(['0 bids', '1 bid', '2 bids'])
  })

  it('has one form in a language that knows no other', () => {
    const malay = translatorIn('ms', [{ bids_other: '{{count}} bida' }])
    expect([0, 1, 2].map((count) => malay('bids' as WordsKey, { count }))).toEqual(['0 bida', '1 bida', '2 bida'])
  })
})

it('may be in any of the dictionaries, which grow, and the first that has it counts', () => {
  const dictionaries: object[] = [{ one: 'first' }]
  const grows = translatorIn('en', dictionaries)
  expect(grows('two' as WordsKey)).toBe('two')
  dictionaries.push({ one: 'later', two: 'came' })
  expect([grows('one' as WordsKey), grows('two' as WordsKey)]).toEqual(['first', 'came'])
})
