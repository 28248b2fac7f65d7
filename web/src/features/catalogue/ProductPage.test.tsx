import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { catalogueRoutes, type Product, type ProductDetail } from '@wangian/contracts/catalogue.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { showLanguage } from '../../i18n/i18n.ts'
import { currentUser, order, product, seller } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import ProductPage from './ProductPage.tsx'

const { getProduct, recordView, listProducts } = catalogueRoutes
const listing: Product = { ...product, listingType: 'fixed', price: 260.5, stockQuantity: 2 }
const auction: NonNullable<Product['auction']> = {
  id: 1,
  status: 'active',
  startsAt: product.createdAt,
  endsAt: '2026-11-29T08:00:00.000Z',
  startingPrice: 80,
  currentBid: null,
  bidCount: 0,
  outcome: null,
  winner: null,
  isReleased: false,
}
const other = (id: number, sellerId: number): Product => ({ ...listing, id, sellerId, name: `Perfume ${id}` })

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>
const events: unknown[][] = []
beforeEach(() => {
  api = mockApi()
  api.answer(recordView, () => new Response(null, { status: 204 }))
  api.answer(listProducts, ({ url }) =>
    url.searchParams.has('brand') ? [listing, other(20, 8)] : [other(20, 8), other(21, 9)],
  )
  api.answer(shopRoutes.listSellerProducts, () => ({
    products: [listing, other(30, 3)],
    pagination: { page: 1, limit: 5, totalProducts: 2, totalPages: 1 },
  }))
  api.answer(shopRoutes.getSeller, () => seller)
  events.length = 0
  window.gtag = (...event) => void events.push(event)
})
afterEach(() => {
  view.end()
  api.restore()
  delete window.gtag
  vi.unstubAllGlobals()
})

async function open(changes: Partial<ProductDetail> = {}, viewer?: typeof currentUser): Promise<void> {
  api.answer(getProduct, () => ({ ...listing, reviews: [], ...changes }))
  show('/products/7', viewer)
  await screen.findByText('Item details')
}
function show(address: string, viewer?: typeof currentUser): void {
  view = renderAt(
    address,
    <Routes>
      <Route path="/products/:productId" element={<ProductPage />} />
    </Routes>,
    viewer,
  )
}
const words = () => (document.body.textContent ?? '').replaceAll('\u00A0', ' ')

describe('a product', () => {
  it('names its large pictures in the language of the page', async () => {
    await open({ images: [1, 2].map((id) => ({ id, imageUrl: `picture-${id}`, imageOrder: id - 1, imageName: null })) })
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    fireEvent.click(screen.getByRole('button', { name: 'Besarkan gambar Oud Wood' }))
    const picture = await screen.findByRole('group', { name: '1 daripada 2' })
    expect(picture).toHaveAttribute('aria-roledescription', 'slaid')
    expect(picture.closest('[aria-roledescription=karusel]')).not.toBeNull()
  })

  it('says everything that decides', async () => {
    await open()
    for (const fact of ['HomeProductsOud Wood', '72% Full', 'Fixed Price', 'Tom Ford · 100 ml', 'RM 260.50']) {
      expect(words().replaceAll(' / ', '')).toContain(fact)
    }
    for (const fact of ['sarahTrusted Seller', 'Purchase year2021', 'Batch codeA42', 'In Stock (2 available)']) {
      expect(words()).toContain(fact)
    }
    await waitFor(() => expect(words()).toContain('4.8 (12 reviews) · 25 sold · since 2024'))
    expect(screen.getByText('View Seller').getAttribute('href')).toBe('/sellers/3')
    expect(screen.getByText('Kept in the dark.')).toBeTruthy()
  })

  it('is there no more once it is gone, for whoever has seen it before, too', async () => {
    await open()
    api.answer(getProduct, ({ url }) =>
      url.pathname.endsWith('/7') ? refusal('product-not-found') : { ...other(30, 3), reviews: [] },
    )
    fireEvent.click(await screen.findByRole('link', { name: 'Perfume 30' }))
    fireEvent.click(await screen.findByRole('link', { name: 'Oud Wood' }))
    expect(await screen.findByText('Product Not Found')).toBeTruthy()
    expect(screen.queryByText('Item details')).toBeNull()
  })

  it('says so where the seller left something open', async () => {
    await open({ purchaseYear: null, batchCode: null, isNew: true, stockQuantity: 0 })
    expect(words()).toContain('Like New')
    expect(words()).toContain('Out of Stock')
    fireEvent.click(screen.getByText('Details'))
    await waitFor(() => expect(words()).toContain('Original purchase yearUnknown'))
    expect(words()).toContain('Box conditionGood')
    expect(words()).toContain('AuthenticityNo batch code provided')
  })

  it('in an auction costs what was bid last, or what bidding starts at', async () => {
    await open({ listingType: 'auction', price: 75, auction })
    expect(words()).toContain('RM 80.00')
    view.end()
    await open({ listingType: 'auction', price: 75, auction: { ...auction, currentBid: 85 } })
    expect(words()).toContain('RM 85.00')
  })

  it('is said to be sold by auction until that is over', async () => {
    await open({ listingType: 'auction', auction })
    expect(words()).toContain('This perfume is sold by auction.')
    view.end()
    await open({ listingType: 'auction', auction: { ...auction, status: 'cancelled' } })
    expect(words()).not.toContain('This perfume is sold by auction.')
    expect(screen.getByRole('link', { name: 'Go to the auction' })).toBeTruthy()
  })

  it('shows what buyers said of it, once they have', async () => {
    await open()
    expect(screen.queryByText(/^Reviews/)).toBeNull()
    view.end()
    const review = {
      id: 1,
      rating: 4.5,
      comment: 'As full as the gauge said.',
      createdAt: product.createdAt,
      user: { id: 10, username: 'bala', profileImage: null },
      product: { id: 7, name: 'Oud Wood' },
    }
    await open({ averageRating: 4.75, reviewCount: 21, reviews: [review, { ...review, id: 2, comment: null }] })
    expect(words()).toContain('4.8 (21 reviews)')
    fireEvent.click(screen.getByText('Reviews (21)'))
    expect(await screen.findByText('As full as the gauge said.')).toBeTruthy()
    expect(screen.getAllByText('bala')).toHaveLength(2)
    expect(screen.getByText(/^Only the latest 2 are shown here/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'All reviews of this seller' }).getAttribute('href')).toBe(
      '/sellers/3?tab=reviews',
    )
  })

  it('is counted and told of once', async () => {
    await open()
    await waitFor(() => expect(api.countOf(recordView)).toBe(1))
    await waitFor(() => expect(events).not.toEqual([]))
    expect(events.filter(([, name]) => name === 'view_item')).toEqual([
      [
        'event',
        'view_item',
        {
          currency: 'MYR',
          value: 260.5,
          items: [expect.objectContaining({ item_id: 7, item_name: 'Oud Wood', item_category: 'Niche' })],
        },
      ],
    ])
  })

  it('that is sold or reserved says so', async () => {
    await open({ status: 'sold' })
    expect(words()).toContain('SOLD')
    expect(screen.queryByText('Contact Seller')).toBeNull()
    expect(screen.queryByText(/^Buy Now for/)).toBeNull()
    view.end()
    await open({ status: 'pending', listingType: 'fixed', auction: null })
    expect(words()).toContain('Reserved')
    expect(screen.queryByText(/^Buy Now for/)).toBeNull()
  })

  it('that is reserved for whoever looks leads them to their order', async () => {
    const items = order().items.map((item) => ({ ...item, productId: listing.id }))
    api.answer(messagingRoutes.listOrders, () => [order({ id: 31, status: 'pending', items })])
    await open({ status: 'pending', auction: null }, currentUser)
    const link = await screen.findByRole('link', { name: 'See your order' })
    expect(link.getAttribute('href')).toBe('/account/orders/31')
    expect(words()).toContain('This perfume is reserved for you.')
    expect(words()).not.toContain('reserved for somebody')
    view.end()
    api.answer(messagingRoutes.listOrders, () => [order({ status: 'delivered', items })])
    await open({ status: 'pending', auction: null }, currentUser)
    await waitFor(() => expect(api.countOf(messagingRoutes.listOrders)).toBe(2))
    expect(words()).toContain('reserved for somebody')
  })

  it('that is kept for whoever has won it leads them to the seller', async () => {
    const winner = { id: currentUser.id, username: 'bala' }
    const won = { ...auction, status: 'ended', outcome: 'won', winner } as const
    api.answer(messagingRoutes.listOrders, () => [])
    await open({ status: 'pending', auction: won }, currentUser)
    const link = await screen.findByRole('link', { name: 'Open your messages' })
    expect(link.getAttribute('href')).toBe('/messages')
    expect(words()).toContain('This perfume is reserved for you.')
    expect(words()).not.toContain('reserved for somebody')
    view.end()
    await open({ status: 'pending', auction: { ...won, isReleased: true } }, currentUser)
    expect(words()).toContain('reserved for somebody')
    view.end()
    await open({ status: 'pending', auction: { ...won, winner: { id: 11, username: 'mei' } } }, currentUser)
    expect(words()).toContain('reserved for somebody')
  })

  it('is changed by its seller, unless it is sold or reserved', async () => {
    const owner = { ...currentUser, id: listing.sellerId }
    for (const [status, links] of [
      ['active', 1],
      ['sold', 0],
      ['pending', 0],
    ] as const) {
      await open({ status }, owner)
      expect(words()).toContain('This is your own listing.')
      expect(screen.queryAllByRole('link', { name: 'Edit listing' })).toHaveLength(links)
      view.end()
    }
  })

  it('of which none is left says so, and leaves the way to its seller', async () => {
    await open({ stockQuantity: 0 })
    expect(words()).toContain('Out of Stock')
    expect(words()).toContain('Ask the seller whether there will be more.')
    expect(screen.queryByText(/^Buy Now for/)).toBeNull()
    expect(screen.getByRole('button', { name: 'Contact Seller' })).toBeTruthy()
  })

  it('at a price can be bought at once, by who is signed in', async () => {
    await open({ listingType: 'fixed', auction: null, price: 50 })
    fireEvent.click(screen.getByRole('button', { name: 'Buy Now for RM\u00A050.00' }))
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Authentication Required' }]))
    expect(view.whereabouts()).toBe('/auth?redirect=%2Fproducts%2F7')
  })

  it('leads to more of its seller, and to what is like it', async () => {
    await open()
    await waitFor(() => expect(document.querySelectorAll('article')).toHaveLength(3))
    expect([...document.querySelectorAll('article h3')].map((name) => name.textContent)).toEqual([
      'Perfume 30',
      'Perfume 20',
      'Perfume 21',
    ])
    expect(words()).toContain('More from sarah')
  })

  it('can be shared by its address', async () => {
    const writeText = vi.fn(async () => {})
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    await open()
    fireEvent.click(screen.getByText('Share'))
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Link copied' }]))
    expect(writeText).toHaveBeenCalledWith(expect.stringMatching(/\/products\/7$/))
    expect(events).toContainEqual(['event', 'share', { content_type: 'product', content_id: 7 }])
  })
})

it.each(['/products/7', '/products/nonsense'])('%s may be nothing', async (address) => {
  api.answer(getProduct, () => refusal('product-not-found'))
  show(address)
  expect(await screen.findByText('Product Not Found')).toBeTruthy()
  expect(screen.getByText('Browse Products').getAttribute('href')).toBe('/products')
})
