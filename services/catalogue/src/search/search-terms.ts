import damerauLevenshtein from 'damerau-levenshtein'
import type { Term, WordQuery } from './domain/word-index.ts'

/** More words than anybody types; the others are not looked at. */
export const SEARCH_WORDS_MAX = 8
/** How many typing errors a word may have at most and still be recognised. */
const ERRORS_MAX = 2
/** Longer words are not corrected: comparing takes the square of their letters. */
const CORRECTED_LETTERS_MAX = 40
/** Uses of a word are counted so far. */
export const USES_COUNTED_MAX = 40
/** A word with so few uses may be a misspelt one that somebody else misspelt, too. */
export const RARE_USES_MAX = 2
/** Then a word like it has at least so many. */
const FREQUENT_USES_MIN = 20
const ALTERNATIVES_MAX = 3
/** A name of so few words is the one that is looked for in whatever order they are typed. */
const NAME_WORDS_MAX = 3

/**
 * What was typed, in parts of which each is mostly a word: the others are only known to the database, which knows how letters are written.
 * Characters that are neither letters nor digits in any way of writing part words, so that the words of the parts are those of the whole.
 */
export function partsOf(search: string): readonly string[] {
  const parts = search.split(/[\s!-/:-@[-`{-~]+/).filter((part) => part !== '')
  return parts.slice(0, SEARCH_WORDS_MAX)
}

/** A word that was searched for, as `search_text` of the database writes it, and what is known of it. */
export interface AskedWord {
  readonly word: string
  /** How many listings have a word that begins like this one, as far as it is counted. */
  readonly uses: number
  /** Words of names and brands that are like it; where they were looked up. */
  readonly near: readonly { readonly word: string; readonly uses: number }[]
}

/**
 * Every word must be there, the last letters of what was typed may be missing. The same words in another order are the same search.
 */
export interface SearchTerms {
  /** What was typed, if that may find anything: it comes first. */
  readonly leading: WordQuery
  /** What else it may mean. */
  readonly other: WordQuery | null
  /** The words as they were understood, when that is not as they were typed. */
  readonly corrected: string | null
}

interface Understood {
  readonly word: string
  /** One of these must be there. */
  readonly terms: readonly Term[]
}

/**
 * What to look for. A word that nobody used is taken for the likest ones (by Damerau and Levenshtein's distance) that somebody did. One that
 * hardly anybody used is looked for, and so are the likest ones that many did.
 */
export function searchTerms(asked: readonly AskedWord[]): SearchTerms {
  const understood = asked.map(asUnderstood)
  const corrected = correctedOf(asked, understood)
  if (corrected === null || asked.some(({ uses }) => uses === 0)) {
    return { leading: queryOf(understood), other: null, corrected }
  }
  return { leading: queryOf(asked.map(asTyped)), other: queryOf(understood), corrected }
}

/** What else could be meant when nothing has all of these words: one of them is taken for another. In one order, whichever the words were typed in. */
export function otherTerms(asked: readonly AskedWord[]): readonly SearchTerms[] {
  const understood = asked.map(asUnderstood)
  const others = asked.flatMap((one, index) =>
    likestOf(one, 1).map((word) => {
      const words = understood.with(index, { word, terms: [{ word, isBeginning: false }] })
      return { leading: queryOf(words), other: null, corrected: correctedOf(asked, words) }
    }),
  )
  const textOf = ({ leading }: SearchTerms) => JSON.stringify(leading)
  return others.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1))
}

function asTyped({ word }: AskedWord): Understood {
  return { word, terms: [{ word, isBeginning: true }] }
}

function asUnderstood(asked: AskedWord): Understood {
  if (asked.uses > RARE_USES_MAX) return asTyped(asked)
  const likest = likestOf(asked, asked.uses === 0 ? 1 : FREQUENT_USES_MIN)
  const [first] = likest
  return first === undefined
    ? asTyped(asked)
    : { word: first, terms: likest.map((word) => ({ word, isBeginning: false })) }
}

/** The words with so many uses that are likest to what was typed, and like enough. */
function likestOf({ word, near }: AskedWord, usesMin: number): readonly string[] {
  const distances = near
    .filter((candidate) => isLikeEnough(word, candidate.word) && candidate.uses >= usesMin)
    .map((candidate) => ({ word: candidate.word, errors: damerauLevenshtein(word, candidate.word).steps }))
  const fewest = Math.min(...distances.map(({ errors }) => errors))
  const likest = distances.filter(({ errors }) => errors === fewest)
  return likest.slice(0, ALTERNATIVES_MAX).map((candidate) => candidate.word)
}

/** Whether a word may be meant by another one that was typed. */
export function isLikeEnough(typed: string, word: string): boolean {
  const max = errorsMax(typed.length)
  if (max === 0 || word === typed || Math.abs(word.length - typed.length) > max) return false
  return damerauLevenshtein(typed, word).steps <= max
}

/** How many typing errors a word of this length may have and still be recognised. */
function errorsMax(length: number): number {
  if (length <= 3 || length > CORRECTED_LETTERS_MAX) return 0
  return length <= 5 ? 1 : ERRORS_MAX
}

function queryOf(words: readonly Understood[]): WordQuery {
  const wordOf = ([first]: readonly Term[]) => first?.word ?? ''
  const once = new Map(words.map(({ word, terms }) => [word, terms]))
  return [...once.values()].sort((one, other) => (wordOf(one) < wordOf(other) ? -1 : 1))
}

/** What a name is, as `search_key` of the database writes it, that is made of these words. */
export function nameKeysOf(words: readonly string[]): readonly string[] {
  if (words.length > NAME_WORDS_MAX) return [words.join('')]
  return ordersOf(words)
    .map((order) => order.join(''))
    .sort()
}

function ordersOf(words: readonly string[]): readonly (readonly string[])[] {
  if (words.length < 2) return [words]
  return words.flatMap((word, index) => ordersOf(words.toSpliced(index, 1)).map((others) => [word, ...others]))
}

function correctedOf(asked: readonly AskedWord[], understood: readonly Understood[]): string | null {
  const isCorrected = understood.some(({ word }, index) => word !== asked[index]?.word)
  return isCorrected ? understood.map(({ word }) => word).join(' ') : null
}
