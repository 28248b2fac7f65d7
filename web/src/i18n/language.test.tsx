import { act, render, screen } from '@testing-library/react'
import { LANGUAGE_COOKIE } from '@wangian/contracts/languages.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { formatDateTime } from '../lib/date-time.ts'
import { formatTimeLeft } from '../lib/time-left.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { loadWords, showLanguage, shownLanguage } from './i18n.ts'
import { startLanguage } from './language.ts'
import { chooseLanguage } from './language-choice.ts'

const forget = () => {
  // biome-ignore lint/suspicious/noDocumentCookie: as the browser keeps it.
  document.cookie = `${LANGUAGE_COOKIE}=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
}
beforeEach(async () => {
  await loadWords()
  forget()
})
afterEach(async () => {
  forget()
  document.documentElement.lang = 'en'
  window.history.replaceState(null, '', '/')
  await showLanguage('en')
})

function Greeting() {
  const { t } = useTranslation()
  return (
    <label>
      {t('auth.signIn')}
      <input />
    </label>
  )
}

it('begins in the language that the page was served in', async () => {
  document.documentElement.lang = 'ms'
  await startLanguage()
  expect(shownLanguage()).toBe('ms')
  expect(document.cookie).not.toContain(LANGUAGE_COOKIE)
})

it('changes in place, keeps the choice, and takes it out of the address', async () => {
  window.history.replaceState({ idx: 3 }, '', '/products?category=4&lang=en#top')
  render(<Greeting />)
  const field = screen.getByLabelText<HTMLInputElement>('Sign In')
  field.value = 'half written'
  await act(() => chooseLanguage('ms'))
  expect(screen.getByLabelText('Log Masuk')).toBe(field)
  expect(field.value).toBe('half written')
  expect(document.documentElement.lang).toBe('ms')
  expect(document.cookie).toContain(`${LANGUAGE_COOKIE}=ms`)
  const { pathname, search, hash } = window.location
  expect(`${pathname}${search}${hash}`).toBe('/products?category=4#top')
  expect(window.history.state).toEqual({ idx: 3 })
})

it('follows what is chosen in another tab', async () => {
  await startLanguage()
  render(<Greeting />)
  await act(async () => {
    window.dispatchEvent(new StorageEvent('storage', { key: 'wangian-language', newValue: 'ms' }))
  })
  expect(await screen.findByLabelText('Log Masuk')).toBeVisible()
})

it('shows the later of two choices', async () => {
  await Promise.all([showLanguage('ms'), showLanguage('en')])
  expect(shownLanguage()).toBe('en')
})

it('writes dates and times left as the language does', async () => {
  const moment = '2026-11-28T08:00:00.000Z'
  expect(formatDateTime(moment)).toBe('28 Nov 2026, 4:00 pm')
  expect(formatTimeLeft(100 * 60_000)).toBe('1h 40m')
  await showLanguage('ms')
  expect(formatDateTime(moment)).toBe('28 Nov 2026, 4:00 PTG')
  expect(formatTimeLeft(100 * 60_000)).toBe('1 j 40 min')
})

it.each([
  ['en', 'en-MY'],
  ['ms', 'ms-MY'],
] as const)('writes amounts as people do who read %s', (_language, locale) => {
  const own = new Intl.NumberFormat(locale, { style: 'currency', currency: 'MYR' })
  for (const amount of [0.5, 12, 1234.5, 9_999_999.99]) expect(formatRinggit(amount)).toBe(own.format(amount))
})

it('asks for its words until they come: nothing is shown without them', async () => {
  vi.useFakeTimers()
  document.documentElement.lang = 'ms'
  const asked: string[] = []
  try {
    const started = startLanguage(async (language) => {
      asked.push(language)
      if (asked.length < 5) throw new TypeError('Failed to fetch dynamically imported module')
    })
    await vi.advanceTimersByTimeAsync(60_000)
    await started
  } finally {
    vi.useRealTimers()
    document.documentElement.lang = 'en'
  }
  expect(asked).toEqual(['ms', 'ms', 'ms', 'ms', 'ms'])
})
