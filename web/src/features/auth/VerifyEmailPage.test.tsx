import { screen } from '@testing-library/react'
import { accountRoutes } from '@wangian/contracts/account.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { takeLanding } from '../../lib/landing.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import VerifyEmailPage from './VerifyEmailPage.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>
beforeEach(() => {
  api = mockApi()
})
afterEach(() => {
  view.end()
  api.restore()
  window.history.replaceState(null, '', '/')
})

/** As the browser loads the page: what came in its address is taken out of it. */
function load(address: string, state: unknown) {
  const { history } = window
  history.replaceState(state, '', address)
  takeLanding(new URL(window.location.href), (path) => history.replaceState(history.state, '', path))
  view = renderAt('/verify-email', <VerifyEmailPage />)
}

function reload() {
  view.end()
  load(window.location.pathname, window.history.state)
}

const failure = 'Unable to verify email at this time'

it('takes the same link again when it is loaded anew after nobody could be reached', async () => {
  api.answer(accountRoutes.verifyEmail, () => refusal('unavailable'))
  load('/verify-email?token=secret', { key: 'abc', idx: 2 })
  expect(await screen.findByText(failure)).toBeInTheDocument()
  expect(window.location.href).not.toContain('secret')
  expect(window.history.state).toMatchObject({ key: 'abc', idx: 2 })
  reload()
  expect(await screen.findByText(failure)).toBeInTheDocument()
  api.answer(accountRoutes.verifyEmail, () => ({ requiresSignIn: true as const }))
  reload()
  expect(await screen.findByText('Email verified successfully!')).toBeInTheDocument()
  expect(api.received.map(({ url }) => url.search)).toEqual(['?token=secret', '?token=secret', '?token=secret'])
  expect(window.history.state).toEqual({ key: 'abc', idx: 2 })
})

it('takes it again when it is loaded anew before the answer', async () => {
  const first = Promise.withResolvers<Response>()
  api.answer(accountRoutes.verifyEmail, () => first.promise)
  load('/verify-email?token=secret', null)
  await vi.waitFor(() => expect(api.countOf(accountRoutes.verifyEmail)).toBe(1))
  api.answer(accountRoutes.verifyEmail, () => ({ requiresSignIn: true as const }))
  reload()
  expect(await screen.findByText('Email verified successfully!')).toBeInTheDocument()
})

it('forgets a link that was refused', async () => {
  api.answer(accountRoutes.verifyEmail, () => refusal('invalid-verification-link'))
  load('/verify-email?token=secret', null)
  await screen.findByText('Verification failed')
  expect(JSON.stringify(window.history.state)).not.toContain('secret')
  reload()
  await screen.findByText('Verification failed')
  expect(api.countOf(accountRoutes.verifyEmail)).toBe(1)
})
