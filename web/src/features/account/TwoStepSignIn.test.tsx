import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { ProviderError, type SecondFactors } from '../../session/auth-provider.ts'
import { currentUser } from '../../testing/fixtures.ts'
import { renderAt } from '../../testing/render.tsx'
import { TwoStepSignIn } from './TwoStepSignIn.tsx'

let view: ReturnType<typeof renderAt>
afterEach(() => view.end())

const app = { id: 'app-1', name: 'Authenticator app', addedAt: '2026-11-21T08:00:00.000Z' }

async function makeNewCodes(failure: ProviderError) {
  const list = vi.fn(async () => ({ apps: [app], codesLeft: 7 }))
  const unused = vi.fn()
  const newCodes = vi.fn<SecondFactors['newCodes']>(async () => {
    list.mockResolvedValue({ apps: [app], codesLeft: 10 })
    throw failure
  })
  const secondFactors = { list, newCodes, begin: unused, confirm: unused, remove: unused, show: unused }
  view = renderAt('/account/settings', <TwoStepSignIn person={currentUser} />, currentUser, { secondFactors })
  expect(await screen.findByText('7 codes left')).toBeInTheDocument()
  fireEvent.click(screen.getByRole('button', { name: 'Make new codes' }))
  const question = await screen.findByRole('alertdialog')
  fireEvent.click(within(question).getByRole('button', { name: 'Make new codes' }))
  await waitFor(() => expect(view.toasts).toHaveLength(1))
  return view.toasts[0]
}

it('says that earlier codes may be worth nothing when the answer to new ones was lost', async () => {
  const toast = await makeNewCodes(new ProviderError('Not available right now', 'unreachable'))
  expect(toast).toMatchObject({
    title: 'Recovery codes could not be made',
    description: expect.stringContaining('the codes that you had before may be worth nothing now'),
  })
  expect(screen.getByText('10 codes left')).toBeInTheDocument()
})

it('says why new codes were refused', async () => {
  const toast = await makeNewCodes(new ProviderError('Too many requests', 'over_request_rate_limit'))
  expect(toast).toMatchObject({ description: 'Too many requests' })
})
