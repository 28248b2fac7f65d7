import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import 'fake-indexeddb/auto'
import { type ReactNode, useState } from 'react'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { call } from '../../api/client.ts'
import { showLanguage } from '../../i18n/i18n.ts'
import { hearServerTime } from '../../lib/server-clock.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { type Draft, draftKeyOf, noProgress, readDraft, writeDraft } from './draft-store.ts'
import EditListingPage from './EditListingPage.tsx'
import { savedAuctionOf } from './listing-values.ts'
import NewListingPage from './NewListingPage.tsx'
import RelistPage from './RelistPage.tsx'
import { sellingServer } from './testing/selling-server.ts'

const sarah = { id: 3, username: 'sarah', isSeller: true }
let api: ReturnType<typeof mockApi>
let server: ReturnType<typeof sellingServer>
let view: ReturnType<typeof renderAt> | undefined

beforeEach(() => {
  api = mockApi()
  server = sellingServer(api)
})
afterEach(() => {
  view?.end()
  view = undefined
  api.restore()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** What is reckoned from now is the same for the page and for the test, at midnight as well. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date'] })

/** The page at an address, after something was left in the browser. */
function open(address: string, left: () => void = () => {}) {
  view = renderAt(
    address,
    <Left left={left}>
      <Routes>
        <Route path="seller/products/new" element={<NewListingPage />} />
        <Route path="seller/products/:productId/edit" element={<EditListingPage />} />
        <Route path="seller/products/:productId/relist" element={<RelistPage />} />
        <Route path="*" element={<p>Somewhere else</p>} />
      </Routes>
    </Left>,
    sarah,
  )
  return view
}

function Left({ left, children }: { left: () => void; children: ReactNode }) {
  useState(left)
  return children
}

const field = (label: string) => screen.getByLabelText(label)
const fill = (label: string, value: string) => fireEvent.change(field(label), { target: { value } })
// By its words: what a role is called takes long to work out in a form of this size.
const press = (words: string) => fireEvent.click(screen.getByText(words, { selector: 'button' }))
const errorOf = (label: string) => {
  const control = field(label)
  const below = document.getElementById(control.getAttribute('aria-describedby') ?? '')
  return control.getAttribute('aria-invalid') ? below?.textContent : undefined
}
const addPicture = (name: string, type = 'image/jpeg') =>
  fireEvent.change(field('Add pictures'), { target: { files: [new File(['oud'], name, { type })] } })

async function openNew(type: 'fixed' | 'auction', left?: () => void) {
  const opened = open(`/seller/products/new?type=${type}`, left)
  await screen.findByLabelText('Name')
  return opened
}

function fillPerfume() {
  fill('Name', 'Oud Wood')
  fill('Brand', 'Tom Ford')
  fill('Category', '4')
  fill('Description', 'Kept in the dark.')
}

const perfume = {
  name: 'Oud Wood',
  brand: 'Tom Ford',
  description: 'Kept in the dark.',
  price: 680.5,
  categoryId: 4,
  remainingPercentage: 100,
  listingType: 'fixed',
} as const

const draft: Draft = {
  savedAtMs: Date.now(),
  values: { name: 'Half a thought' },
  pictures: null,
  knownImageIds: [],
  progress: noProgress(),
  isUnderWay: false,
}

describe('a new listing', () => {
  it('begins with the defaults of its kind', async () => {
    await openNew('fixed')
    expect(field('Volume (ml)')).toHaveValue(100)
    expect(field('Remaining (%)')).toHaveValue(100)
    expect(field('Box condition')).toHaveValue('Good')
    expect(field('Stock quantity')).toHaveValue(1)
    expect(field('Fixed Price')).toBeChecked()
    expect(screen.queryByLabelText('Starting price (RM)')).toBeNull()
    fill('Remaining (%)', '40')
    expect(await screen.findByText('40% full')).toBeInTheDocument()
    fireEvent.change(screen.getByRole('slider', { name: 'How full it is' }), { target: { value: '65' } })
    expect(field('Remaining (%)')).toHaveValue(65)
    expect(screen.getByText('65% full')).toBeInTheDocument()
  })

  it('by auction begins with its step and an end seven days ahead', async () => {
    stopClock()
    await openNew('auction')
    expect(field('Bid increment (RM)')).toHaveValue(0.1)
    const end = new Date(Date.now() + 7 * 86_400_000 + 8 * 3_600_000)
    expect(field('Day')).toHaveValue(String(end.getUTCDate()))
    expect(screen.queryByLabelText('Price (RM)')).toBeNull()
    press('3 days')
    const sooner = new Date(Date.now() + 3 * 86_400_000 + 8 * 3_600_000)
    expect(field('Day')).toHaveValue(String(sooner.getUTCDate()))
    fill('Starting price (RM)', '200')
    expect(await screen.findByText(/we suggest RM.5\.00/)).toBeInTheDocument()
    press('Use it')
    expect(field('Bid increment (RM)')).toHaveValue(5)
    expect(screen.queryByText(/we suggest/)).toBeNull()
  })

  it('proposes other times once the server’s clock is known, and leaves those that were chosen', async () => {
    stopClock()
    await openNew('auction')
    fill('Name', 'Oud Wood')
    const yearMs = 366 * 86_400_000
    const yearAhead = (ms: number) =>
      String(new Date(Date.now() + ms + 7 * 86_400_000 + 8 * 3_600_000).getUTCFullYear())
    act(() => hearServerTime(new Date(Date.now() + yearMs).toISOString(), Date.now()))
    expect(field('Year')).toHaveValue(yearAhead(yearMs))
    expect(field('Name')).toHaveValue('Oud Wood')
    expect(Object.keys(readDraft(draftKeyOf(3, 'new-auction'), Date.now())?.values ?? {})).toEqual(['name'])
    fill('Year', yearAhead(2 * yearMs))
    act(() => hearServerTime(new Date(Date.now() + 3 * yearMs).toISOString(), Date.now()))
    expect(field('Year')).toHaveValue(yearAhead(2 * yearMs))
  })

  it('goes by the server’s clock', async () => {
    stopClock()
    const yearMs = 366 * 86_400_000
    const serverMs = Date.now() + yearMs
    hearServerTime(new Date(serverMs).toISOString(), Date.now())
    const inDays = (days: number) => new Date(serverMs + days * 86_400_000 + 8 * 3_600_000)
    const ends = (end: Date) => {
      expect(field('Day')).toHaveValue(String(end.getUTCDate()))
      expect(field('Year')).toHaveValue(String(end.getUTCFullYear()))
    }
    await openNew('auction')
    ends(inDays(7))
    expect(field('Purchase year')).toHaveAttribute('max', String(inDays(0).getUTCFullYear()))
    press('3 days')
    ends(inDays(3))
    hearServerTime(new Date(serverMs + yearMs).toISOString(), Date.now())
    press('Create Auction')
    expect(await screen.findByText('End date must be in the future')).toBeInTheDocument()
  })

  it('says all that is missing, and goes to the first of it', async () => {
    await openNew('fixed')
    press('Create Listing')
    await waitFor(() => expect(errorOf('Name')).toBe('Name must be at least 3 characters'))
    expect(errorOf('Price (RM)')).toBe('Price must be greater than 0')
    expect(errorOf('Image URL')).toBe('Please add a picture or enter a valid image URL')
    expect(document.activeElement).toBe(field('Image URL'))
    addPicture('oud.jpg')
    await waitFor(() => expect(errorOf('Image URL')).toBeUndefined())
    expect(server.calls).toEqual([])
  })

  it('says what is missing in the language of the page', async () => {
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    open('/seller/products/new?type=fixed')
    await screen.findByLabelText('Nama')
    press('Cipta Iklan')
    await waitFor(() => expect(errorOf('Nama')).toBe('Nama mesti sekurang-kurangnya 3 aksara'))
    expect(errorOf('Jenama')).toBe('Jenama mesti sekurang-kurangnya 2 aksara')
    expect(errorOf('Penerangan')).toBe('Penerangan mesti sekurang-kurangnya 10 aksara')
  })

  it('is made with its pictures, and then seen', async () => {
    const { toasts, whereabouts } = await openNew('fixed')
    fillPerfume()
    fill('Price (RM)', '680.50')
    addPicture('front.jpg')
    addPicture('back.png', 'image/png')
    press('Create Listing')
    await waitFor(() => expect(whereabouts()).toBe('/products/101'))
    expect(toasts).toEqual([{ title: 'Product created', description: 'Oud Wood is for sale.' }])
    expect(server.calls.map(({ route }) => route)).toEqual([
      sellingRoutes.createProduct,
      sellingRoutes.registerImage,
      sellingRoutes.uploadImage,
      sellingRoutes.registerImage,
      sellingRoutes.uploadImage,
    ])
    expect(Object.keys(localStorage).filter((key) => key.startsWith('wangian-draft'))).toEqual([])
  })

  it.each([
    ['a picture of a page', ['text/html', 'Files'], true],
    ['a file', ['text/plain', 'Files'], true],
    ['words of an office program, which come with their picture', ['text/plain', 'text/html', 'Files'], false],
  ])('takes %s from the clipboard for what it is', async (_, types, isPicture) => {
    await openNew('fixed')
    const clipboardData = { files: [new File(['oud'], 'image.png', { type: 'image/png' })], types }
    const isLeftToBrowser = fireEvent.paste(field('Description'), { clipboardData })
    expect(isLeftToBrowser).toBe(!isPicture)
    expect(screen.queryAllByText('1 picture is added.')).toHaveLength(isPicture ? 1 : 0)
  })

  it('refuses a picture in its place and in a toast, with the words that are promised', async () => {
    const { toasts } = await openNew('fixed')
    addPicture('notes.txt', 'text/plain')
    const words = 'Invalid file type: Please select an image file (JPEG, PNG, etc.)'
    expect(await screen.findByRole('alert')).toHaveTextContent(words)
    expect(toasts).toEqual([{ title: 'Error with images', description: words, tone: 'destructive' }])
  })

  it('keeps the focus with its pictures when one is taken away', async () => {
    await openNew('fixed')
    addPicture('front.jpg')
    const remove = await screen.findByRole('button', { name: 'Remove picture 1' })
    remove.focus()
    fireEvent.click(remove)
    await waitFor(() => expect(screen.queryByText('front.jpg')).toBeNull())
    expect(field('Add pictures')).toHaveFocus()
  })

  it('shows what the server refuses at its field, and says so', async () => {
    const details = [{ path: 'price', message: 'Price must be greater than 0' }]
    api.answer(sellingRoutes.createProduct, () =>
      Response.json(
        { code: 'bad-request', message: 'Price must be greater than 0', requestId: 'r', details },
        { status: 400 },
      ),
    )
    const { toasts, whereabouts } = await openNew('auction')
    fillPerfume()
    fill('Starting price (RM)', '50')
    press('Create Auction')
    await waitFor(() => expect(errorOf('Starting price (RM)')).toBe('Price must be greater than 0'))
    expect(toasts).toMatchObject([{ title: 'Error creating product', description: 'Price must be greater than 0' }])
    expect(whereabouts()).toBe('/seller/products/new?type=auction')
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    press('Cipta Lelongan')
    await waitFor(() => expect(errorOf('Harga permulaan (RM)')).toBe('Harga mesti lebih daripada 0'))
  })

  it('whose auction is refused is there once, and is told so', async () => {
    const { toasts } = await openNew('auction')
    fillPerfume()
    fill('Starting price (RM)', '50')
    api.answer(auctionRoutes.createAuction, () => refusal('rate-limited'))
    press('Create Auction')
    await waitFor(() =>
      expect(toasts).toMatchObject([{ title: 'Error creating auction', description: 'Too many requests' }]),
    )
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    api.answer(auctionRoutes.createAuction, () => refusal('forbidden'))
    press('Create Auction')
    await waitFor(() => expect(toasts).toHaveLength(2))
    expect(server.callsOf(sellingRoutes.createProduct)).toHaveLength(1)
  })

  it('with pictures that fail can try each again alone, and goes on when none is missing', async () => {
    const { toasts, whereabouts } = await openNew('fixed')
    fillPerfume()
    fill('Price (RM)', '680.50')
    addPicture('front.jpg')
    addPicture('back.jpg')
    let isRefused = true
    api.answer(sellingRoutes.uploadImage, ({ url }) =>
      isRefused
        ? refusal('unsupported-type')
        : { id: Number(url.pathname.split('/')[3]), imageUrl: 'a-name-of-it', imageOrder: 0 },
    )
    press('Create Listing')
    expect(await screen.findByText('2 pictures are still missing.')).toBeInTheDocument()
    expect(toasts).toEqual([
      {
        title: 'Error with images',
        description: 'Failed to upload image 1. This content type is not supported.',
        tone: 'destructive',
      },
    ])
    isRefused = false
    fireEvent.click(screen.getByLabelText('Try picture 1 again'))
    expect(await screen.findByText('1 picture is still missing.')).toBeInTheDocument()
    expect(whereabouts()).toBe('/seller/products/new?type=fixed')
    press('Try All Again')
    await waitFor(() => expect(whereabouts()).toBe('/products/101'))
    expect(server.callsOf(sellingRoutes.createProduct)).toHaveLength(1)
  })
})

describe('a listing without some of its pictures', () => {
  it('is back in its form by Escape, with all that is missing, and goes on from there', async () => {
    const { whereabouts } = await openNew('fixed')
    fillPerfume()
    fill('Price (RM)', '680.50')
    addPicture('front.jpg')
    let isRefused = true
    api.answer(sellingRoutes.uploadImage, ({ url }) =>
      isRefused
        ? refusal('unsupported-type')
        : { id: Number(url.pathname.split('/')[3]), imageUrl: 'a-name-of-it', imageOrder: 0 },
    )
    press('Create Listing')
    await screen.findByText('1 picture is still missing.')
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(whereabouts()).toBe('/seller/products/new?type=fixed')
    expect(readDraft(draftKeyOf(3, 'new-fixed'), Date.now())).toMatchObject({ isUnderWay: true })
    fireEvent.click(screen.getByText('Sell by auction instead'))
    expect(await screen.findByText(/^It is in your dashboard already\./)).toBeInTheDocument()
    press('Stay')
    isRefused = false
    press('Create Listing')
    await waitFor(() => expect(whereabouts()).toBe('/products/101'))
    expect(server.callsOf(sellingRoutes.createProduct)).toHaveLength(1)
  })
})

describe('a draft', () => {
  it('is restored, and can be discarded', async () => {
    await openNew('fixed', () => writeDraft(draftKeyOf(3, 'new-fixed'), draft))
    expect(screen.getByText('Draft restored')).toBeInTheDocument()
    expect(field('Name')).toHaveValue('Half a thought')
    press('Discard')
    await waitFor(() => expect(field('Name')).toHaveValue(''))
    expect(screen.queryByText('Draft restored')).toBeNull()
    expect(document.activeElement).toBe(document.querySelector('form'))
    expect(localStorage.getItem(draftKeyOf(3, 'new-fixed'))).toBeNull()
  })

  it('of somebody else is not shown', async () => {
    await openNew('fixed', () => writeDraft(draftKeyOf(4, 'new-fixed'), draft))
    expect(screen.queryByText('Draft restored')).toBeNull()
    expect(field('Name')).toHaveValue('')
  })

  it('that another tab has listed becomes a listing of its own, with pictures of its own', async () => {
    const key = draftKeyOf(3, 'new-fixed')
    const { whereabouts } = await openNew('fixed', () => writeDraft(key, draft))
    fillPerfume()
    fill('Price (RM)', '680.50')
    addPicture('front.jpg')
    const listed = await call(sellingRoutes.createProduct, {
      body: { ...perfume, sellerId: 3, requestKey: draft.progress.requestKey },
    })
    const [pictureOfBoth] = readDraft(key, Date.now())?.pictures ?? []
    act(() => {
      localStorage.removeItem(key)
      window.dispatchEvent(new StorageEvent('storage', { key }))
    })
    fill('Name', 'Oud Wood Intense')
    press('Create Listing')
    await waitFor(() => expect(whereabouts()).toMatch(/^\/products\/\d+$/))
    expect(whereabouts()).not.toBe(`/products/${listed.id}`)
    expect([...server.held.values()].map(({ product }) => product.name)).toEqual([perfume.name, 'Oud Wood Intense'])
    expect(server.callsOf(sellingRoutes.registerImage)).toMatchObject([
      { body: { imageUrl: expect.not.stringMatching(pictureOfBoth?.key ?? '') } },
    ])
  })

  it('of what was listed and deleted since becomes another listing, with pictures of its own', async () => {
    const key = draftKeyOf(3, 'new-auction')
    const progress = { ...noProgress(), productId: 99 }
    const { whereabouts, toasts } = await openNew('auction', () => writeDraft(key, { ...draft, progress }))
    fillPerfume()
    fill('Starting price (RM)', '50')
    addPicture('front.jpg')
    const [pictureOfFirst] = readDraft(key, Date.now())?.pictures ?? []
    press('Create Auction')
    await waitFor(() =>
      expect(toasts).toMatchObject([{ title: 'Error updating product', description: 'Product not found' }]),
    )
    press('Create Auction')
    await waitFor(() => expect(whereabouts()).toMatch(/^\/auctions\/\d+$/))
    // The name of a picture belongs to the listing that it was sent for.
    expect(server.callsOf(sellingRoutes.registerImage)).toMatchObject([
      { body: { productId: 101, imageUrl: expect.not.stringMatching(pictureOfFirst?.key ?? '') } },
    ])
  })

  it('is kept at every change, and goes when nothing is left of them', async () => {
    await openNew('auction')
    fill('Name', 'Oud')
    expect(localStorage.getItem(draftKeyOf(3, 'new-auction'))).toContain('"name":"Oud"')
    fill('Name', '')
    expect(localStorage.getItem(draftKeyOf(3, 'new-auction'))).toBeNull()
  })
})

describe('a change', () => {
  it('of nothing cannot be saved; of something is', async () => {
    const productId = server.add({ listingType: 'fixed', price: 680.5, imageUrl: 'https://example.com/a.jpg' })
    const { toasts, whereabouts } = open(`/seller/products/${productId}/edit`)
    await screen.findByLabelText('Name')
    expect(field('Price (RM)')).toHaveValue(680.5)
    expect(screen.getByText('Save Changes')).toBeDisabled()
    fill('Price (RM)', '600')
    press('Save Changes')
    await waitFor(() => expect(whereabouts()).toBe(`/products/${productId}`))
    expect(toasts).toMatchObject([{ title: 'Product updated' }])
    expect(server.callsOf(sellingRoutes.updateProduct).map(({ body }) => body)).toEqual([{ price: 600, sellerId: 3 }])
  })

  it('of an auction changes its terms', async () => {
    const productId = server.add({ listingType: 'auction', price: 50 }, { startingPrice: 50, bidIncrement: 5 })
    const { toasts } = open(`/seller/products/${productId}/edit`)
    fireEvent.change(await screen.findByLabelText('Bid increment (RM)'), { target: { value: '7.50' } })
    press('Save Changes')
    await waitFor(() => expect(toasts).toMatchObject([{ title: 'Auction updated' }]))
    expect(server.callsOf(auctionRoutes.reviseAuction)[0]?.body).toMatchObject({ auction: { bidIncrement: 7.5 } })
  })

  it('of an auction with bids is only added to its description', async () => {
    const productId = server.add({ listingType: 'auction' }, { bidCount: 2 })
    const { toasts } = open(`/seller/products/${productId}/edit`)
    expect(await screen.findByText('People have bid on it')).toBeInTheDocument()
    // A summary with one field.
    expect(screen.getAllByRole('textbox')).toEqual([field('Add to the description')])
    for (const fact of ['Oud Wood', 'Kept in the dark.']) expect(screen.getByText(fact)).toBeInTheDocument()
    expect(screen.queryByLabelText('Add pictures')).toBeNull()
    fill('Add to the description', 'The cap has a scratch.')
    press('Save Changes')
    await waitFor(() => expect(toasts).toMatchObject([{ title: 'Auction updated' }]))
    expect(server.callsOf(sellingRoutes.updateProduct).map(({ body }) => body)).toEqual([
      { description: 'Kept in the dark.\n\nThe cap has a scratch.', sellerId: 3 },
    ])
  })

  it('of an auction with bids shows what stands in the language of the page', async () => {
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    const productId = server.add({ listingType: 'auction', boxCondition: 'No Box' }, { bidCount: 2 })
    open(`/seller/products/${productId}/edit`)
    expect(await screen.findByText('Tiada Kotak')).toBeInTheDocument()
  })

  it('that comes after the first bid shows why it is refused', async () => {
    const productId = server.add({ listingType: 'auction' }, { startingPrice: 50 })
    const { toasts } = open(`/seller/products/${productId}/edit`)
    await screen.findByLabelText('Name')
    api.answer(sellingRoutes.updateProduct, () => refusal('auction-has-bids'))
    const held = server.held.get(productId)
    if (held?.auction) held.auction = { ...held.auction, bidCount: 1 }
    fill('Name', 'Oud Wood Intense')
    press('Save Changes')
    await waitFor(() =>
      expect(toasts).toMatchObject([{ title: 'Error updating product', description: 'Auction already has bids' }]),
    )
    expect(await screen.findByText('People have bid on it')).toBeInTheDocument()
  })

  it('of an auction with bids sends nothing of what was changed before them', async () => {
    const productId = server.add({ listingType: 'auction' }, { bidCount: 1 })
    const values = { name: '', description: 'Worn twice.', addition: 'The cap has a scratch.' }
    const key = draftKeyOf(3, `edit-${productId}`)
    const { toasts } = open(`/seller/products/${productId}/edit`, () =>
      writeDraft(key, { ...draft, values, pictures: [{ kind: 'file', key: 'new' }] }),
    )
    expect(await screen.findByLabelText('Add to the description')).toHaveValue('The cap has a scratch.')
    press('Save Changes')
    await waitFor(() => expect(toasts).toMatchObject([{ title: 'Auction updated' }]))
    expect(server.calls.slice(2).map(({ body }) => body)).toEqual([
      { description: 'Kept in the dark.\n\nThe cap has a scratch.', sellerId: 3 },
    ])
  })

  it.each([
    ['auction-not-found', 'Failed to find auction data for this product'],
    ['unavailable', 'Failed to fetch auction data for update'],
  ] as const)('of a listing whose auction is %s says %s', async (code, title) => {
    const productId = server.add({ listingType: 'auction' })
    api.answer(auctionRoutes.getAuctionOfProduct, () => refusal(code))
    const { toasts } = open(`/seller/products/${productId}/edit`)
    await waitFor(() => expect(toasts).toEqual([{ title, tone: 'destructive' }]))
  })

  it.each([
    ['sold', 'This product is sold'],
    ['pending', 'This product is reserved for a buyer'],
  ] as const)('of what is %s is not possible', async (status, title) => {
    const productId = server.add({ listingType: 'fixed', status })
    open(`/seller/products/${productId}/edit`)
    expect(await screen.findByRole('heading', { name: title })).toBeInTheDocument()
  })

  it('of what is not there, or not theirs, is not possible', async () => {
    open('/seller/products/999/edit')
    expect(await screen.findByRole('heading', { name: 'Product Not Found' })).toBeInTheDocument()
    expect(document.title).toBe('Product Not Found · Wangian')
  })
})

describe('an auction that is opened again', () => {
  it('begins with its last terms and an end one day ahead, and says so', async () => {
    stopClock()
    const ended = { status: 'ended', startingPrice: 50, bidIncrement: 5, endsAt: '2026-01-02T03:04:05.000Z' } as const
    const productId = server.add({ listingType: 'auction' }, ended)
    const { toasts, whereabouts } = open(`/seller/products/${productId}/relist`)
    expect(await screen.findByText('Its end was over: it is now one day ahead.')).toBeInTheDocument()
    expect(field('Starting price (RM)')).toHaveValue(50)
    const tomorrow = new Date(Date.now() + 86_400_000 + 8 * 3_600_000)
    expect(field('Day')).toHaveValue(String(tomorrow.getUTCDate()))
    press('Open Auction')
    await waitFor(() => expect(whereabouts()).toMatch(/^\/auctions\/\d+$/))
    expect(toasts).toMatchObject([{ title: 'Auction created' }])
    expect(server.calls.map(({ route }) => route)).toEqual([
      sellingRoutes.getOwnProduct,
      auctionRoutes.getAuctionOfProduct,
      auctionRoutes.createAuction,
    ])
  })

  it('is another one than what was left open before, and has ended since', async () => {
    const productId = server.add({ listingType: 'auction' }, { status: 'ended', endsAt: '2026-01-02T03:04:05.000Z' })
    const auction = server.held.get(productId)?.auction
    if (!auction) throw new Error('it was added')
    // A picture could not be sent when it was opened, and the tab was closed.
    const progress = { ...noProgress(), productId, auctionId: auction.id, savedAuction: savedAuctionOf(auction) }
    const { whereabouts } = open(`/seller/products/${productId}/relist`, () =>
      writeDraft(draftKeyOf(sarah.id, `relist-${productId}`), { ...draft, values: {}, progress, isUnderWay: true }),
    )
    await screen.findByText('Its end was over: it is now one day ahead.')
    press('Open Auction')
    await waitFor(() => expect(whereabouts()).toMatch(/^\/auctions\/\d+$/))
    expect(server.callsOf(auctionRoutes.createAuction)).toHaveLength(1)
    expect(server.callsOf(auctionRoutes.reviseAuction)).toHaveLength(0)
    expect(whereabouts()).not.toBe(`/auctions/${auction.id}`)
  })

  it('must have ended', async () => {
    const productId = server.add({ listingType: 'auction' }, { status: 'active' })
    open(`/seller/products/${productId}/relist`)
    expect(await screen.findByRole('heading', { name: 'Its auction is still running' })).toBeInTheDocument()
  })
})
