import { asLanguage, DEFAULT_LANGUAGE } from '@wangian/contracts/languages.ts'
import { loadRetrying } from '../lib/lazy-part.ts'
import { showLanguage } from './i18n.ts'

/** Begins in the language that the server has put the page in: it knows what was chosen and what the browser wishes for. */
export async function startLanguage(show = showLanguage): Promise<void> {
  const language = asLanguage(document.documentElement.lang) ?? DEFAULT_LANGUAGE
  window.addEventListener('storage', ({ key, newValue }) => {
    // Few choose.
    if (key === 'wangian-language')
      void import('./language-choice.ts').then(({ followChoice }) => followChoice(newValue))
  })
  // Without words nothing can be shown, and nothing be said of that either.
  await loadRetrying(() => show(language))
}
