/** More words that begin alike have a list of their texts together. */
const BUCKET_WORDS_MAX = 2048
/** Beginnings that are longer are looked at word by word: many words that have so many letters in common are no language's. */
const LETTERS_MAX = 32

/** Texts, each once. */
export class Postings {
  entries = new Uint32Array(2)
  length = 0

  add(text: number): void {
    if (this.length === this.entries.length) this.entries = grown(this.entries, this.length * 2)
    this.entries[this.length] = text
    this.length += 1
  }

  get last(): number | undefined {
    return this.length === 0 ? undefined : this.entries[this.length - 1]
  }
}

/** Of most words it is one, which takes no list. */
type TextsOfOne = number | Postings

/** Words that begin with the same letters. */
interface Beginning {
  /** All of them as long as they are few; then the one that ends with these letters. */
  readonly words: Map<string, TextsOfOne>
  /** By how they go on, once they are many. */
  parts: Map<string, Beginning> | null
  /** Of all of them, once they are many. */
  readonly texts: Postings
}

/**
 * Which texts have a word, or words that begin so: a burst trie (Heinz, Zobel and Williams, "Burst tries", ACM Transactions on Information Systems 20, 2002) whose inner
 * nodes have the texts of all words below, so that a beginning takes some thousand lists at most, however many words begin so. No table in it is so
 * large that others wait while it grows.
 */
export class TextsOfWords {
  readonly #all = newBeginning()

  /** @param text not less than those before, `words` each once */
  add(text: number, words: readonly string[]): void {
    for (const word of words) this.#add(text, word)
  }

  /** Lists that have all texts with this word, or with words that begin so. */
  of(word: string, isBeginning: boolean): readonly Postings[] {
    let beginning = this.#all
    for (let letters = 0; beginning.parts !== null && letters < word.length; letters += 1) {
      const part = beginning.parts.get(word.charAt(letters))
      if (part === undefined) return []
      beginning = part
    }
    const { words, parts, texts } = beginning
    if (!isBeginning) return listsOf([words.get(word)])
    return parts === null
      ? listsOf(words.entries().map(([each, its]) => (each.startsWith(word) ? its : undefined)))
      : [texts]
  }

  #add(text: number, word: string): void {
    let beginning = this.#all
    let letters = 0
    for (; beginning.parts !== null; letters += 1) {
      if (beginning.texts.last !== text) beginning.texts.add(text)
      if (letters === word.length) break
      beginning = partOf(beginning.parts, word.charAt(letters))
    }
    const { words, parts } = beginning
    const known = words.get(word)
    if (known === undefined) words.set(word, text)
    else if (typeof known === 'number') words.set(word, postingsOf(known, text))
    else known.add(text)
    if (parts === null && words.size > BUCKET_WORDS_MAX && letters < LETTERS_MAX) partWords(beginning, letters)
  }
}

/** Of words that all go on alike, too, these are parted when one more is added. */
function partWords(beginning: Beginning, letters: number): void {
  const texts = new Set<number>()
  for (const { entries, length } of listsOf(beginning.words.values())) {
    for (let place = 0; place < length; place += 1) texts.add(entries[place] ?? 0)
  }
  for (const text of Uint32Array.from(texts).sort()) beginning.texts.add(text)
  beginning.parts = new Map()
  for (const [word, its] of beginning.words) {
    if (word.length === letters) continue
    partOf(beginning.parts, word.charAt(letters)).words.set(word, its)
    beginning.words.delete(word)
  }
}

/** Those of words with one text are in one list together. */
function listsOf(those: Iterable<TextsOfOne | undefined>): readonly Postings[] {
  const single = new Postings()
  const lists = [single]
  for (const texts of those) {
    if (typeof texts === 'number') single.add(texts)
    else if (texts !== undefined) lists.push(texts)
  }
  return lists
}

function newBeginning(): Beginning {
  return { words: new Map(), parts: null, texts: new Postings() }
}

function partOf(parts: Map<string, Beginning>, letter: string): Beginning {
  const known = parts.get(letter)
  if (known !== undefined) return known
  const part = newBeginning()
  parts.set(letter, part)
  return part
}

function postingsOf(...texts: readonly number[]): Postings {
  const postings = new Postings()
  for (const text of texts) postings.add(text)
  return postings
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
