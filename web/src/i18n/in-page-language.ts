import { shownTranslator } from './i18n.ts'

/**
 * A sentence of our servers or of the auth provider, which speak English, in the language of the page; where it is not known, what its
 * code says.
 */
export function sentenceInPageLanguage(sentence: string, code?: string): string {
  return shownTranslator()?.(sentence, code) ?? sentence
}
