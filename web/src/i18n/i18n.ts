import { DEFAULT_LANGUAGE, type Language } from '@wangian/contracts/languages.ts'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { en } from './en.ts'
import type { adminWords } from './en-admin.ts'
import type { firstWords } from './en-first.ts'
import type { LanguageFiles } from './language-files.ts'
import type { Translator } from './translator.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof firstWords & typeof en & typeof adminWords }
  }
}

/** Only the language that is shown is loaded. */
const files: Record<Language, () => Promise<LanguageFiles>> = {
  en: async () => (await import('./english.ts')).english,
  ms: async () => (await import('./malay.ts')).malay,
}

/** Has no words before `showLanguage` has brought the first. */
export const i18n = i18next.createInstance()
void i18n.use(initReactI18next).init({
  lng: DEFAULT_LANGUAGE,
  fallbackLng: false,
  resources: {},
  // React escapes already.
  interpolation: { escapeValue: false },
  // Whatever shows words waits for them by itself.
  react: { useSuspense: false },
  initAsync: false,
})

type Dictionary = keyof LanguageFiles

/** What this visit has needed. */
const needed = new Set<Dictionary>(['first'])
const brought = new Set<string>()
/** The language that is shown, or is about to be. */
let wanted: Language = DEFAULT_LANGUAGE

/** The language that is shown. */
export function shownLanguage(): Language {
  return i18n.language as Language
}

/** Shows everything in a language, once its words are there. Of two that are asked for at once, the later one is shown. */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language
  await bringAll(language)
  if (wanted === language) await i18n.changeLanguage(language)
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
  const find = (name: string) => i18n.getResource(i18n.language, 'translation', name)
  return find('translator') ?? find('firstTranslator')
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
  const dictionaries = await files[language]()
  await Promise.all(
    missing.map(async (name) => {
      // A copy would be made by way of JSON, which has no functions.
      i18n.addResourceBundle(language, 'translation', await dictionaries[name](), true, true, { skipCopy: true })
      brought.add(language + name)
    }),
  )
  await bringAll(language)
}
