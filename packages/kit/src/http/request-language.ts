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

/**
 * The language that whoever asks reads: what the address says, else what they have chosen, else what their browser wishes for. A page is
 * served in it, and what is asked for from a page has the same.
 */
export function languageOf({
  url,
  headers,
}: {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}): Language {
  const [, query = ''] = url.split('?')
  return (
    asLanguage(new URLSearchParams(query).get(LANGUAGE_PARAMETER)) ??
    asLanguage(cookie.exec(headers.cookie ?? '')?.[1]) ??
    wishedLanguage(headers['accept-language']) ??
    DEFAULT_LANGUAGE
  )
}
