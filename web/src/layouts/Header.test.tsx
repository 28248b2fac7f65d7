import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { noticeRoutes } from '@wangian/contracts/notices.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { holdDepartures } from '../lib/unsaved-changes.ts'
import { currentUser } from '../testing/fixtures.ts'
import { mockApi } from '../testing/mock-api.ts'
import { renderAt } from '../testing/render.tsx'
import { Header } from './Header.tsx'

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
// They are loaded when they are first needed, which on a busy machine takes its time.
beforeAll(() => Promise.all([import('./AccountMenu.tsx'), import('./News.tsx'), import('./PhoneSearch.tsx')]))
beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
  api.answer(messagingRoutes.countUnread, () => ({ count: 0 }))
  api.answer(noticeRoutes.countNotices, () => ({ count: 0 }))
})
afterEach(() => {
  view.end()
  api.restore()
})

type Holder = NonNullable<Parameters<typeof renderAt>[2]>

async function openMenu(holder: Holder): Promise<readonly (string | null)[]> {
  view = renderAt('/messages', <Header />, holder)
  const button = await screen.findByRole('button', { name: 'My Account' })
  button.click()
  const menu = await screen.findByRole('menu')
  return within(menu)
    .getAllByRole('menuitem')
    .map((item) => item.textContent)
}

describe('the account menu', () => {
  it('asks before a logout takes along what is not saved', async () => {
    api.answer(identityRoutes.logout, () => ({ success: true as const }))
    await openMenu({ id: 10, username: 'bala' })
    const held: (() => void)[] = []
    onTestFinished(holdDepartures((departure) => held.push(departure)))
    screen.getByRole('menuitem', { name: 'Logout' }).click()
    expect(view.toasts).toEqual([])
    expect(api.countOf(identityRoutes.logout)).toBe(0)
    held[0]?.()
    await waitFor(() => expect(view.whereabouts()).toBe('/'))
    expect(view.toasts).toMatchObject([{ title: 'You have been logged out.' }])
  })

  it.each<[string, Partial<Holder>, string[]]>([
    ['a buyer', {}, ['Profile', 'Account', 'Logout']],
    ['a seller', { isSeller: true }, ['Profile', 'Seller Dashboard', 'Account', 'Logout']],
    ['an administrator', { isAdmin: true }, ['Profile', 'Admin Dashboard', 'Account', 'Logout']],
    [
      'an administrator who sells',
      { isSeller: true, isAdmin: true },
      ['Profile', 'Seller Dashboard', 'Admin Dashboard', 'Account', 'Logout'],
    ],
  ])('of %s leads where they may go', async (_, roles, items) => {
    expect(await openMenu({ id: 10, username: 'bala', ...roles })).toEqual(items)
  })

  it('says goodbye and goes home, also when no server answers', async () => {
    api.answer(identityRoutes.logout, () => {
      throw new TypeError('offline')
    })
    await openMenu({ id: 10, username: 'bala' })
    screen.getByRole('menuitem', { name: 'Logout' }).click()
    await waitFor(() => expect(view.whereabouts()).toBe('/'))
    expect(view.toasts).toEqual([{ title: 'You have been logged out.' }])
    expect(screen.getByRole('link', { name: 'Sign In' })).toBeInTheDocument()
    expect(localStorage).toHaveLength(0)
  })

  it('shows the picture of its owner', async () => {
    api.answer(identityRoutes.me, () => ({ ...currentUser, profileImage: 'face-1234' }))
    await openMenu({ id: 10, username: 'bala' })
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'My Account' }).querySelector('img')).toHaveAttribute(
        'src',
        '/api/profile-images/face-1234',
      ),
    )
  })
})

describe('a guest', () => {
  it('finds the way to sign in, and comes back to where they were', () => {
    view = renderAt('/products?type=auction', <Header />)
    expect(screen.getByRole('link', { name: 'Sign In' })).toHaveAttribute(
      'href',
      '/auth?redirect=%2Fproducts%3Ftype%3Dauction',
    )
    expect(screen.queryByRole('link', { name: /unread/ })).toBeNull()
    expect(api.received).toEqual([])
  })
})

describe('the way to what is for sale', () => {
  // Each is hidden at some width or place.
  const forms = () => screen.getAllByRole('search', { hidden: true })
  const open = async () => {
    fireEvent.click(screen.getByLabelText('Search perfumes', { selector: 'button' }))
    await waitFor(() => expect(forms()).toHaveLength(2))
    return screen.getAllByLabelText('Search perfumes', { selector: 'input' })[1] as HTMLInputElement
  }

  it('is there for everybody', () => {
    view = renderAt('/messages', <Header />)
    expect(screen.getByRole('link', { name: 'Shop' })).toHaveAttribute('href', '/products')
    expect(screen.getByRole('link', { name: 'Auctions' })).toHaveAttribute('href', '/products?type=auction')
  })

  it('is a search that a phone opens over the header, until it is left or has led somewhere', async () => {
    view = renderAt('/messages', <Header />)
    expect(forms()).toHaveLength(1)
    const field = await open()
    expect(field).toHaveFocus()
    fireEvent.keyDown(field, { key: 'Escape' })
    expect(forms()).toHaveLength(1)
    expect(screen.getByLabelText('Search perfumes', { selector: 'button' })).toHaveFocus()
    const again = await open()
    fireEvent.change(again, { target: { value: 'oud' } })
    fireEvent.submit(again.closest('form') as HTMLFormElement)
    expect(view.whereabouts()).toBe('/products?search=oud')
    expect(forms()).toHaveLength(1)
  })

  it('is sent by its button, too, where a button that is pressed gets no focus', async () => {
    view = renderAt('/messages', <Header />)
    const field = await open()
    fireEvent.change(field, { target: { value: 'oud' } })
    const button = field.closest('form')?.querySelector('button') as HTMLButtonElement
    // As Safari does it.
    const around = button.parentElement?.closest<HTMLElement>('[tabindex]')
    fireEvent.blur(field, { relatedTarget: around ?? null })
    fireEvent.click(button)
    expect(view.whereabouts()).toBe('/products?search=oud')
  })

  it('leaves the search of the first screen at home alone until that is scrolled away', () => {
    view = renderAt('/', <Header />)
    expect(forms()[0]).toHaveAttribute('data-resting')
    vi.spyOn(window, 'scrollY', 'get').mockReturnValue(window.innerHeight)
    fireEvent.scroll(window)
    expect(forms()[0]).not.toHaveAttribute('data-resting')
    vi.restoreAllMocks()
  })
})

describe('unread messages', () => {
  it.each([
    [1, '1'],
    [99, '99'],
    [100, '99+'],
  ])('%i are counted as %s', async (count, shown) => {
    api.answer(messagingRoutes.countUnread, () => ({ count }))
    view = renderAt('/', <Header />, { id: 10, username: 'bala' })
    expect(await screen.findByText(shown)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: `Messages, ${count} unread` })).toHaveAttribute('href', '/messages')
  })

  it('are not counted when there are none, and the way to all of them is there', async () => {
    view = renderAt('/', <Header />, { id: 10, username: 'bala' })
    const link = await screen.findByRole('link', { name: 'Messages' })
    expect(link).toHaveAttribute('href', '/messages')
    expect(link).toHaveTextContent('')
  })
})
