import type { IncomingHttpHeaders } from 'node:http'
import {
  asLanguage,
  DEFAULT_LANGUAGE,
  LANGUAGE_COOKIE,
  LANGUAGE_PARAMETER,
  type Language,
  wishedLanguage,
} from '@wangian/contracts/languages.ts'

/** What a page's language depends on besides its address. */
export const LANGUAGE_VARY = 'Accept-Language, Cookie'

const cookie = new RegExp(`(?:^|;)\\s*${LANGUAGE_COOKIE}=([a-z]+)\\s*(?:;|$)`)

/** The language of a page: what its address says, else what the person has chosen, else what the browser wishes for. */
export function pageLanguage(url: string, headers: IncomingHttpHeaders): Language {
  const [, query = ''] = url.split('?')
  return (
    asLanguage(new URLSearchParams(query).get(LANGUAGE_PARAMETER)) ??
    asLanguage(cookie.exec(headers.cookie ?? '')?.[1]) ??
    wishedLanguage(headers['accept-language']) ??
    DEFAULT_LANGUAGE
  )
}
