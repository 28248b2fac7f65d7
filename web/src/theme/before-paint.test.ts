import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { appToken } from '../api/app-token.ts'
import { useSchemeChoice } from './scheme.ts'

const script = readFileSync(join(import.meta.dirname, 'before-paint.js'), 'utf8')
const { dataset } = document.documentElement
const isKnown = () => document.documentElement.hasAttribute('data-known')
/** As a page would that was just opened. */
function openPage(): void {
  delete dataset['scheme']
  delete dataset['known']
  // biome-ignore lint/security/noGlobalEval: that is how a browser runs a script that is no module
  globalThis.eval(script)
}

beforeEach(() => localStorage.clear())
afterEach(() => {
  cleanup()
  delete dataset['scheme']
  delete dataset['known']
})

it('shows the scheme that somebody chose', () => {
  const { result } = renderHook(useSchemeChoice)
  const [, choose] = result.current
  act(() => choose('dark'))
  openPage()
  expect(dataset['scheme']).toBe('dark')
})

it('knows who is signed in, and follows the device where nothing was chosen', () => {
  openPage()
  expect(isKnown()).toBe(false)
  expect(dataset['scheme']).toBeUndefined()
  appToken.store('token')
  openPage()
  expect(isKnown()).toBe(true)
})
