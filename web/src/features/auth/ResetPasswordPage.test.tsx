import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { appToken } from '../../api/app-token.ts'
import { forgetLanding, takeLanding } from '../../lib/landing.ts'
import { currentUser } from '../../testing/fixtures.ts'
import { renderAt } from '../../testing/render.tsx'
import ResetPasswordPage from './ResetPasswordPage.tsx'

async function setPassword(hasSessionEnded: boolean) {
  takeLanding(new URL('/reset-password?token_hash=h&type=recovery', 'http://localhost'), () => {})
  const provider = {
    openReset: async () => ({ setPassword: async () => hasSessionEnded }),
    signOut: async () => {},
  }
  const view = renderAt('/reset-password', <ResetPasswordPage />, currentUser, provider)
  for (const field of ['New Password', 'Confirm Password']) {
    fireEvent.change(screen.getByLabelText(field), { target: { value: 'fig-musk-cedar' } })
  }
  fireEvent.click(screen.getByRole('button', { name: 'Reset Password' }))
  await vi.waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Success' }]))
  forgetLanding()
}

it('signs out whoever has set their own password', async () => {
  await setPassword(true)
  expect(appToken.read()).toBeNull()
})

it('leaves whoever has opened the link of another person signed in', async () => {
  await setPassword(false)
  expect(appToken.read()).not.toBeNull()
})

it('has the link still after a reload, until it has been used', async () => {
  const load = (state: unknown) => {
    const { history } = window
    history.replaceState(state, '', state === null ? '/reset-password?token_hash=h&type=recovery' : '/reset-password')
    takeLanding(new URL(window.location.href), (path) => history.replaceState(history.state, '', path))
    const provider = { openReset: async () => ({ setPassword: async () => false }) }
    return renderAt('/reset-password', <ResetPasswordPage />, undefined, provider)
  }
  const isPossible = () => !screen.getByRole<HTMLButtonElement>('button', { name: 'Reset Password' }).disabled
  load(null).end()
  const again = load(window.history.state)
  expect(isPossible()).toBe(true)
  for (const field of ['New Password', 'Confirm Password']) {
    fireEvent.change(screen.getByLabelText(field), { target: { value: 'fig-musk-cedar' } })
  }
  fireEvent.click(screen.getByRole('button', { name: 'Reset Password' }))
  await vi.waitFor(() => expect(again.toasts).toMatchObject([{ title: 'Success' }]))
  again.end()
  const after = load(window.history.state)
  expect(isPossible()).toBe(false)
  after.end()
})
