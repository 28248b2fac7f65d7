import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import type { ReactElement } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Dialog } from './Dialog.tsx'
import { Toaster } from './Toaster.tsx'
import { showToast } from './toast-store.ts'

afterEach(cleanup)

const region = () => screen.getByRole('region', { name: 'Notifications' })
const say = (message: Parameters<typeof showToast>[0]) => act(() => showToast(message))

it('shows one toast at a time, until it is dismissed', () => {
  render(<Toaster closeLabel="Close" regionLabel="Notifications" page="/" />)
  say({ title: 'Profile updated', description: 'Everybody sees it.' })
  expect(region()).toHaveTextContent('Profile updatedEverybody sees it.')
  say({ title: 'Uploaded' })
  expect(region()).toHaveTextContent('Uploaded')
  expect(region()).not.toHaveTextContent('Profile updated')
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(region()).not.toHaveTextContent('Uploaded')
  say({ title: 'Uploaded' })
  fireEvent.keyDown(screen.getByRole('button', { name: 'Close' }), { key: 'Escape' })
  expect(region()).not.toHaveTextContent('Uploaded')
})

it('says errors at once, everything else when there is time', () => {
  render(<Toaster closeLabel="Close" regionLabel="Notifications" page="/" />)
  const live = () => region().querySelector('[aria-live]')?.getAttribute('aria-live')
  expect(live()).toBe('polite')
  say({ title: 'Update failed', tone: 'destructive' })
  expect(live()).toBe('assertive')
  say({ title: 'Saved' })
  expect(live()).toBe('polite')
})

it('lies above a dialog, which stays when it is closed', async () => {
  const onClose = vi.fn()
  const page = document.body.appendChild(document.createElement('div'))
  render(
    <>
      <main>The page</main>
      <Toaster closeLabel="Dismiss" regionLabel="Notifications" page="/" />
      <Dialog title="Delete" closeLabel="Close" onClose={onClose}>
        Really?
      </Dialog>
    </>,
    { container: page },
  )
  say({ title: 'Update failed', tone: 'destructive' })
  expect(page).not.toContainElement(region())
  const close = within(region()).getByText('Update failed').closest('section')?.querySelector('button')
  if (!close) throw new Error('a toast can be closed')
  for (const press of ['pointerDown', 'mouseDown', 'pointerUp', 'mouseUp', 'click'] as const) fireEvent[press](close)
  expect(region()).not.toHaveTextContent('Update failed')
  expect(onClose).not.toHaveBeenCalled()
})

it('has an action, which dismisses it', () => {
  render(<Toaster closeLabel="Close" regionLabel="Notifications" page="/" />)
  const onAct = vi.fn()
  say({ title: 'Outbid', action: { label: 'Bid again', onAct } })
  fireEvent.click(within(region()).getByRole('button', { name: 'Bid again' }))
  expect(onAct).toHaveBeenCalledOnce()
  expect(region()).not.toHaveTextContent('Outbid')
})

describe('a toast that is no error', () => {
  const toaster = (page: string) => <Toaster closeLabel="Close" regionLabel="Notifications" page={page} />
  const pass = (durationMs: number) => act(() => vi.advanceTimersByTime(durationMs))
  /** As the router does it: the entry of the history first, and the page when it is there. */
  const openEntry = (idx: number) => window.history.replaceState({ idx }, '')
  let rerender: (ui: ReactElement) => void

  beforeEach(() => {
    vi.useFakeTimers()
    openEntry(1)
    rerender = render(toaster('/products')).rerender
  })
  afterEach(() => {
    vi.useRealTimers()
    window.history.replaceState(null, '')
  })

  it('goes after six seconds, which begin anew with each and wait for who is reading', () => {
    say({ title: 'Saved' })
    pass(5_999)
    say({ title: 'Uploaded' })
    pass(5_999)
    expect(region()).toHaveTextContent('Uploaded')
    act(() => screen.getByRole('button', { name: 'Close' }).focus())
    pass(60_000)
    expect(region()).toHaveTextContent('Uploaded')
    act(() => screen.getByRole('button', { name: 'Close' }).blur())
    pass(6_000)
    expect(region()).not.toHaveTextContent('Uploaded')
  })

  it('goes when the person goes on, and an error does not', () => {
    say({ title: 'Saved' })
    pass(1_000)
    openEntry(2)
    rerender(toaster('/messages'))
    expect(region()).not.toHaveTextContent('Saved')
    say({ title: 'Update failed', tone: 'destructive' })
    pass(60_000)
    openEntry(3)
    rerender(toaster('/'))
    expect(region()).toHaveTextContent('Update failed')
  })

  it('is shown on the page that it leads to, however long that takes to come', () => {
    say({ title: 'Contacting Seller' })
    openEntry(2)
    pass(3_000)
    rerender(toaster('/messages'))
    expect(region()).toHaveTextContent('Contacting Seller')
    openEntry(3)
    rerender(toaster('/'))
    expect(region()).not.toHaveTextContent('Contacting Seller')
  })
})
