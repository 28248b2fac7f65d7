import { DEFAULT_LANGUAGE, type Language } from '@wangian/contracts/languages.ts'
import type { LanguageFiles } from './language-files.ts'
import { findWords, type Translate, translatorIn, type WordsKey } from './translate.ts'
import type { Translator } from './translator.ts'

/** Only the language that is shown is loaded. */
const files: Record<Language, () => Promise<LanguageFiles>> = {
  en: async () => (await import('./english.ts')).english,
  ms: async () => (await import('./malay.ts')).malay,
}

/** A language with its translator, the same one as long as it is shown. */
export interface Shown {
  readonly language: Language
  readonly t: Translate
}

/** Without words before `showLanguage` has brought the first. */
const dictionaries: Record<Language, object[]> = { en: [], ms: [] }
const languages: Record<Language, Shown> = {
  en: { language: 'en', t: translatorIn('en', dictionaries.en) },
  ms: { language: 'ms', t: translatorIn('ms', dictionaries.ms) },
}
let shown = languages[DEFAULT_LANGUAGE]
const listeners = new Set<() => void>()

/** The words of the language that is shown, for what is no component. */
export const i18n = {
  t: ((key, parts) => shown.t(key, parts)) satisfies Translate as Translate,
  exists: (key: string): key is WordsKey => findWords(dictionaries[shown.language], key) !== undefined,
}

/** The language that is shown, with its translator. */
export function shownTranslation(): Shown {
  return shown
}

/** Tells when another language is shown. @returns what stops that */
export function onOtherLanguage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Gives a language more words. */
export function addWords(language: Language, words: object): void {
  dictionaries[language].push(words)
}

/** Shows everything in a language whose words are there. */
export function switchTo(language: Language): void {
  shown = languages[language]
  for (const listener of listeners) listener()
}

type Dictionary = keyof LanguageFiles

/** What this visit has needed. */
const needed = new Set<Dictionary>(['first'])
const brought = new Set<string>()
/** The language that is shown, or is about to be. */
let wanted: Language = DEFAULT_LANGUAGE

/** The language that is shown. */
export function shownLanguage(): Language {
  return shown.language
}

/** Shows everything in a language, once its words are there. Of two that are asked for at once, the later one is shown. */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language
  await bringAll(language)
  if (wanted === language) switchTo(language)
}

/** Brings the words of all other pages. Whatever shows one of them waits for it. */
export async function loadWords(): Promise<void> {
  await need('pages')
}

/** Brings the words of the pages for administrators. */
export async function loadAdminWords(): Promise<void> {
  await need('admin')
}

/** Brings the pages of text. */
export async function loadGuides(): Promise<void> {
  await need('guides')
}

/** Puts into the language that is shown what servers say; `undefined` where they speak it themselves. */
export function shownTranslator(): Translator | undefined {
  return (shownEntry('translator') ?? shownEntry('firstTranslator')) as Translator | undefined
}

/** What a dictionary of the language that is shown has under a name and is no sentence. */
export function shownEntry(name: string): unknown {
  for (const dictionary of dictionaries[shown.language]) {
    if (Object.hasOwn(dictionary, name)) return dictionary[name as keyof object]
  }
  return undefined
}

async function need(name: Dictionary): Promise<void> {
  needed.add(name)
  // Another language may be chosen while the words of this one come.
  await Promise.all([bringAll(shownLanguage()), bringAll(wanted)])
}

/** Also what comes to be needed meanwhile. */
async function bringAll(language: Language): Promise<void> {
  const missing = [...needed].filter((name) => !brought.has(language + name))
  if (missing.length === 0) return
  const found = await files[language]()
  await Promise.all(
    missing.map(async (name) => {
      const words = await found[name]()
      // Somebody else may have waited for the same.
      if (!brought.has(language + name)) addWords(language, words)
      brought.add(language + name)
    }),
  )
  await bringAll(language)
}
