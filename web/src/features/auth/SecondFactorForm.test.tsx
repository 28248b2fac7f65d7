import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ProviderError, providerStorageKey } from '../../session/auth-provider.ts'
import { currentUser, tokenFor } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import AuthPage from './AuthPage.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>
const show = vi.fn<(typed: string) => Promise<string>>()

beforeEach(async () => {
  show.mockReset()
  api = mockApi()
  api.answer(identityRoutes.logout, () => ({ success: true as const }))
  api.answer(identityRoutes.exchangeSession, () => refusal('second-factor-required'))
  const unused = async () => {
    throw new Error('nobody asks for that here')
  }
  const secondFactors = { show, list: unused, begin: unused, confirm: unused, remove: unused, newCodes: unused }
  const signIn = async () => {
    localStorage.setItem(providerStorageKey, 'a session')
    return 'provider-1'
  }
  const isFacebookConfigured = async () => false
  const provider = { signIn, secondFactors, isFacebookConfigured, signOut: async () => {} }
  const page = (
    <Routes>
      <Route path="/auth" element={<AuthPage />} />
      <Route path="*" element={<p>Elsewhere</p>} />
    </Routes>
  )
  view = renderAt('/auth?redirect=%2Fmessages', page, undefined, provider)
  fireEvent.change(screen.getByLabelText('Username'), { target: { value: 'bala@wangian.test' } })
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'demo-buyer' } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
  await screen.findByRole('heading', { name: 'Two-step sign-in' })
})
afterEach(() => {
  view.end()
  api.restore()
})

const type = (label: string, code: string) => {
  fireEvent.change(screen.getByLabelText(label), { target: { value: code } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
}
const passes = () => {
  show.mockResolvedValue('provider-2')
  const token = tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000)
  api.answer(identityRoutes.exchangeSession, () => ({ token, user: currentUser }))
}

it('asks for the code after the password, and goes on to where the person was going', async () => {
  expect(view.toasts).toEqual([])
  passes()
  type('6-digit code', '123 456')
  await waitFor(() => expect(view.whereabouts()).toBe('/messages'))
  expect(show.mock.calls).toEqual([['123 456']])
})

it('says what is wrong with a code, and tries none that is none', async () => {
  type('6-digit code', '12345')
  expect(await screen.findByRole('alert')).toHaveTextContent('six digits')
  expect(show).not.toHaveBeenCalled()
  show.mockRejectedValue(new ProviderError('Invalid TOTP code entered', 'mfa_verification_failed'))
  type('6-digit code', '123456')
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('This code is not right'))
})

it('takes a recovery code instead', async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Use a recovery code instead' }))
  passes()
  type('Recovery code', 'k4m9-x7qp-2ab8-ht3z')
  await waitFor(() => expect(view.whereabouts()).toBe('/messages'))
  expect(show.mock.calls).toEqual([['k4m9-x7qp-2ab8-ht3z']])
})

it('lets somebody else sign in', async () => {
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Use another account' })))
  expect(screen.getByLabelText('Username')).toBeInTheDocument()
  expect(localStorage.getItem(providerStorageKey)).toBeNull()
})
