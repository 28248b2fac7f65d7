import { fireEvent, screen, waitFor } from '@testing-library/react'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ProviderError } from '../../session/auth-provider.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { SignInForm, useSigningIn } from './SignInForm.tsx'

const Shown = () => <SignInForm forms={useSigningIn()} redirect={null} />

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
  view = renderAt('/auth', <Shown />, undefined, { signIn })
  fireEvent.change(screen.getByLabelText('Username'), { target: { value: username } })
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'demo-buyer' } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
  await waitFor(() => expect(view.toasts).toHaveLength(1))
  expect(api.countOf(identityRoutes.lookupEmail)).toBe(lookups)
  expect(signIn.mock.calls).toEqual(emails.map((email) => [email, 'demo-buyer']))
})

it('says after some wrong passwords that a right one may be refused as well, however the account was named', async () => {
  const signIn = vi.fn(async () => {
    throw new ProviderError('Invalid login credentials', 'invalid_credentials')
  })
  view = renderAt('/auth', <Shown />, undefined, { signIn })
  const tryWith = async (label: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const before = view.toasts.length
      fireEvent.change(screen.getByLabelText(label), { target: { value: 'bala@wangian.test' } })
      fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'demo-seller' } })
      fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
      await waitFor(() => expect(view.toasts).toHaveLength(before + 1))
    }
  }
  await tryWith('Username', 4)
  expect(view.toasts.map(({ description }) => description)).toEqual(Array(4).fill('Invalid login credentials'))
  fireEvent.click(screen.getByRole('button', { name: 'Sign in with email instead' }))
  await tryWith('Email', 1)
  expect(view.toasts[4]?.description).toContain('even the right password is refused')
})

it('goes on in the first field of the form that is changed to', async () => {
  view = renderAt('/auth', <Shown />)
  expect(document.activeElement).toBe(document.body)
  const change = (words: string) => {
    const link = screen.getByRole('button', { name: words })
    link.focus()
    fireEvent.click(link)
  }
  change('Sign in with email instead')
  await waitFor(() => expect(screen.getByLabelText('Email')).toHaveFocus())
  change('Sign in with username instead')
  await waitFor(() => expect(screen.getByLabelText('Username')).toHaveFocus())
  change('Forgot password?')
  change('Back to login')
  await waitFor(() => expect(screen.getByLabelText('Username')).toHaveFocus())
})
