import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en }
  }
}

/** Ready when this module is: the English words are part of the app. */
export const i18n = i18next.createInstance()
void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  // React escapes already.
  interpolation: { escapeValue: false },
  initAsync: false,
})
