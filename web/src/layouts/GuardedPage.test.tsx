import { act, fireEvent, screen } from '@testing-library/react'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, describe, expect, it } from 'vitest'
import AuthPage from '../features/auth/AuthPage.tsx'
import { currentUser, tokenFor } from '../testing/fixtures.ts'
import { mockApi } from '../testing/mock-api.ts'
import { renderAt } from '../testing/render.tsx'
import GuardedPage from './GuardedPage.tsx'

let view: ReturnType<typeof renderAt>
afterEach(() => view.end())

const admin = { id: 1, username: 'admin', isAdmin: true }
const seller = { id: 3, username: 'sarah', isSeller: true }
const buyer = { id: 10, username: 'bala' }

function open(address: string, holder?: typeof admin | typeof seller | typeof buyer) {
  view = renderAt(
    address,
    <Routes>
      <Route element={<GuardedPage />}>
        {['/profile', '/messages', '/account/settings', '/seller/dashboard', '/admin/dashboard', '/boost-checkout'].map(
          (path) => (
            <Route key={path} path={path} element={<p>Behind the guard</p>} />
          ),
        )}
        <Route path="/seller/products/7/edit" element={<input aria-label="Reserve price" />} />
      </Route>
      <Route path="/auth" element={<AuthPage />} />
      <Route path="*" element={<p>Elsewhere</p>} />
    </Routes>,
    holder,
  )
}

describe('a guest', () => {
  it.each([
    ['/profile', '/auth?redirect=%2Fprofile'],
    ['/account/settings', '/auth?redirect=%2Faccount%2Fsettings'],
    ['/seller/dashboard?tab=boosted', '/auth?redirect=%2Fseller%2Fdashboard%3Ftab%3Dboosted'],
    ['/admin/dashboard', '/auth?redirect=%2Fadmin%2Fdashboard'],
    ['/boost-checkout', '/auth?redirect=%2Fboost-checkout'],
  ])('on %s is sent to sign in, and from there back', (address, sentTo) => {
    open(address)
    expect(view.whereabouts()).toBe(sentTo)
    expect(screen.queryByText('Your session has ended')).toBeNull()
    expect(view.toasts).toEqual([])
  })

  it('on /messages is told why', () => {
    open('/messages?with=3')
    expect(view.whereabouts()).toBe('/auth?redirect=%2Fmessages%3Fwith%3D3')
    expect(view.toasts).toMatchObject([{ title: 'Authentication Required' }])
  })
})

describe('somebody signed in', () => {
  it.each([
    ['/profile', buyer],
    ['/messages', buyer],
    ['/account/settings', buyer],
    ['/boost-checkout', buyer],
    ['/seller/dashboard', seller],
    ['/admin/dashboard', admin],
  ])('sees %s', (address, holder) => {
    open(address, holder)
    expect(screen.getByText('Behind the guard')).toBeInTheDocument()
  })

  it.each([
    ['/seller/dashboard', buyer, 'Seller Account Required', 'You need a seller account to access this page.'],
    ['/seller/dashboard', admin, 'Seller Account Required', 'You need a seller account to access this page.'],
    ['/admin/dashboard', buyer, 'Admin Access Required', 'You need administrator privileges to access this page.'],
    ['/admin/dashboard', seller, 'Admin Access Required', 'You need administrator privileges to access this page.'],
  ])('is refused %s without the role (%o)', (address, holder, title, text) => {
    open(address, holder)
    expect(screen.getByRole('heading', { name: title })).toBeInTheDocument()
    expect(screen.getByText(text)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Return to home' })).toHaveAttribute('href', '/')
    const ask = screen.queryByRole('link', { name: 'Ask for a seller account' })
    expect(ask?.getAttribute('href') ?? null).toBe(address === '/seller/dashboard' ? 'mailto:help@wangian.test' : null)
    expect(screen.queryByText('Behind the guard')).toBeNull()
  })

  it('who must have a second factor to administer is told so', async () => {
    const api = mockApi()
    api.answer(identityRoutes.me, () => ({ ...currentUser, needsSecondFactor: true }))
    open('/admin/dashboard', buyer)
    expect(await screen.findByText('Set up two-step sign-in to use administration.')).toBeInTheDocument()
    expect(screen.getByRole('link')).toHaveAttribute('href', '/account/settings')
    api.restore()
  })

  it('who leaves goes home, and not to the sign-in page', async () => {
    const api = mockApi()
    api.answer(identityRoutes.logout, () => ({ success: true as const }))
    open('/messages', buyer)
    await act(() => view.session.signOut())
    api.restore()
    expect(view.whereabouts()).toBe('/')
    expect(view.toasts).toEqual([])
  })

  it('leaves nothing in a form for whoever signs in next in another tab', () => {
    open('/seller/products/7/edit', seller)
    const field = () => screen.getByLabelText('Reserve price')
    const signIn = (holder: Parameters<typeof tokenFor>[0]) => {
      localStorage.setItem('app_token', tokenFor(holder, Date.now() + 900_000))
      act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'app_token' })))
    }
    fireEvent.change(field(), { target: { value: '900' } })
    signIn(seller)
    expect(field()).toHaveValue('900')
    signIn({ id: 4, username: 'hafiz', isSeller: true })
    expect(field()).toHaveValue('')
  })

  it('whose session ends by itself may sign in and come back', () => {
    open('/messages', buyer)
    act(() => {
      localStorage.removeItem('app_token')
      window.dispatchEvent(new StorageEvent('storage', { key: 'app_token' }))
    })
    expect(view.whereabouts()).toBe('/auth?redirect=%2Fmessages')
    expect(screen.getByText('Your session has ended')).toBeInTheDocument()
    expect(view.toasts).toEqual([])
  })
})
