import { fireEvent, screen, waitFor } from '@testing-library/react'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { SignInForm } from './SignInForm.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.lookupEmail, () => refusal('username-not-found'))
})
afterEach(() => {
  view.end()
  api.restore()
})

it.each([
  ['nobody', 1, []],
  ['bala@wangian.test', 0, ['bala@wangian.test']],
])('looks for the account of a username, and an address is one already: %s', async (username, lookups, emails) => {
  const signIn = vi.fn(async () => {
    throw new Error('no')
  })
  view = renderAt('/auth', <SignInForm redirect={null} />, undefined, { signIn })
  fireEvent.change(screen.getByLabelText('Username'), { target: { value: username } })
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'demo-buyer' } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
  await waitFor(() => expect(view.toasts).toHaveLength(1))
  expect(api.countOf(identityRoutes.lookupEmail)).toBe(lookups)
  expect(signIn.mock.calls).toEqual(emails.map((email) => [email, 'demo-buyer']))
})
