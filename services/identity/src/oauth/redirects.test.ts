import { describe, expect, it } from 'vitest'
import { createRedirects } from './redirects.ts'

const siteUrl = 'https://wangian.test'
const redirects = createRedirects({
  siteUrl,
  allowList: ['https://*.preview.test/**', 'https://exact.test/auth-callback', 'http://bare.test'],
})

describe('a redirect', () => {
  it.each([
    ['https://wangian.test/auth-callback?a=1#b'],
    ['https://wangian.test/'],
    ['https://exact.test/auth-callback'],
    ['https://exact.test/auth-callback#fragment'],
    ['https://one.preview.test/deep/path?query=1'],
    ['http://bare.test/'],
  ])('leads to %s', (url) => {
    expect(redirects(url)).toBe(url)
  })

  it.each([
    ['another site', 'https://evil.test/auth-callback'],
    ['another scheme', 'http://wangian.test/auth-callback'],
    ['another port', 'https://wangian.test:444/'],
    ['a subdomain', 'https://evil.wangian.test/'],
    ['a longer host', 'https://wangian.test.evil.test/'],
    ['the site as a user name', 'https://wangian.test@evil.test/'],
    ['a user name on the site', 'https://evil.test@wangian.test/'],
    ['a path of another site', 'https://evil.test/https://wangian.test/'],
    ['a fragment that would match', 'https://evil.test/#https://exact.test/auth-callback'],
    ['more than one label for a star', 'https://one.two.preview.test/x'],
    ['a slash for a star', 'https://evil.test/.preview.test/x'],
    ['a query after an exact pattern', 'https://exact.test/auth-callback?x=1'],
    ['a dot that is none', 'https://exactxtest/auth-callback'],
    ['a path below a pattern without one', 'http://bare.test/x'],
    ['a script', 'javascript:alert(1)//https://wangian.test/'],
    ['data', 'data:text/html,https://wangian.test/'],
    ['a path', '/auth-callback'],
    ['an address without scheme', '//wangian.test/'],
    ['nothing', ''],
    ['a list', ['https://wangian.test/x']],
    ['nothing at all', undefined],
    ['something endless', `https://wangian.test/${'x'.repeat(2000)}`],
  ])('does not lead to %s', (_name, url) => {
    expect(redirects(url)).toBe(siteUrl)
  })

  it('answers what it checked: no parser sees another host', () => {
    expect(redirects('https:\\\\wangian.test\\@evil.test')).toBe('https://wangian.test/@evil.test')
    expect(redirects('https://wangian.test\t/x')).toBe('https://wangian.test/x')
    expect(redirects('HTTPS://WANGIAN.TEST/x')).toBe('https://wangian.test/x')
  })

  it('goes back to the page that asked when nothing else is allowed', () => {
    expect(redirects(undefined, 'https://wangian.test/login')).toBe('https://wangian.test/login')
    expect(redirects('https://evil.test/', 'https://evil.test/login')).toBe(siteUrl)
  })

  it('leads to every port of a loopback site', () => {
    const local = createRedirects({ siteUrl: 'http://localhost:8080', allowList: [] })
    expect(local('http://localhost:5173/auth-callback')).toBe('http://localhost:5173/auth-callback')
    expect(local('http://127.0.0.1:5173/')).toBe('http://localhost:8080')
    expect(local('https://localhost:8080/')).toBe('http://localhost:8080')
  })
})
