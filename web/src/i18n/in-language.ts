import type { Language } from '@wangian/contracts/languages.ts'
import { shownLanguage } from './i18n.ts'

/** Which way of writing dates and numbers goes with a language here. */
const locales = { en: 'en-MY', ms: 'ms-MY' } as const satisfies Record<Language, string>

/** Formats, made once for each language that is shown: `const formats = inLanguage((locale) => new Intl.…)`. */
export function inLanguage<Formats>(make: (locale: string, language: Language) => Formats): () => Formats {
  const made = new Map<Language, Formats>()
  return () => {
    const language = shownLanguage()
    const formats = made.get(language) ?? make(locales[language], language)
    made.set(language, formats)
    return formats
  }
}
