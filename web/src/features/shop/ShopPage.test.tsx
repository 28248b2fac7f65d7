import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { accountRoutes } from '@wangian/contracts/account.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { type Seller, type SellerProducts, shopRoutes } from '@wangian/contracts/shop.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenForBack } from '../../lib/going-back.ts'
import { currentUser, product } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import ShopPage from './ShopPage.tsx'

listenForBack()

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
  badge: [
    { criterion: 'identity-verified', isMet: true, measured: null },
    { criterion: 'delivered-orders', isMet: true, measured: 12 },
    { criterion: 'rating', isMet: true, measured: 4.8 },
    { criterion: 'community-guidelines', isMet: true, measured: null },
    { criterion: 'payment-methods', isMet: true, measured: null },
  ],
  averageRating: null,
  reviewCount: 0,
  productCount: 0,
  soldCount: 0,
  createdAt: '2024-12-31T20:00:00.000Z',
}

function productsPage(names: readonly string[], page = 1, totalPages = 1): SellerProducts {
  return {
    products: names.map((name, place) => ({ ...product, id: 100 + place, name, listingType: 'fixed' })),
    pagination: { page, limit: 12, totalProducts: names.length, totalPages },
  }
}

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
  api.answer(shopRoutes.getSeller, () => seller)
  api.answer(shopRoutes.listSellerProducts, () => productsPage(['Iris', 'Fig']))
  api.answer(shopRoutes.listSellerReviews, () => ({ averageRating: null, reviewCount: 0, reviews: [] }))
})
afterEach(() => {
  view.end()
  api.restore()
})

function open(address: string, holder?: { id: number; username: string }) {
  view = renderAt(
    address,
    <Routes>
      <Route path="/sellers/:sellerId" element={<ShopPage />} />
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
    for (const name of ['Edit Profile', 'Add Cover Photo', 'Change picture']) {
      expect(screen.queryByRole('button', { name })).toBeNull()
    }
    for (const [label, value] of [
      ['Products', '0'],
      ['Location', 'Ipoh'],
      ['Member Since', '2025'],
      ['Satisfaction Rate', 'Coming soon'],
      ['Shipping', 'Fast & Reliable'],
    ] as const) {
      const facts = within(screen.getByRole('region', { name: 'Seller Information' }))
      expect(facts.getByText(label).parentElement).toHaveTextContent(`${label}${value}`)
    }
  })

  it('explains its badge, and has none before it is earned', async () => {
    open('/sellers/10')
    fireEvent.click(await screen.findByRole('button', { name: 'Verified Seller' }))
    const words = await screen.findByRole('dialog', { name: 'The verified badge' })
    expect(
      within(words)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      'Identity verification (met)',
      'At least 5 delivered orders12 so far (met)',
      'Minimum 4.5 star rating4.8 so far (met)',
      'Community guidelines are kept (met)',
      'Confirmed payment methods (met)',
    ])
    view.end()
    api.answer(shopRoutes.getSeller, () => ({ ...seller, isVerified: false }))
    open('/sellers/10')
    await screen.findByRole('heading', { name: "Bala's Shop" })
    expect(screen.queryByRole('button', { name: /erified/ })).toBeNull()
  })

  it('says how it is rated', async () => {
    open('/sellers/10')
    expect(await screen.findByText('No reviews yet')).toBeInTheDocument()
    view.end()
    api.answer(shopRoutes.getSeller, () => ({ ...seller, averageRating: 4.75, reviewCount: 31 }))
    open('/sellers/10')
    expect(await screen.findByText('4.8 (31 reviews)')).toBeInTheDocument()
    expect(screen.getByRole('img', { name: '4.75 of 5 stars' })).toBeInTheDocument()
  })

  it('sends a guest to sign in before writing, and opens the conversation of everybody else', async () => {
    open('/sellers/10')
    fireEvent.click(await screen.findByRole('button', { name: 'Contact Seller' }))
    await waitFor(() => expect(view.whereabouts()).toBe('/auth?redirect=%2Fsellers%2F10'))
    view.end()
    open('/sellers/10', { id: 11, username: 'mei' })
    fireEvent.click(await screen.findByRole('button', { name: 'Contact Seller' }))
    await waitFor(() => expect(view.whereabouts()).toBe('/messages'))
    expect(JSON.parse(sessionStorage.getItem('selectedConversation') ?? '')).toEqual({
      ownId: 11,
      userId: 10,
      username: 'bala',
      profileImage: 'face-0001',
      productId: null,
      productName: null,
      templateMessage: "Hi, I have a question about Bala's Shop.",
    })
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

describe('what a shop shows', () => {
  const asked = () => {
    const queries = api.received
      .filter(({ url }) => url.pathname === '/api/sellers/10/products')
      .map(({ url }) => url.search)
    return [...new Set(queries)].map((query) => Object.fromEntries(new URLSearchParams(query)))
  }

  it('begins with what is featured, and keeps tab, sort and page in its address', async () => {
    api.answer(shopRoutes.listSellerProducts, ({ url }) =>
      productsPage(['Iris', 'Fig'], Number(url.searchParams.get('page')), 3),
    )
    open('/sellers/10')
    expect(await screen.findByRole('link', { name: 'Iris' })).toBeInTheDocument()
    expect(screen.getByRole('tab', { name: 'Featured' })).toHaveAttribute('aria-selected', 'true')
    fireEvent.click(screen.getByRole('tab', { name: 'Active' }))
    await screen.findByRole('tab', { name: 'Active', selected: true })
    fireEvent.click(await screen.findByRole('link', { name: 'Page 3' }))
    expect(view.whereabouts()).toBe('/sellers/10?tab=active&page=3')
    await screen.findByRole('link', { name: 'Iris' })
    view.end()
    open('/sellers/10?tab=active&sort=price-asc&page=2')
    fireEvent.click(await screen.findByRole('tab', { name: 'Sold' }))
    await screen.findByRole('link', { name: 'Iris' })
    expect(view.whereabouts()).toBe('/sellers/10?tab=sold&sort=price-asc')
    expect(asked()).toEqual([
      { status: 'featured', sort: 'popular', page: '1' },
      { status: 'active', sort: 'popular', page: '1' },
      { status: 'active', sort: 'popular', page: '3' },
      { status: 'active', sort: 'price-asc', page: '2' },
      { status: 'sold', sort: 'price-asc', page: '1' },
    ])
  })

  it.each([
    ['', 'No featured products found.'],
    ['?tab=active', 'No active products found.'],
    ['?tab=sold', 'No sold products found.'],
    ['?tab=reviews', 'This seller has no reviews yet.'],
  ])('at "%s" says when it is nothing', async (query, words) => {
    api.answer(shopRoutes.listSellerProducts, () => productsPage([], 1, 0))
    open(`/sellers/10${query}`)
    expect(await screen.findByText(words)).toBeInTheDocument()
    expect(screen.queryByRole('navigation')).toBeNull()
  })

  it('is six skeletons while it loads', async () => {
    api.answer(shopRoutes.listSellerProducts, () => new Promise<Response>(() => {}))
    open('/sellers/10')
    await screen.findByRole('tab', { name: 'Featured' })
    expect(document.querySelectorAll('article[aria-hidden]')).toHaveLength(6)
  })

  it('leads from a page that is no more to the last one', async () => {
    api.answer(shopRoutes.listSellerProducts, ({ url }) => {
      const page = Number(url.searchParams.get('page'))
      return productsPage(page > 2 ? [] : ['Iris'], page, 2)
    })
    open('/sellers/10?tab=sold&page=9')
    await waitFor(() => expect(view.whereabouts()).toBe('/sellers/10?tab=sold&page=2'))
    expect(await screen.findByRole('link', { name: 'Page 2' })).toHaveAttribute('aria-current', 'page')
  })

  it.each([
    ['', 'Failed to load products. Please try again later.'],
    ['?tab=reviews', 'Failed to load reviews. Please try again later.'],
  ])('at "%s" can be tried again', async (query, words) => {
    api.answer(shopRoutes.listSellerProducts, () => refusal('unavailable'))
    api.answer(shopRoutes.listSellerReviews, () => refusal('unavailable'))
    open(`/sellers/10${query}`)
    await screen.findByText(words)
    api.answer(shopRoutes.listSellerProducts, () => productsPage(['Iris']))
    api.answer(shopRoutes.listSellerReviews, () => ({ averageRating: null, reviewCount: 0, reviews: [] }))
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await waitFor(() => expect(screen.queryByText(words)).toBeNull())
  })

  it('has what buyers said, and says who has left', async () => {
    const review = { rating: 4.5, comment: 'Exactly as full as shown.', createdAt: seller.createdAt }
    api.answer(shopRoutes.listSellerReviews, () => ({
      averageRating: 4.5,
      reviewCount: 2,
      reviews: [
        {
          ...review,
          id: 2,
          user: { id: 4, username: 'mei', profileImage: null },
          product: { id: 7, name: 'Oud Wood' },
        },
        { ...review, id: 1, user: { id: 5, username: null, profileImage: null }, product: null },
      ],
    }))
    open('/sellers/10?tab=reviews')
    const list = within(await screen.findByRole('region', { name: 'Reviews' }))
    expect(await list.findByText('mei')).toBeInTheDocument()
    expect(list.getByText('Deleted user')).toBeInTheDocument()
    expect(list.getByRole('link', { name: 'Oud Wood' })).toHaveAttribute('href', '/products/7')
    // Of what was taken away there is nothing to see.
    expect(list.getAllByRole('link')).toHaveLength(1)
    expect(list.getAllByRole('img', { name: '4.5 of 5 stars' })).toHaveLength(2)
  })

  it('has what buyers have said since it was looked at last', async () => {
    open('/sellers/10?tab=reviews')
    await screen.findByText('This seller has no reviews yet.')
    fireEvent.click(screen.getByRole('tab', { name: 'Sold' }))
    await waitFor(() => expect(screen.queryByText('This seller has no reviews yet.')).toBeNull())
    const user = { id: 4, username: 'mei', profileImage: null }
    const told = { rating: 4.5, comment: null, createdAt: seller.createdAt, product: { id: 7, name: 'Oud Wood' } }
    const answer = { averageRating: 4.5, reviewCount: 1, reviews: [{ id: 2, user, ...told }] }
    api.answer(shopRoutes.listSellerReviews, () => answer)
    fireEvent.click(screen.getByRole('tab', { name: 'Reviews' }))
    expect(await screen.findByText('mei')).toBeInTheDocument()
  })
})

it('one’s own products that cannot be loaded are told of once more', async () => {
  api.answer(shopRoutes.listSellerProducts, () => refusal('unavailable'))
  open('/sellers/10', { id: 10, username: 'bala' })
  expect(await screen.findByText('Failed to load products. Please try again later.')).toBeInTheDocument()
  expect(view.toasts).toMatchObject([
    { title: 'Error', description: 'Failed to load your products. Please try again.', tone: 'destructive' },
  ])
  view.end()
  open('/sellers/10', { id: 11, username: 'mei' })
  expect(await screen.findByText('Failed to load products. Please try again later.')).toBeInTheDocument()
  expect(view.toasts).toEqual([])
})

describe('one’s own profile', () => {
  beforeEach(async () => {
    open('/sellers/10', currentUser)
    await screen.findByRole('heading', { name: "Bala's Shop" })
  })
  const press = (name: string, inside: HTMLElement = document.body) =>
    fireEvent.click(within(inside).getByRole('button', { name }))

  it('asks before what was changed is left behind', async () => {
    window.history.pushState(null, '', '/sellers/10')
    press('Edit Profile')
    const dialog = await screen.findByRole('dialog', { name: 'Edit Profile' })
    const bio = within(dialog).getByLabelText('Bio')
    fireEvent.change(bio, { target: { value: 'Dark bottles.' } })
    window.history.back()
    const question = await screen.findByRole('dialog', { name: 'Leave without saving?' })
    press('Stay here', question)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Leave without saving?' })).toBeNull())
    expect(window.location.pathname).toBe('/sellers/10')
    expect(bio).toHaveValue('Dark bottles.')
    press('Cancel', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    window.history.back()
    await waitFor(() => expect(window.location.pathname).not.toBe('/sellers/10'))
  })

  it('is edited as it is by now, and keeps what is typed', async () => {
    press('Edit Profile')
    press('Cancel', await screen.findByRole('dialog', { name: 'Edit Profile' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const answer = Promise.withResolvers<typeof currentUser>()
    api.answer(identityRoutes.me, () => answer.promise)
    press('Edit Profile')
    const dialog = await screen.findByRole('dialog', { name: 'Edit Profile' })
    fireEvent.change(within(dialog).getByLabelText('Location'), { target: { value: 'Ipoh' } })
    answer.resolve({ ...currentUser, bio: 'Written on the phone.', location: 'Penang' })
    await waitFor(() => expect(within(dialog).getByLabelText('Bio')).toHaveValue('Written on the phone.'))
    expect(within(dialog).getByLabelText('Location')).toHaveValue('Ipoh')
    api.answer(accountRoutes.updateUser, ({ body }) => ({ ...currentUser, ...(body as object) }))
    press('Save Changes', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Profile updated' }]))
    expect(api.received.find(({ url }) => url.pathname === '/api/user/10')?.body).toEqual({ location: 'Ipoh' })
  })

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
    press('Save Changes', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Profile updated' }]))
    // The location is as it was, and may have been changed elsewhere since.
    expect(api.received.find(({ url }) => url.pathname === '/api/user/10')?.body).toEqual({
      shopName: 'Amber Room',
      bio: 'Dark bottles.',
    })
    // What the shop is asked for now may still be what it was.
    expect(await screen.findByRole('heading', { name: 'Amber Room' })).toBeInTheDocument()
    expect(screen.getByText('Dark bottles.')).toBeInTheDocument()
    expect(api.countOf(shopRoutes.getSeller)).toBe(1)
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
