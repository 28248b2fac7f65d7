import type { Language } from '@wangian/contracts/languages.ts'
import type { en } from './en.ts'
import type { adminWords } from './en-admin.ts'
import type { firstWords } from './en-first.ts'

type AllWords = typeof firstWords & typeof en & typeof adminWords

/** Where some words are: `product.inStock` for those that are `inStock_one` and `inStock_other` within `product`. */
export type WordsKey = KeysOf<AllWords>

type KeysOf<Words> = {
  [Key in keyof Words & string]: Words[Key] extends string ? WithoutForm<Key> : `${Key}.${KeysOf<Words[Key]>}`
}[keyof Words & string]

type WithoutForm<Key extends string> = Key extends `${infer Base}_${'zero' | 'one' | 'other'}` ? Base : Key

/** What is put into a sentence where it says `{{name}}`; `count` also decides between its forms. */
export type Parts = Readonly<Record<string, string | number | null | undefined>>

/** The words of a key in one language; the key itself while they are not there. */
export type Translate = (key: WordsKey, parts?: Parts) => string

/** The words at a dotted path in the first of some nested objects that has them. */
export function findWords(dictionaries: readonly object[], key: string): string | undefined {
  const path = key.split('.')
  for (const dictionary of dictionaries) {
    let found: unknown = dictionary
    for (const name of path) found = (found as Readonly<Record<string, unknown>> | undefined)?.[name]
    if (typeof found === 'string') return found
  }
  return undefined
}

/** Makes the translator of a language. Its dictionaries may grow. */
export function translatorIn(language: Language, dictionaries: readonly object[]): Translate {
  const numbers = new Intl.NumberFormat(language)
  const forms = new Intl.PluralRules(language)
  const find = (key: string) => findWords(dictionaries, key)
  return (key, parts = {}) => {
    const { count } = parts
    const ofCount =
      typeof count === 'number'
        ? ((count === 0 ? find(`${key}_zero`) : undefined) ??
          find(`${key}_${forms.select(count)}`) ??
          find(`${key}_other`))
        : undefined
    const sentence = ofCount ?? find(key) ?? key
    return sentence.replace(/\{\{(\w+)(, number)?\}\}/g, (_, name: string, isNumber: string | undefined) =>
      isNumber ? numbers.format(Number(parts[name])) : String(parts[name] ?? ''),
    )
  }
}
