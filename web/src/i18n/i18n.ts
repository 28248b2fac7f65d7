import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { en } from './en.ts'
import type { adminWords } from './en-admin.ts'
import { firstWords } from './en-first.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof firstWords & typeof en & typeof adminWords }
  }
}

/** Ready when this module is, with the words that the first page needs. */
export const i18n = i18next.createInstance()
void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: firstWords } },
  // React escapes already.
  interpolation: { escapeValue: false },
  initAsync: false,
})

/** Brings the words of all other pages. Whatever shows one of them waits for it. */
export async function loadWords(): Promise<void> {
  const { en } = await import('./en.ts')
  i18n.addResourceBundle('en', 'translation', en)
}

/** Brings the words of the pages for administrators, who are few. */
export async function loadAdminWords(): Promise<void> {
  const { adminWords } = await import('./en-admin.ts')
  i18n.addResourceBundle('en', 'translation', adminWords)
}
