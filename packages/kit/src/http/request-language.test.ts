import { describe, expect, it } from 'vitest'
import { languageOf } from './request-language.ts'

describe('the language of a request', () => {
  it.each([
    ['nothing is said', '/', {}, 'en'],
    ['the browser wishes for it', '/', { 'accept-language': 'ms-MY,ms;q=0.9,en;q=0.5' }, 'ms'],
    ['it was chosen', '/', { cookie: 'wangian-language=ms', 'accept-language': 'en' }, 'ms'],
    ['it was chosen among other cookies', '/', { cookie: 'a=b; wangian-language=ms; c=d' }, 'ms'],
    ['the choice is of no language', '/', { cookie: 'wangian-language=xx', 'accept-language': 'ms' }, 'ms'],
    ['another cookie has the name in it', '/', { cookie: 'not-wangian-language=ms' }, 'en'],
    ['the address says it', '/products?category=4&lang=ms', { cookie: 'wangian-language=en' }, 'ms'],
    ['the address says what is the default', '/?lang=en', { cookie: 'wangian-language=ms' }, 'en'],
    ['the address names none of ours', '/?lang=de', { cookie: 'wangian-language=ms' }, 'ms'],
  ])('when %s', (_when, url, headers, language) => {
    expect(languageOf({ url, headers })).toBe(language)
  })
})
