import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { accountRoutes } from '@wangian/contracts/account.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { type Seller, shopRoutes } from '@wangian/contracts/shop.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentUser } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import ProfilePage from './ProfilePage.tsx'

const seller: Seller = {
  id: 10,
  username: 'bala',
  shopName: "Bala's Shop",
  location: 'Ipoh',
  bio: null,
  profileImage: 'face-0001',
  coverPhoto: null,
  isSeller: true,
  isVerified: true,
  badge: [],
  averageRating: null,
  reviewCount: 0,
  productCount: 0,
  soldCount: 0,
  createdAt: '2024-12-31T20:00:00.000Z',
}

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
  api.answer(shopRoutes.getSeller, () => seller)
})
afterEach(() => {
  view.end()
  api.restore()
})

function open(address: string, holder?: { id: number; username: string }) {
  view = renderAt(
    address,
    <Routes>
      <Route path="/sellers/:sellerId" element={<ProfilePage />} />
    </Routes>,
    holder,
  )
}

describe('a profile', () => {
  it('shows everybody who it is', async () => {
    open('/sellers/10', { id: 11, username: 'mei' })
    expect(await screen.findByRole('heading', { name: "Bala's Shop" })).toBeInTheDocument()
    expect(screen.getByText("Welcome to Bala's Shop.")).toBeInTheDocument()
    // By the clock of Malaysia it was the next year already.
    expect(screen.getByText('2025')).toBeInTheDocument()
    expect(document.querySelector('img')).toHaveAttribute('src', '/api/profile-images/face-0001')
    expect(screen.queryByRole('button')).toBeNull()
  })

  it.each([
    ['seller-not-found', '/sellers/99'],
    ['seller-not-found', '/sellers/nobody'],
  ] as const)('of nobody says so', async (code, address) => {
    api.answer(shopRoutes.getSeller, () => refusal(code))
    open(address)
    expect(await screen.findByRole('heading', { name: 'Seller Not Found' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Browse Products' })).toHaveAttribute('href', '/products')
  })

  it('that cannot be loaded can be tried again', async () => {
    api.answer(shopRoutes.getSeller, () => refusal('unavailable'))
    open('/sellers/10')
    const again = await screen.findByRole('button', { name: 'Try Again' })
    api.answer(shopRoutes.getSeller, () => seller)
    fireEvent.click(again)
    expect(await screen.findByRole('heading', { name: "Bala's Shop" })).toBeInTheDocument()
  })
})

describe('one’s own profile', () => {
  beforeEach(async () => {
    open('/sellers/10', currentUser)
    await screen.findByRole('heading', { name: "Bala's Shop" })
  })
  const press = (name: string, inside: HTMLElement = document.body) =>
    fireEvent.click(within(inside).getByRole('button', { name }))

  it('can be edited', async () => {
    api.answer(accountRoutes.updateUser, ({ body }) => ({ ...currentUser, ...(body as object) }))
    press('Edit Profile')
    const dialog = await screen.findByRole('dialog', { name: 'Edit Profile' })
    const fields = ['Shop name', 'Location', 'Bio'].map((label) => within(dialog).getByLabelText(label))
    for (const [place, value] of ['x'.repeat(51), 'x'.repeat(101), 'x'.repeat(501)].entries()) {
      fireEvent.change(fields[place] as Element, { target: { value } })
    }
    press('Save Changes', dialog)
    for (const words of [
      'Shop name must be 50 characters or less',
      'Location must be 100 characters or less',
      'Bio must be 500 characters or less',
    ]) {
      expect(await within(dialog).findByText(words)).toBeInTheDocument()
    }
    for (const [place, value] of ['Amber Room', '', 'Dark bottles.'].entries()) {
      fireEvent.change(fields[place] as Element, { target: { value } })
    }
    const asked = api.countOf(shopRoutes.getSeller)
    press('Save Changes', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Profile updated' }]))
    expect(api.received.find(({ url }) => url.pathname === '/api/user/10')?.body).toEqual({
      shopName: 'Amber Room',
      location: null,
      bio: 'Dark bottles.',
    })
    await waitFor(() => expect(api.countOf(shopRoutes.getSeller)).toBe(asked + 1))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('says when it could not be saved', async () => {
    api.answer(accountRoutes.updateUser, () => refusal('internal'))
    press('Edit Profile')
    press('Save Changes', await screen.findByRole('dialog', { name: 'Edit Profile' }))
    await waitFor(() =>
      expect(view.toasts).toMatchObject([
        {
          title: 'Error updating profile',
          description: 'There was a problem updating your profile. Please try again.',
          tone: 'destructive',
        },
      ]),
    )
  })

  it.each([
    ['an SVG', new File(['<svg/>'], 'a.svg', { type: 'image/svg+xml' }), 'Invalid file type'],
    ['a text', new File(['x'], 'a.txt', { type: 'text/plain' }), 'Invalid file type'],
    ['6 MB', new File([new Uint8Array(6 * 1024 * 1024)], 'a.png', { type: 'image/png' }), 'File too large'],
  ])('takes no %s for a cover', async (_, file, title) => {
    press('Add Cover Photo')
    const dialog = await screen.findByRole('dialog', { name: 'Change your cover photo' })
    fireEvent.change(within(dialog).getByLabelText('Image'), { target: { files: [file] } })
    expect(view.toasts).toMatchObject([{ title, tone: 'destructive' }])
    press('Upload', dialog)
    expect(view.toasts.at(-1)).toMatchObject({
      title: 'No image selected',
      description: 'Please select an image to upload.',
    })
    expect(api.countOf(accountRoutes.uploadCover)).toBe(0)
  })

  it('gets a new picture', async () => {
    api.answer(accountRoutes.uploadAvatar, () => refusal('internal'))
    press('Change picture')
    const dialog = await screen.findByRole('dialog', { name: 'Change your picture' })
    const file = new File(['x'], 'me.png', { type: 'image/png' })
    fireEvent.change(within(dialog).getByLabelText('Image'), { target: { files: [file] } })
    press('Upload', dialog)
    await waitFor(() =>
      expect(view.toasts).toMatchObject([
        { title: 'Upload failed', description: 'There was an error uploading your image', tone: 'destructive' },
      ]),
    )
    api.answer(accountRoutes.uploadAvatar, () => ({ ...currentUser, profileImage: 'face-0002' }))
    press('Upload', dialog)
    await waitFor(() => expect(view.toasts.at(-1)).toMatchObject({ title: 'Upload successful' }))
    const { url, body } = api.received.findLast(({ route }) => route === 'POST /api/user/avatar') ?? {}
    expect(url?.pathname).toBe('/api/user/avatar')
    expect((body as FormData).get('image')).toMatchObject({ name: 'me.png' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})
