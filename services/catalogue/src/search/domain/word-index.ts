import { countBefore } from './halving.ts'

/** A word, or how words begin. */
export interface Term {
  readonly word: string
  /** Whether the last letters may be missing. */
  readonly isBeginning: boolean
}

/** One term of each list must be there; a query without any finds nothing. */
export type WordQuery = readonly (readonly Term[])[]

/** Of more new words all are sorted at once; fewer are put in their places. */
const PUT_SINGLY_MAX = 100
const STAMP_MAX = 2 ** 32 - 1

/**
 * Which texts have which words: an inverted index, with the texts that have a word in a list for each word (Zobel and Moffat, "Inverted files for text
 * search engines", ACM Computing Surveys 38, 2006). Texts have numbers from 0 on, and one that changes gets another one.
 */
export class WordIndex {
  readonly #postings = new Map<string, Postings>()
  #words: string[] = []
  #newWords: string[] = []
  /** By text: how many lists of the query have it so far, as a number that grows with each list of each query; and the same of titles alone. */
  #marks = new Uint32Array()
  #titleMarks = new Uint32Array()
  #lastStamp = 0
  #isRemoved = new Uint8Array()
  #matched = new Uint32Array()

  /**
   * @param text its number, greater than those before
   * @param titleWords and `otherWords`: each once
   */
  add(text: number, titleWords: readonly string[], otherWords: readonly string[]): void {
    if (text >= this.#marks.length) this.#grow(text + 1)
    for (const word of titleWords) this.#listOf(word).add(text * 2 + 1)
    for (const word of otherWords) this.#listOf(word).add(text * 2)
  }

  /** It is found no more, and its number is not used again. */
  remove(text: number): void {
    this.#isRemoved[text] = 1
  }

  /** @returns how many texts were found, which `found` was called for one after the other */
  match(query: WordQuery, found: (text: number, isInTitle: boolean) => void): number {
    if (query.length === 0) return 0
    // The shortest first: few texts are marked by it, and only those are looked at again.
    const groups = query.map((terms) => this.#listsOfAny(terms)).sort(byLength)
    if (groups[0]?.length === 0) return 0
    const first = this.#stampsFor(groups.length)
    let matched = 0
    groups.forEach((lists, index) => {
      matched = this.#mark(lists, first + index, index === 0)
    })
    const last = first + groups.length - 1
    for (let place = 0; place < matched; place += 1) {
      const text = this.#matched[place] ?? 0
      found(text, this.#titleMarks[text] === last)
    }
    return matched
  }

  /** How many texts have one of the words, or their titles do, as far as `max`. */
  count(terms: readonly Term[], max: number, where: 'text' | 'title' = 'text'): number {
    const stamp = this.#stampsFor(1)
    let count = 0
    for (const { entries, length } of this.#listsOfAny(terms)) {
      for (let place = 0; place < length && count < max; place += 1) {
        const entry = entries[place] ?? 0
        const text = entry >>> 1
        if (this.#marks[text] === stamp || this.#isRemoved[text] || (where === 'title' && !(entry & 1))) continue
        this.#marks[text] = stamp
        count += 1
      }
    }
    return count
  }

  /** Marks the texts in these lists that have the mark before. @returns how many, each once; `#matched` has them */
  #mark(lists: readonly Postings[], stamp: number, isFirst: boolean): number {
    const [marks, titleMarks, isRemoved, matched] = [this.#marks, this.#titleMarks, this.#isRemoved, this.#matched]
    let count = 0
    for (const { entries, length } of lists) {
      for (let place = 0; place < length; place += 1) {
        const entry = entries[place] ?? 0
        const text = entry >>> 1
        const mark = marks[text]
        if (mark === stamp - 1 || (isFirst && mark !== stamp && !isRemoved[text])) {
          marks[text] = stamp
          matched[count] = text
          count += 1
        }
        if (entry & 1 && (isFirst || titleMarks[text] === stamp - 1)) titleMarks[text] = stamp
      }
    }
    return count
  }

  /** The first of so many stamps in a row that no text has, nor the one before them. */
  #stampsFor(count: number): number {
    if (this.#lastStamp + count + 1 > STAMP_MAX) {
      this.#marks.fill(0)
      this.#titleMarks.fill(0)
      this.#lastStamp = 0
    }
    const first = this.#lastStamp + 2
    this.#lastStamp += count + 1
    return first
  }

  #listOf(word: string): Postings {
    const known = this.#postings.get(word)
    if (known !== undefined) return known
    const list = new Postings()
    this.#postings.set(word, list)
    this.#newWords.push(word)
    return list
  }

  #listsOfAny(terms: readonly Term[]): readonly Postings[] {
    return terms.flatMap((term) => this.#listsOf(term))
  }

  #listsOf({ word, isBeginning }: Term): readonly Postings[] {
    const words = isBeginning ? this.#wordsThatBegin(word) : [word]
    return words.flatMap((each) => this.#postings.get(each) ?? [])
  }

  #wordsThatBegin(letters: string): readonly string[] {
    this.#sortNewWords()
    const from = placeOf(letters, this.#words)
    let to = from
    while (this.#words[to]?.startsWith(letters)) to += 1
    return this.#words.slice(from, to)
  }

  #sortNewWords(): void {
    if (this.#newWords.length > PUT_SINGLY_MAX) this.#words = [...this.#words, ...this.#newWords].sort()
    else for (const word of this.#newWords) this.#words.splice(placeOf(word, this.#words), 0, word)
    this.#newWords = []
  }

  #grow(length: number): void {
    const room = Math.max(length, this.#marks.length * 2)
    this.#marks = grown(this.#marks, room)
    this.#titleMarks = grown(this.#titleMarks, room)
    this.#isRemoved = grown(this.#isRemoved, room)
    this.#matched = grown(this.#matched, room)
  }
}

/** The texts that have a word, ascending: of each its number twice, and one more where its title has the word. */
class Postings {
  entries = new Uint32Array(4)
  length = 0

  add(entry: number): void {
    if (this.length === this.entries.length) this.entries = grown(this.entries, this.length * 2)
    this.entries[this.length] = entry
    this.length += 1
  }
}

/** The same numbers with room for more behind them. */
export function grown<Numbers extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  numbers: Numbers,
  length: number,
): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(length)
  larger.set(numbers)
  return larger
}

function byLength(one: readonly Postings[], other: readonly Postings[]): number {
  const lengthOf = (lists: readonly Postings[]) => lists.reduce((sum, { length }) => sum + length, 0)
  return lengthOf(one) - lengthOf(other)
}

/** The first place of a sorted list whose word is not less. */
function placeOf(word: string, sorted: readonly string[]): number {
  return countBefore(sorted.length, (place) => (sorted[place] ?? '') < word)
}
