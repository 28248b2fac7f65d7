import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextsOfWords } from './texts-of-words.ts'

const WORDS = 9000
/** In letters so few that thousands begin alike, and some are how others begin. */
const wordOf = (number: number) => `${number % 3 === 0 ? 'a long beginning that many have ' : 'é'}${number.toString(3)}`
const words = Array.from({ length: WORDS }, (_, number) => wordOf(number))
/** Each has a few words, which are in no order. */
const texts = Array.from({ length: 2 * WORDS }, (_, text) => [
  ...new Set([text * 7919, text * 31, Math.floor(text / 50)].map((number) => wordOf(number % WORDS))),
])

const filled = new TextsOfWords()
for (const [text, itsWords] of texts.entries()) filled.add(text, itsWords)

function found(word: string, isBeginning: boolean): readonly number[] {
  const entries = filled.of(word, isBeginning).flatMap((list) => [...list.entries.subarray(0, list.length)])
  return [...new Set(entries)].sort((one, other) => one - other)
}

const textsWith = (isAsked: (word: string) => boolean) =>
  texts.flatMap((itsWords, text) => (itsWords.some(isAsked) ? [text] : []))

describe('the texts of words', () => {
  it('are all that have a word that begins so, however many words do', () => {
    const beginning = fc
      .tuple(fc.constantFrom(...words), fc.nat({ max: 40 }))
      .map(([word, letters]) => word.slice(0, letters))
    fc.assert(
      fc.property(beginning, (letters) => {
        expect(found(letters, true)).toEqual(textsWith((word) => word.startsWith(letters)))
      }),
      { numRuns: 60 },
    )
    expect(found('éx', true)).toEqual([])
    expect(found('x', true)).toEqual([])
  })

  it('are all that have the very word', () => {
    fc.assert(
      fc.property(fc.constantFrom(...words), (asked) => {
        expect(found(asked, false)).toEqual(textsWith((word) => word === asked))
      }),
      { numRuns: 30 },
    )
    expect(found('é', false)).toEqual([])
  })

  it('are in few lists, each once', () => {
    const lists = filled.of('é1', true)
    expect(lists).toHaveLength(1)
    expect(lists[0]?.length).toBe(found('é1', true).length)
  })
})
