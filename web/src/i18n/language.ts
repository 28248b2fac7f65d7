import { asLanguage, DEFAULT_LANGUAGE } from '@wangian/contracts/languages.ts'
import { showLanguage } from './i18n.ts'

/** Begins in the language that the server has put the page in: it knows what was chosen and what the browser wishes for. */
export async function startLanguage(): Promise<void> {
  const language = asLanguage(document.documentElement.lang) ?? DEFAULT_LANGUAGE
  // Few choose.
  const { search } = window.location
  if (search.includes('lang=')) void loadChoice().then(({ keepForVisit }) => keepForVisit(search))
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === 'wangian-language') void loadChoice().then(({ followChoice }) => followChoice(newValue))
  })
  await showLanguage(language)
}

async function loadChoice() {
  return await import('./language-choice.ts')
}
