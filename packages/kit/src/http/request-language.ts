import type { IncomingHttpHeaders } from 'node:http'
import {
  asLanguage,
  DEFAULT_LANGUAGE,
  LANGUAGE_COOKIE,
  LANGUAGE_PARAMETER,
  type Language,
  wishedLanguage,
} from '@wangian/contracts/languages.ts'

/** What the language of an answer depends on besides its address. */
export const LANGUAGE_VARY = 'Accept-Language, Cookie'

const cookie = new RegExp(`(?:^|;)\\s*${LANGUAGE_COOKIE}=([a-z]+)\\s*(?:;|$)`)

/** What the language of a request is read from. */
interface LanguageRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/**
 * The language that whoever asks reads: what the address says, else what they have chosen, else what their browser wishes for. A page is
 * served in it, and what is asked for from a page has the same.
 */
export function languageOf({ url, headers }: LanguageRequest): Language {
  return (
    languageOfAddress(url) ??
    languageOfCookie(headers) ??
    wishedLanguage(headers['accept-language']) ??
    DEFAULT_LANGUAGE
  )
}

/**
 * The cookie by which an address chooses for the visit, and not against what the person has chosen; `null` when it does not.
 * @param isSecure whether people reach us by https
 */
export function languageCookieOf({ url, headers }: LanguageRequest, isSecure: boolean): string | null {
  const language = languageOfAddress(url)
  if (language === null || languageOfCookie(headers) !== null) return null
  return `${LANGUAGE_COOKIE}=${language}; Path=/; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

function languageOfAddress(url: string): Language | null {
  const [, query = ''] = url.split('?')
  return asLanguage(new URLSearchParams(query).get(LANGUAGE_PARAMETER))
}

function languageOfCookie(headers: IncomingHttpHeaders): Language | null {
  return asLanguage(cookie.exec(headers.cookie ?? '')?.[1])
}
