import { asLanguage, LANGUAGE_COOKIE, LANGUAGE_PARAMETER, type Language } from '@wangian/contracts/languages.ts'
import { writeStored } from '../lib/browser-storage.ts'
import { showLanguage } from './i18n.ts'

/** Tells other tabs (`language.ts`); the server is told by the cookie. */
const storageKey = 'wangian-language'
const yearS = 365 * 24 * 60 * 60

/** What a person wants to read from now on, here and in all tabs. Nothing is loaded again, so that nothing half written is lost. */
export async function chooseLanguage(language: Language): Promise<void> {
  await show(language)
  keep(language)
  writeStored('localStorage', storageKey, language)
}

/** Somebody chose in another tab. */
export async function followChoice(chosen: string | null): Promise<void> {
  const language = asLanguage(chosen)
  if (language !== null) await show(language)
}

async function show(language: Language): Promise<void> {
  await showLanguage(language)
  document.documentElement.lang = language
  // It would choose again when the page is loaded anew.
  const address = new URL(window.location.href)
  if (!address.searchParams.has(LANGUAGE_PARAMETER)) return
  address.searchParams.delete(LANGUAGE_PARAMETER)
  window.history.replaceState(window.history.state, '', address)
}

function keep(language: Language): void {
  const guard = window.location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has a Cookie Store, and the next page may be asked for at once.
  document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; SameSite=Lax${guard}; Max-Age=${yearS}`
}
