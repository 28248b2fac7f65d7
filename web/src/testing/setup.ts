import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeAll } from 'vitest'
import { appToken } from '../api/app-token.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { forgetServerClock } from '../lib/server-clock.ts'
import { setHead } from './set-head.ts'

// A second, as it comes, is too little where other tests have both cores.
configure({ asyncUtilTimeout: 5_000 })

// Test files share a window, which saves half of their time: what one has left in it is not there for the next one.
beforeAll(async () => {
  await showLanguage('en')
  // A file that builds the app has none.
  if (typeof window === 'undefined') return
  window.history.replaceState(null, '', '/')
  setHead('')
  document.body.replaceChildren()
  window.localStorage.clear()
  window.sessionStorage.clear()
})

// Pictures are not loaded here, so none of them has come or failed.
if (typeof HTMLImageElement !== 'undefined')
  Object.defineProperty(HTMLImageElement.prototype, 'complete', { configurable: true, get: () => false })

// A question for which a test has no server fails at once, and reaches nobody's.
globalThis.fetch = (asked) => Promise.reject(new TypeError(`no server answers ${asked}`))

// Nor is anything told of what the one before has sent.
afterEach(() => appToken.clear())

// Nor does a test go by the clock that the one before has heard of.
afterEach(forgetServerClock)

// Each test starts with an empty page. The library would do this by itself only with global test functions.
afterEach(cleanup)
