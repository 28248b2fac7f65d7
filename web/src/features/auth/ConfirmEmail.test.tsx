import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { ProviderError } from '../../session/auth-provider.ts'
import { SessionContext } from '../../session/use-session.ts'
import { renderAt } from '../../testing/render.tsx'
import { ConfirmEmail } from './ConfirmEmail.tsx'

let view: ReturnType<typeof renderAt>
const resendSignUpMail = vi.fn<(email: string) => Promise<void>>()
afterEach(() => view.end())

async function sendAgain(outcome: Promise<void>) {
  resendSignUpMail.mockReset().mockReturnValue(outcome)
  const page = <ConfirmEmail login="nadia@wangian.test" wasJustSent={false} />
  view = renderAt('/auth?registration=success', page, undefined, { resendSignUpMail })
  fireEvent.click(screen.getByRole('button', { name: 'Send again' }))
  await waitFor(() => expect(view.toasts).toHaveLength(1))
}

it('sends one mail a minute', async () => {
  await sendAgain(Promise.resolve())
  expect(screen.getByRole('button', { name: /^Send again in/ })).toBeDisabled()
  expect(resendSignUpMail).toHaveBeenCalledExactlyOnceWith('nadia@wangian.test')
})

it('lets a mail that was not sent be sent at once', async () => {
  await sendAgain(Promise.reject(new ProviderError('Failed to fetch', undefined)))
  expect(view.toasts).toMatchObject([{ title: 'The email could not be sent', tone: 'destructive' }])
  await waitFor(() => expect(screen.getByRole('button', { name: 'Send again' })).toBeEnabled())
})

it('waits when too many were sent', async () => {
  await sendAgain(Promise.reject(new ProviderError('Too many emails', 'over_email_send_rate_limit')))
  expect(screen.getByRole('button', { name: /^Send again in/ })).toBeDisabled()
})

it('waits no longer because the page is loaded again', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const page = <ConfirmEmail login="nadia@wangian.test" wasJustSent />
  view = renderAt('/auth?registration=success', page)
  expect(screen.getByRole('button', { name: 'Send again in 1:00' })).toBeDisabled()
  const stored = { ...sessionStorage }
  view.unmount()
  vi.advanceTimersByTime(45_000)
  Object.assign(sessionStorage, stored)
  render(
    <MemoryRouter initialEntries={['/auth?registration=success']}>
      <SessionContext value={view.session}>{page}</SessionContext>
    </MemoryRouter>,
  )
  expect(screen.getByRole('button', { name: 'Send again in 0:15' })).toBeDisabled()
  act(() => void vi.advanceTimersByTime(15_000))
  expect(screen.getByRole('button', { name: 'Send again' })).toBeEnabled()
})
