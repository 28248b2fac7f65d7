import damerauLevenshtein from 'damerau-levenshtein'

/** More words than anybody types; the others are not looked at. */
export const SEARCH_WORDS_MAX = 8
const ALTERNATIVES_MAX = 3

/** A word that was searched for, as `search_text` of the database writes it, and what is known of it. */
export interface AskedWord {
  readonly word: string
  /** Whether any listing has a word that begins like this one. */
  readonly isKnown: boolean
  /** Words of names and brands that look like it; only for a word that is not known. */
  readonly near: readonly string[]
}

export interface SearchTerms {
  /** For `to_tsquery('simple', …)`: every word must be there, the last letters of each may be missing. */
  readonly tsquery: string
  /** The words as they were understood, when that is not as they were typed. */
  readonly corrected: string | null
}

/** How many typing errors a word of this length may have and still be recognised. */
function errorsMax(length: number): number {
  if (length <= 3) return 0
  return length <= 5 ? 1 : 2
}

/** What to look for. A word that nobody used is taken for the likest ones (by Damerau and Levenshtein's distance) that somebody did. */
export function searchTerms(asked: readonly AskedWord[]): SearchTerms {
  const understood = asked.map(({ word, isKnown, near }) => {
    if (isKnown) return { word, terms: [`'${word}':*`] }
    const distances = near.map((candidate) => ({ candidate, errors: damerauLevenshtein(word, candidate).steps }))
    const fewest = Math.min(...distances.map(({ errors }) => errors), errorsMax(word.length) + 1)
    const likest = distances.filter(({ errors }) => errors === fewest && errors <= errorsMax(word.length))
    const [first] = likest
    if (first === undefined) return { word, terms: [`'${word}':*`] }
    return { word: first.candidate, terms: likest.slice(0, ALTERNATIVES_MAX).map(({ candidate }) => `'${candidate}'`) }
  })
  const words = understood.map(({ word }) => word)
  return {
    tsquery: understood.map(({ terms }) => (terms.length === 1 ? terms[0] : `(${terms.join(' | ')})`)).join(' & '),
    corrected: words.some((word, index) => word !== asked[index]?.word) ? words.join(' ') : null,
  }
}
