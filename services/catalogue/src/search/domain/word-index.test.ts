import { describe, expect, it } from 'vitest'
import { WordIndex, type WordQuery } from './word-index.ts'

const word = (text: string) => ({ word: text, isBeginning: false })
const beginning = (text: string) => ({ word: text, isBeginning: true })

/** What is found, ascending, those by their titles with a `t`. */
function found(index: WordIndex, query: WordQuery): readonly string[] {
  const texts: [number, boolean][] = []
  const count = index.match(query, (text, isInTitle) => texts.push([text, isInTitle]))
  expect(count).toBe(texts.length)
  return texts.sort(([one], [other]) => one - other).map(([text, isInTitle]) => `${text}${isInTitle ? 't' : ''}`)
}

describe('an index of words', () => {
  function threeTexts(): WordIndex {
    const index = new WordIndex()
    index.add(0, ['dior', 'sauvage'], ['fresh', 'pepper'])
    index.add(1, ['creed', 'aventus'], ['sauvage', 'fresh'])
    index.add(2, ['dior', 'sauvageot'], ['rose'])
    return index
  }

  it.each([
    [[[word('dior')]], ['0t', '2t']],
    [[[word('sauvage')]], ['0t', '1']],
    [[[beginning('sauvage')]], ['0t', '1', '2t']],
    [
      [[word('dior')], [beginning('sauv')]],
      ['0t', '2t'],
    ],
    [
      [[word('fresh')], [word('sauvage')]],
      ['0', '1'],
    ],
    [[[word('rose'), word('creed')]], ['1t', '2']],
    [
      [[word('rose'), word('pepper')], [word('dior')]],
      ['0', '2'],
    ],
    [[[word('dior')], [word('creed')]], []],
    [[[beginning('x')]], []],
    [[[word('sauv')]], []],
    [[[]], []],
    [[], []],
  ] as [WordQuery, string[]][])('finds by %j %j', (query, expected) => {
    expect(found(threeTexts(), query)).toEqual(expected)
  })

  it('finds a text by its title when one word of several is there, whichever is looked for first', () => {
    const index = threeTexts()
    for (const terms of [
      [word('fresh'), word('dior')],
      [word('dior'), word('fresh')],
    ]) {
      expect(found(index, [terms])).toEqual(['0t', '1', '2t'])
      expect(found(index, [[word('sauvage')], terms])).toEqual(['0t', '1'])
    }
  })

  it('counts texts once, so far as it is asked to', () => {
    const index = threeTexts()
    expect(index.count([beginning('sauvage')], 40)).toBe(3)
    expect(index.count([beginning('sauvage')], 2)).toBe(2)
    expect(index.count([beginning('s'), word('sauvage'), word('fresh')], 40)).toBe(3)
    expect(index.count([word('sauvage')], 40, 'title')).toBe(1)
  })

  it('finds what was removed no more, and what was added with new words at once', () => {
    const index = threeTexts()
    index.remove(0)
    index.add(3, ['dior', 'fahrenheit'], ['leather'])
    expect(found(index, [[word('dior')]])).toEqual(['2t', '3t'])
    expect(index.count([word('sauvage')], 40)).toBe(1)
    expect(found(index, [[beginning('f')]])).toEqual(['1', '3t'])
  })

  it('finds the same as looking at each text does, among many with many new words', () => {
    const words = Array.from({ length: 400 }, (_, number) => `w${(number * 7919) % 1000}`)
    const texts = Array.from({ length: 500 }, (_, text) => ({
      title: new Set([words[text % 400], words[(text * 3) % 400]] as string[]),
      other: words.filter((_, place) => (place * 31 + text * 17) % 41 === 0),
    }))
    const index = new WordIndex()
    texts.forEach(({ title, other }, text) => {
      index.add(
        text,
        [...title],
        other.filter((each) => !title.has(each)),
      )
    })
    const has = (all: Iterable<string>, { word: asked, isBeginning }: { word: string; isBeginning: boolean }) =>
      [...all].some((each) => (isBeginning ? each.startsWith(asked) : each === asked))
    let foundInAll = 0
    for (let number = 0; number < 300; number += 1) {
      const at = (step: number) => words[(number * step) % 400] ?? ''
      const query = [[beginning(at(3).slice(0, 3))], [word(at(5)), beginning(at(7).slice(0, 2))]].slice(number % 2)
      const expected = texts.flatMap(({ title, other }, text) => {
        if (!query.every((terms) => terms.some((term) => has([...title, ...other], term)))) return []
        return `${text}${query.every((terms) => terms.some((term) => has(title, term))) ? 't' : ''}`
      })
      expect(found(index, query)).toEqual(expected)
      foundInAll += expected.length
    }
    expect(foundInAll).toBeGreaterThan(1000)
  })
})
