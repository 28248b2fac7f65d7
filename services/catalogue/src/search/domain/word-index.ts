import { grown, type Postings, TextsOfWords } from './texts-of-words.ts'

/** A word, or how words begin. */
export interface Term {
  readonly word: string
  /** Whether the last letters may be missing. */
  readonly isBeginning: boolean
}

/** One term of each list must be there; a query without any finds nothing. */
export type WordQuery = readonly (readonly Term[])[]

/** All that have one of some terms, in their titles or elsewhere; `length` is of all lists together. */
interface Lists {
  readonly titles: readonly Postings[]
  readonly others: readonly Postings[]
  readonly length: number
}

const STAMP_MAX = 2 ** 32 - 1

/**
 * Which texts have which words: an inverted index, with the texts that have a word in a list for each word (Zobel and Moffat, "Inverted files for text
 * search engines", ACM Computing Surveys 38, 2006). Texts have numbers from 0 on, and one that changes gets another one.
 */
export class WordIndex {
  readonly #titles = new TextsOfWords()
  readonly #others = new TextsOfWords()
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
    this.#titles.add(text, titleWords)
    this.#others.add(text, otherWords)
  }

  /** It is found no more, and its number is not used again. */
  remove(text: number): void {
    this.#isRemoved[text] = 1
  }

  /** @returns how many texts were found, which `found` was called for one after the other */
  match(query: WordQuery, found: (text: number, isInTitle: boolean) => void): number {
    if (query.length === 0) return 0
    // The shortest first: few texts are marked by it, and only those are looked at again.
    const groups = query.map((terms) => this.#listsOf(terms)).sort((one, other) => one.length - other.length)
    const first = this.#stampsFor(groups.length)
    let matched = 0
    for (const [index, lists] of groups.entries()) {
      matched = this.#mark(lists, first + index, index === 0)
      if (matched === 0) return 0
    }
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
    const { titles, others } = this.#listsOf(terms)
    let count = 0
    for (const { entries, length } of where === 'title' ? titles : [...titles, ...others]) {
      for (let place = 0; place < length && count < max; place += 1) {
        const text = entries[place] ?? 0
        if (this.#marks[text] === stamp || this.#isRemoved[text]) continue
        this.#marks[text] = stamp
        count += 1
      }
    }
    return count
  }

  /** Marks the texts in these lists that have the mark before. @returns how many, each once; `#matched` has them */
  #mark({ titles, others }: Lists, stamp: number, isFirst: boolean): number {
    const [marks, titleMarks, isRemoved, matched] = [this.#marks, this.#titleMarks, this.#isRemoved, this.#matched]
    let count = 0
    for (const lists of [titles, others]) {
      for (const { entries, length } of lists) {
        for (let place = 0; place < length; place += 1) {
          const text = entries[place] ?? 0
          const mark = marks[text]
          if (mark === stamp - 1 || (isFirst && mark !== stamp && !isRemoved[text])) {
            marks[text] = stamp
            matched[count] = text
            count += 1
          }
          if (lists === titles && (isFirst || titleMarks[text] === stamp - 1)) titleMarks[text] = stamp
        }
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

  #listsOf(terms: readonly Term[]): Lists {
    const listsIn = (texts: TextsOfWords) => terms.flatMap(({ word, isBeginning }) => texts.of(word, isBeginning))
    const [titles, others] = [listsIn(this.#titles), listsIn(this.#others)]
    return { titles, others, length: lengthOf(titles) + lengthOf(others) }
  }

  #grow(length: number): void {
    const room = Math.max(length, this.#marks.length * 2)
    this.#marks = grown(this.#marks, room)
    this.#titleMarks = grown(this.#titleMarks, room)
    this.#isRemoved = grown(this.#isRemoved, room)
    this.#matched = grown(this.#matched, room)
  }
}

function lengthOf(lists: readonly Postings[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0)
}
