import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { accountRoutes } from '@wangian/contracts/account.ts'
import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { type BoostCase, type BoostPackage, boostRoutes, paymentOutcomes } from '@wangian/contracts/boost.ts'
import type { AuctionSummary } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import {
  ANALYTICS_LISTINGS_MAX,
  type BoostableProduct,
  type DeletionEffects,
  type OwnProduct,
  sellingRoutes,
} from '@wangian/contracts/selling.ts'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { showLanguage } from '../../../i18n/i18n.ts'
import { boostPackage, boostPayment, currentUser, later, now, ownProduct } from '../../../testing/fixtures.ts'
import { mockApi, refusal } from '../../../testing/mock-api.ts'
import { renderAt } from '../../../testing/render.tsx'
import { toldEvents } from '../../../testing/told-events.ts'
import { draftKeyOf, editForm } from '../draft-store.ts'
import DashboardPage from './DashboardPage.tsx'

const sarah = { id: 3, username: 'sarah', isSeller: true }
const hour = 3_600_000
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const oud = ownProduct({ id: 1, name: 'Oud Wood', listingType: 'fixed', price: 1234.5, stockQuantity: 3 })
const rose = ownProduct({ id: 2, name: 'Rose 31', brand: 'Le Labo', listingType: 'fixed', stockQuantity: 6 })
const jazz = ownProduct({ id: 3, name: 'Jazz Club', listingType: 'fixed', stockQuantity: 21, status: 'sold' })
const auction: AuctionSummary = {
  id: 9,
  status: 'active',
  startsAt: inMs(-hour),
  endsAt: inMs(2 * hour + 60_000),
  startingPrice: 50,
  currentBid: 60,
  bidCount: 2,
  outcome: null,
  winner: null,
  isReleased: false,
}

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.me, () => ({ ...currentUser, ...sarah, email: 'sarah@wangian.test', firstName: 'Sarah' }))
  api.answer(sellingRoutes.getSummary, () => ({
    totalProducts: 1203,
    totalUnits: 12_030,
    averagePrice: 99.9,
    boostedCount: 2,
  }))
  list(oud, rose, jazz)
})
afterEach(() => {
  view?.end()
  api.restore()
  vi.useRealTimers()
})

function list(...products: OwnProduct[]): void {
  api.answer(sellingRoutes.listOwnProducts, () => products, { 'x-total-count': String(products.length) })
}

async function open(address = '/seller/dashboard') {
  view = renderAt(address, <DashboardPage />, sarah)
  await screen.findByRole('heading', { name: 'Seller Dashboard' })
}

const rowOf = async (name: string) => (await screen.findByRole('link', { name })).closest('tr') as HTMLElement
const press = (name: string, within_: HTMLElement = document.body) =>
  fireEvent.click(within(within_).getByRole('button', { name }))

async function choose(product: string, action: string) {
  await rowOf(product)
  press(`Actions for ${product}`)
  fireEvent.click(await screen.findByRole('menuitem', { name: action }))
}

async function actionsOf(product: string) {
  await rowOf(product)
  press(`Actions for ${product}`)
  return (await screen.findAllByRole('menuitem')).map((item) => item.textContent)
}

const lastQuery = () => api.received.findLast(({ url }) => url.pathname === '/api/seller/products')?.url.searchParams

describe('the head', () => {
  it('counts, and leads to what a seller does next', async () => {
    await open()
    expect(await screen.findByText('RM 99.90')).toBeInTheDocument()
    expect(screen.getByText('12,030 units')).toBeInTheDocument()
    expect(screen.getByText('Total Products').nextElementSibling).toHaveTextContent('1,203')
    expect(screen.getByRole('link', { name: 'Boost Products' })).toHaveAttribute('href', '/boost-checkout')
    press('Add New Product')
    const dialog = within(await screen.findByRole('dialog', { name: 'Select Listing Type' }))
    const links = dialog.getAllByRole('link').map((link) => link.getAttribute('href'))
    expect(links).toEqual(['/seller/products/new?type=fixed', '/seller/products/new?type=auction'])
  })

  it('has no average without a price', async () => {
    api.answer(sellingRoutes.getSummary, () => ({
      totalProducts: 0,
      totalUnits: 0,
      averagePrice: null,
      boostedCount: 0,
    }))
    list()
    await open()
    expect(await screen.findByText('—')).toBeInTheDocument()
    expect(await screen.findByText('No products yet')).toBeInTheDocument()
    expect(screen.getByRole('tab', { name: 'Boosted Products' })).toBeInTheDocument()
  })
})

describe('the tabs', () => {
  it.each([
    ['/seller/dashboard', 'Products'],
    ['/seller/dashboard?tab=products', 'Products'],
    ['/seller/dashboard?tab=boosted', 'Boosted Products22 boosted'],
    ['/seller/dashboard?tab=settings', 'Settings'],
    ['/seller/dashboard?tab=nothing', 'Products'],
  ])('%s opens %s', async (address, name) => {
    api.answer(accountRoutes.getNotifications, () => ({ sales: true, newReviews: true, lowStock: true }))
    await open(address)
    await waitFor(() => expect(screen.getByRole('tab', { selected: true })).toHaveTextContent(name))
  })

  it('have addresses', async () => {
    await open()
    fireEvent.click(screen.getByRole('tab', { name: /Boosted/ }))
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard?tab=boosted'))
    fireEvent.click(screen.getByRole('tab', { name: 'Products' }))
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard'))
  })
})

describe('the table', () => {
  it('has the columns of the specification, and the rows in the order of the server', async () => {
    await open()
    await rowOf('Oud Wood')
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Boost',
      'Image',
      'Name',
      'Brand',
      'Category',
      'Price',
      'Stock',
      'Status',
      'Actions',
    ])
    const names = screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getByRole('link').textContent)
    expect(names).toEqual(['Oud Wood', 'Rose 31', 'Jazz Club'])
    expect(lastQuery()?.toString()).toBe('sellerId=3&limit=50')
  })

  it('says how much is in stock, and how a product stands', async () => {
    const irish = { id: 4, name: 'Green Irish', listingType: 'fixed', isFeatured: true, reservedQuantity: 2 } as const
    list(oud, rose, jazz, ownProduct(irish))
    await open()
    for (const [name, words] of [
      ['Oud Wood', ['RM 1,234.50', 'Low', 'Active']],
      ['Rose 31', ['Medium', 'Le Labo', 'Niche']],
      ['Jazz Club', ['Good', 'Sold']],
      ['Green Irish', ['Active', 'Boosted', '2 reserved']],
    ] as const) {
      const row = await rowOf(name)
      for (const word of words) expect(within(row).getByText(word)).toBeInTheDocument()
    }
  })

  it('is searched a moment after the last key, in the address', async () => {
    await open()
    await rowOf('Oud Wood')
    const before = api.countOf(sellingRoutes.listOwnProducts)
    const field = screen.getByRole('searchbox', { name: 'Search your products' })
    for (const words of ['r', 'ro', 'rose']) fireEvent.change(field, { target: { value: words } })
    list(rose)
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard?search=rose'))
    await waitFor(() => expect(screen.queryByText('Oud Wood')).toBeNull())
    expect(lastQuery()?.get('search')).toBe('rose')
    expect(api.countOf(sellingRoutes.listOwnProducts)).toBe(before + 1)
    list()
    fireEvent.change(field, { target: { value: 'nothing' } })
    expect(await screen.findByText('No products found')).toBeInTheDocument()
    list(oud, rose)
    press('Clear search')
    await rowOf('Oud Wood')
    expect(screen.getByRole('heading', { name: 'Your products' })).toHaveFocus()
    expect(field).toHaveValue('')
    expect(view.whereabouts()).toBe('/seller/dashboard')
  })

  it('keeps a menu open that was opened before the search had its answer', async () => {
    await open()
    const row = await rowOf('Oud Wood')
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search your products' }), { target: { value: 'oud' } })
    fireEvent.click(within(row).getByRole('button', { name: 'Actions for Oud Wood' }))
    await screen.findByRole('menuitem', { name: 'Edit' })
    const before = api.countOf(sellingRoutes.listOwnProducts)
    list(oud)
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard?search=oud'))
    await waitFor(() => expect(api.countOf(sellingRoutes.listOwnProducts)).toBe(before + 1))
    await waitFor(() => expect(screen.getByText('1 product')).toBeInTheDocument())
    expect(screen.getByRole('menuitem', { name: 'Edit' })).toBeInTheDocument()
  })

  it('has pages, each with an address', async () => {
    api.answer(sellingRoutes.listOwnProducts, ({ url }) => {
      const first = Number(url.searchParams.get('cursor') ?? 1)
      const link = `</api/seller/products?cursor=${first + 50}>; rel="next"`
      return Response.json([ownProduct({ id: first, name: `Bottle ${first}` })], {
        headers: { 'x-total-count': '101', ...(first < 101 && { link }) },
      })
    })
    await open('/seller/dashboard?page=2')
    await rowOf('Bottle 51')
    expect(screen.getByText('101 products')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Page 2' })).toHaveAttribute('aria-current', 'page')
    expect(screen.queryByText('Bottle 1')).toBeNull()
    fireEvent.click(screen.getByRole('link', { name: 'Page 3' }))
    await rowOf('Bottle 101')
    expect(view.whereabouts()).toBe('/seller/dashboard?page=3')
    expect(lastQuery()?.get('cursor')).toBe('101')
    expect(screen.getByRole('heading', { name: 'Your products' })).toHaveFocus()
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'bottle' } })
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard?search=bottle'))
    await rowOf('Bottle 1')
  })

  it('shows the last page when there are fewer', async () => {
    await open('/seller/dashboard?page=9')
    await rowOf('Oud Wood')
    expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull()
  })

  it('says that it cannot be read, and tries again', async () => {
    api.answer(sellingRoutes.listOwnProducts, () => refusal('unavailable'))
    await open()
    expect(await screen.findByText('This could not be loaded')).toBeInTheDocument()
    list(oud)
    press('Try Again')
    await rowOf('Oud Wood')
  })
})

describe('an auction in the table', () => {
  const over = { status: 'ended', endsAt: inMs(-1000) } as const
  const show = async (changes: Partial<AuctionSummary>, product: Partial<OwnProduct> = {}) => {
    list(ownProduct({ id: 7, name: 'Kenanga', auction: { ...auction, ...changes }, ...product }))
    await open()
    return await rowOf('Kenanga')
  }

  it('tells of its bids and its end', async () => {
    // From now on: the file was begun some time ago.
    const row = await show({ endsAt: inMs(2 * hour + 60_000) })
    expect(row).toHaveTextContent(/2 bids · ends in 2h [01]m/)
    expect(row).toHaveTextContent('RM 60.00Current bid')
    expect(within(row).getByRole('link', { name: 'Kenanga' })).toHaveAttribute('href', '/auctions/9')
    expect(await actionsOf('Kenanga')).toEqual(['Edit', 'View', 'Delete'])
  })

  it('that ends while its seller looks on is told as it has ended, and asked for no more', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const ofEnd = (changes: Partial<AuctionSummary>) =>
      ownProduct({ name: 'Oud Wood', listingType: 'auction', auction: { ...auction, endsAt, ...changes } })
    const endsAt = inMs(30_000)
    list(ofEnd({}))
    await open()
    expect(await rowOf('Oud Wood')).toHaveTextContent('2 bids · ends in')
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(await rowOf('Oud Wood')).toHaveTextContent('2 bids · ended, the result is on its way')
    list(ofEnd({ status: 'ended', outcome: 'reserve-not-met' }))
    await act(() => vi.advanceTimersByTimeAsync(10_000))
    expect(await rowOf('Oud Wood')).toHaveTextContent('Reserve not met')
    const reads = api.countOf(sellingRoutes.listOwnProducts)
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(api.countOf(sellingRoutes.listOwnProducts)).toBe(reads)
  })

  it('tells when it starts', async () => {
    const row = await show({ status: 'scheduled', startsAt: inMs(hour), bidCount: 0, currentBid: null })
    expect(row).toHaveTextContent(/Starts \d+ \w+ \d{4}/)
  })

  it.each([
    ['no-bids', 'Unsold'],
    ['reserve-not-met', 'Reserve not met'],
    ['winner-unavailable', 'Winner not available'],
  ] as const)('that ended with %s can be listed again', async (outcome, words) => {
    const row = await show({ ...over, outcome })
    expect(row).toHaveTextContent(words)
    expect(within(row).getByRole('link', { name: 'Relist' })).toHaveAttribute('href', '/seller/products/7/relist')
    expect(await actionsOf('Kenanga')).toEqual(['Edit', 'Relist', 'View', 'Delete'])
  })

  it('that was won leads to the conversation with the winner', async () => {
    const winner = { id: 11, username: 'mei' }
    const row = await show(
      { ...over, outcome: 'won', winner },
      { status: 'pending', reservation: { buyerId: 11, username: 'mei', amount: 60 } },
    )
    expect(row).toHaveTextContent('Pending')
    expect(row).toHaveTextContent('Ended: won by @mei at RM 60.00')
    expect(within(row).getByRole('checkbox')).toBeDisabled()
    press('Contact winner', row)
    expect(view.whereabouts()).toBe('/messages')
    expect(JSON.parse(sessionStorage.getItem('selectedConversation') ?? '')).toMatchObject({
      userId: 11,
      username: 'mei',
      productId: 7,
      productName: 'Kenanga',
      templateMessage: expect.stringContaining('you won Kenanga at RM\u00A060.00'),
    })
  })

  it('that was won and not paid is released', async () => {
    api.answer(auctionRoutes.releaseLot, () => refusal('conflict', 'The winner has until 25 Nov, 16:00 to pay.'))
    const winner = { id: 11, username: 'mei' }
    const reservation = { buyerId: 11, username: 'mei', amount: 60 }
    // Another bottle of it is kept for a deal.
    const kept = { stockQuantity: 3, reservedQuantity: 2 }
    await show({ ...over, outcome: 'won', winner }, { status: 'pending', reservation, ...kept })
    await choose('Kenanga', 'Release from winner')
    const dialog = await screen.findByRole('dialog', { name: 'Release Kenanga from its winner?' })
    press('Release', dialog)
    expect(await within(dialog).findByText('The winner has until 25 Nov, 16:00 to pay.')).toBeInTheDocument()
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: ' No answer. ' } })
    api.answer(auctionRoutes.releaseLot, () => ({ success: true as const }))
    press('Release', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Released' }]))
    expect(api.received.at(-1)?.body).toEqual({ reason: 'No answer.' })
    const row = await rowOf('Kenanga')
    expect(row).toHaveTextContent('Won, and not sold')
    expect(row).toHaveTextContent('1 reserved')
    expect(await actionsOf('Kenanga')).toEqual(['Edit', 'Relist', 'View', 'Delete'])
  })

  it('without a bid is cancelled with a reason', async () => {
    api.answer(auctionRoutes.cancelAuction, () => refusal('auction-has-bids'))
    await show({ bidCount: 0, currentBid: null })
    await choose('Kenanga', 'Cancel auction')
    const dialog = await screen.findByRole('dialog', { name: 'Cancel the auction of Kenanga?' })
    press('Cancel auction', dialog)
    expect(await within(dialog).findByText('Reason is required')).toBeInTheDocument()
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: ' The bottle broke. ' } })
    press('Cancel auction', dialog)
    expect(await within(dialog).findByText('Auction already has bids')).toBeInTheDocument()

    const { id: auctionId } = auction
    api.answer(auctionRoutes.cancelAuction, () =>
      Response.json({ ...cancelledAuction, id: auctionId }, { status: 200 }),
    )
    press('Cancel auction', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Auction cancelled' }]))
    expect(api.received.at(-1)?.body).toEqual({ reason: 'The bottle broke.' })
    const row = await rowOf('Kenanga')
    expect(row).toHaveTextContent('Auction cancelled')
    expect(within(row).getByRole('link', { name: 'Relist' })).toBeInTheDocument()
  })

  it('is cancelled while a search has no answer yet', async () => {
    const late = Promise.withResolvers<OwnProduct[]>()
    const { id: auctionId } = auction
    const cancelled = () => Response.json({ ...cancelledAuction, id: auctionId }, { status: 200 })
    api.answer(auctionRoutes.cancelAuction, cancelled)
    await show({ bidCount: 0, currentBid: null })
    api.answer(sellingRoutes.listOwnProducts, () => late.promise)
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'ken' } })
    await waitFor(() => expect(lastQuery()?.get('search')).toBe('ken'))
    await choose('Kenanga', 'Cancel auction')
    const dialog = await screen.findByRole('dialog', { name: 'Cancel the auction of Kenanga?' })
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'The bottle broke.' } })
    list(ownProduct({ id: 7, name: 'Kenanga', auction: { ...auction, bidCount: 0, currentBid: null } }))
    press('Cancel auction', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Auction cancelled' }]))
    late.resolve([])
    await waitFor(async () => expect(await rowOf('Kenanga')).toHaveTextContent('Auction cancelled'))
  })

  const cancelledAuction = {
    id: 9,
    productId: 7,
    sellerId: 3,
    status: 'cancelled',
    startingPrice: 50,
    hasReserve: false,
    reserveMet: true,
    buyNowPrice: null,
    bidIncrement: 5,
    currentBid: null,
    currentBidderId: null,
    bidCount: 0,
    minimumBid: 55,
    startsAt: inMs(-hour),
    endsAt: inMs(hour),
    outcome: null,
    winnerId: null,
    seq: 0,
    serverTime: inMs(0),
    createdAt: inMs(-hour),
    updatedAt: inMs(0),
  }
})

describe('deleting', () => {
  const none: DeletionEffects = {
    favoriteCount: 0,
    conversationCount: 0,
    featuredUntil: null,
    auction: null,
    isReserved: false,
  }
  const ask = async (effects: Partial<DeletionEffects>) => {
    api.answer(sellingRoutes.getDeletionEffects, () => ({ ...none, ...effects }))
    await open()
    await choose('Oud Wood', 'Delete')
    return await screen.findByRole('alertdialog', { name: 'Delete Oud Wood' })
  }

  it('asks, and says what goes with it', async () => {
    const dialog = await ask({
      favoriteCount: 3,
      conversationCount: 1,
      featuredUntil: '2026-11-30T04:00:00.000Z',
      auction: { id: 9, bidCount: 0, endsAt: inMs(hour) },
    })
    expect(within(dialog).getByText('Are you sure you want to delete this product?')).toBeInTheDocument()
    expect(await within(dialog).findAllByRole('listitem')).toHaveLength(4)
    expect(dialog).toHaveTextContent('Its auction, which has no bid, is cancelled.')
    expect(dialog).toHaveTextContent('boosted until 30 Nov 2026, 12:00 pm')
    expect(dialog).toHaveTextContent('3 people have it among their favorites')
    expect(dialog).toHaveTextContent('1 conversation about it stays')
    press('Keep it', dialog)
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(api.countOf(sellingRoutes.deleteProduct)).toBe(0)
  })

  it('takes the row away before the server has answered', async () => {
    const dialog = await ask({})
    expect(await within(dialog).findByText('Nobody keeps it, asks about it or bids on it.')).toBeInTheDocument()
    let answer = (_: Response) => {}
    api.answer(sellingRoutes.deleteProduct, () => new Promise<Response>((resolve) => (answer = resolve)))
    press('Delete', dialog)
    await waitFor(() => expect(screen.queryByText('Oud Wood')).toBeNull())
    // It goes though the page is left now.
    expect(vi.mocked(fetch).mock.lastCall?.[1]).toMatchObject({ method: 'DELETE', keepalive: true })
    expect(screen.getByText('2 products')).toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'Your products' })).toHaveFocus()
    expect(view.toasts).toEqual([])
    list(rose, jazz)
    await act(async () => answer(new Response(null, { status: 204 })))
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Product deleted' }]))
  })

  it('forgets what was left of its form', async () => {
    api.answer(sellingRoutes.deleteProduct, () => new Response(null, { status: 204 }))
    const dialog = await ask({})
    const key = draftKeyOf(sarah.id, editForm(oud.id))
    localStorage.setItem(key, 'a draft')
    await within(dialog).findByText('Nobody keeps it, asks about it or bids on it.')
    press('Delete', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Product deleted' }]))
    expect(localStorage.getItem(key)).toBeNull()
  })

  it('of the only row of the last page shows the page before it, and counts one less', async () => {
    const bottles = Array.from({ length: 51 }, (_, place) => ownProduct({ id: place + 1, name: `Bottle ${place + 1}` }))
    let held = bottles
    api.answer(sellingRoutes.listOwnProducts, ({ url }) => {
      const first = Number(url.searchParams.get('cursor') ?? 0)
      return Response.json(held.slice(first, first + 50), {
        headers: {
          'x-total-count': String(held.length),
          ...(held.length > first + 50 && { link: `</api/seller/products?cursor=${first + 50}>; rel="next"` }),
        },
      })
    })
    api.answer(sellingRoutes.getDeletionEffects, () => none)
    api.answer(sellingRoutes.deleteProduct, () => {
      held = bottles.slice(0, 50)
      return new Response(null, { status: 204 })
    })
    await open('/seller/dashboard?page=2')
    await choose('Bottle 51', 'Delete')
    const dialog = await screen.findByRole('alertdialog')
    await within(dialog).findByText('Nobody keeps it, asks about it or bids on it.')
    press('Delete', dialog)
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Product deleted' }]))
    await rowOf('Bottle 50')
    expect(screen.getByText('50 products')).toBeInTheDocument()
    expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull()
  })

  it('brings it back when the server refuses, with its words', async () => {
    const dialog = await ask({})
    await within(dialog).findByText('Nobody keeps it, asks about it or bids on it.')
    api.answer(sellingRoutes.deleteProduct, () => refusal('auction-has-bids'))
    press('Delete', dialog)
    await waitFor(() =>
      expect(view.toasts).toMatchObject([
        { title: 'Error deleting product', description: 'Auction already has bids', tone: 'destructive' },
      ]),
    )
    await rowOf('Oud Wood')
  })

  it.each([
    [{ isReserved: true }, 'Somebody is buying it'],
    [{ auction: { id: 9, bidCount: 2, endsAt: inMs(hour) } }, 'Its auction has 2 bids'],
  ])('is not offered while it cannot be done (%j)', async (effects, words) => {
    const dialog = await ask(effects)
    await waitFor(() => expect(dialog).toHaveTextContent(words))
    expect(within(dialog).queryByRole('button', { name: 'Delete' })).toBeNull()
    press('Close', dialog)
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  })

  it('waits until it is known what goes with it', async () => {
    api.answer(sellingRoutes.getDeletionEffects, () => refusal('unavailable'))
    await open()
    await choose('Oud Wood', 'Delete')
    const dialog = await screen.findByRole('alertdialog')
    expect(await within(dialog).findByText('We could not find out what goes with it.')).toBeInTheDocument()
    expect(within(dialog).getByRole('button', { name: 'Delete' })).toBeDisabled()
    api.answer(sellingRoutes.getDeletionEffects, () => none)
    press('Try Again', dialog)
    await waitFor(() => expect(within(dialog).getByRole('button', { name: 'Delete' })).toBeEnabled())
  })
})

describe('ticking', () => {
  const tick = async (...names: string[]) => {
    await open()
    for (const name of names) fireEvent.click(within(await rowOf(name)).getByRole('checkbox'))
  }

  it('counts, and leads to the checkout with what is ticked', async () => {
    const events = toldEvents()
    let answer = (_: BoostPackage[]) => {}
    api.answer(boostRoutes.listPackages, () => new Promise<BoostPackage[]>((resolve) => (answer = resolve)))
    await tick('Rose 31', 'Oud Wood')
    press('Boost Selected (2)')
    const dialog = await screen.findByRole('dialog', { name: 'Choose a boost package' })
    expect(dialog).toHaveTextContent('Estimated cost: RM 20.00 (RM10.00 per product)')
    expect(within(dialog).getByText('Loading boost packages...')).toBeInTheDocument()
    expect(events).toEqual([])
    await act(async () => answer([boostPackage(1, 1), boostPackage(2, 2), boostPackage(6, 2)]))
    expect(await within(dialog).findByText('Package 2')).toBeInTheDocument()
    expect(events).toEqual(['view_boost_packages'])
    expect(dialog).toHaveTextContent('Standard · 3 days · RM 9.00 per product')
    expect(
      within(dialog)
        .getAllByRole('link')
        .map((link) => link.getAttribute('href')),
    ).toEqual(['/boost-checkout?products=2%2C1&package=2', '/boost-checkout?products=2%2C1&package=6'])
  })

  it('says for how many products there are packages', async () => {
    api.answer(boostRoutes.listPackages, () => [
      boostPackage(2, 3),
      boostPackage(1, 1),
      boostPackage(3, 5),
      boostPackage(5, 1),
    ])
    await tick('Rose 31', 'Oud Wood')
    press('Boost Selected (2)')
    const dialog = await screen.findByRole('dialog')
    expect(await within(dialog).findByText('No matching packages')).toBeInTheDocument()
    expect(dialog).toHaveTextContent('You have selected 2 products. There are packages for 1, 3, or 5 products.')
  })

  it('says that the packages cannot be read, and tries again', async () => {
    api.answer(boostRoutes.listPackages, () => refusal('not-found'))
    await tick('Rose 31')
    press('Boost Selected (1)')
    const dialog = await screen.findByRole('dialog')
    expect(await within(dialog).findByText('Error loading boost packages. Please try again.')).toBeInTheDocument()
    api.answer(boostRoutes.listPackages, () => [boostPackage(1, 1)])
    press('Try Again', dialog)
    expect(await within(dialog).findByText('Package 1')).toBeInTheDocument()
  })

  it('is for active products only, stays over a change of tabs, and is taken back', async () => {
    await tick('Rose 31')
    expect(within(await rowOf('Jazz Club')).getByRole('checkbox')).toBeDisabled()
    fireEvent.click(screen.getByRole('tab', { name: /Boosted/ }))
    fireEvent.click(screen.getByRole('tab', { name: 'Products' }))
    expect(within(await rowOf('Rose 31')).getByRole('checkbox')).toBeChecked()
    press('Clear selection')
    expect(within(await rowOf('Rose 31')).getByRole('checkbox')).not.toBeChecked()
    expect(screen.queryByText(/Boost Selected/)).toBeNull()
  })
})

describe('the boosted products', () => {
  beforeEach(() => {
    api.answer(boostRoutes.listPayments, () => [])
    api.answer(boostRoutes.listCases, () => [])
  })
  const payments = () => screen.findByRole('table', { name: 'Payments' })

  it('say how they are boosted and how long, and can be renewed', async () => {
    list(
      ownProduct({ id: 1, name: 'Oud Wood', featuredUntil: inMs(2 * hour - 60_000), boost_package_id: 5 }),
      ownProduct({ id: 2, name: 'Rose 31', featuredUntil: inMs(-1000), boost_package_id: 4 }),
    )
    await open('/seller/dashboard?tab=boosted')
    const first = await rowOf('Oud Wood')
    expect(within(first).getByText('Premium')).toBeInTheDocument()
    expect(within(first).getByText('2 hours')).toBeInTheDocument()
    expect(within(first).getByRole('link', { name: 'Renew Boost for Oud Wood' })).toHaveAttribute(
      'href',
      '/boost-checkout?products=1&type=premium',
    )
    // Where rows are cards the button would otherwise stand beside its own words.
    expect(within(first).getAllByText('Renew Boost')).toHaveLength(1)
    const second = await rowOf('Rose 31')
    expect(within(second).getByText('Standard')).toBeInTheDocument()
    expect(within(second).getByText('Expired')).toBeInTheDocument()
    expect(lastQuery()?.get('status')).toBe('featured')
  })

  it('say what an auction has come to, or begins at', async () => {
    list(
      ownProduct({ id: 7, name: 'Kenanga', price: 99, auction }),
      ownProduct({ id: 8, name: 'Cempaka', price: 99, auction: { ...auction, id: 10, currentBid: null, bidCount: 0 } }),
    )
    await open('/seller/dashboard?tab=boosted')
    expect(await rowOf('Kenanga')).toHaveTextContent('RM 60.00Current bid')
    expect(await rowOf('Cempaka')).toHaveTextContent('RM 50.00')
  })

  it('cannot be renewed while they are kept for somebody', async () => {
    list(ownProduct({ id: 1, name: 'Oud Wood', status: 'pending', featuredUntil: inMs(2 * hour - 60_000) }))
    await open('/seller/dashboard?tab=boosted')
    const row = await rowOf('Oud Wood')
    expect(within(row).getByText('2 hours')).toBeInTheDocument()
    expect(within(row).getByText('Reserved: shown again if it is not sold')).toBeInTheDocument()
    expect(within(row).queryByText('Renew Boost')).toBeNull()
  })

  it('are said to be none', async () => {
    list()
    await open('/seller/dashboard?tab=boosted')
    expect(await screen.findByText('No Boosted Products')).toBeInTheDocument()
  })

  it('come with the payments, each as it stands', async () => {
    const shares = (state: 'boosted' | 'case') => [
      { productId: 7, name: 'Oud Wood', amount: 900, state, boostedUntil: null },
    ]
    api.answer(boostRoutes.listPayments, () => [
      boostPayment({ id: 44 }),
      boostPayment({ id: 43, status: 'paid', paymentChannel: 'FPX', products: shares('boosted') }),
      boostPayment({ id: 42, status: 'paid', orderId: crypto.randomUUID(), products: shares('case') }),
      boostPayment({ id: 41, status: 'failed', billId: null }),
      boostPayment({ id: 40, status: 'cancelled' }),
    ])
    await open('/seller/dashboard?tab=boosted')
    const rows = within(await payments())
      .getAllByRole('row')
      .slice(1)
    expect(rows[0]).toHaveTextContent('Waiting for payment')
    expect(rows[0]).toHaveTextContent('Can be paid until 22 Nov 2026')
    expect(rows[0]).toHaveTextContent('zq0tm2wc')
    expect(rows[0]).toHaveTextContent('RM 9.00')
    expect(rows[1]).toHaveTextContent('FPX')
    expect(within(rows[1] as HTMLElement).getByRole('link')).toHaveAttribute(
      'href',
      '/account/boosts/0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10',
    )
    expect(rows[2]).toHaveTextContent('1 product could not be boosted.')
    expect(rows[3]).toHaveTextContent('Failed')
    expect(within(rows[3] as HTMLElement).queryByRole('button')).toBeNull()
    expect(rows[4]).toHaveTextContent('Given up')
  })

  it('pays an order that was left, once', async () => {
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => {})
    api.answer(boostRoutes.listPayments, () => [boostPayment()])
    api.answer(boostRoutes.payOrder, () => ({ orderId: boostPayment().orderId, paymentUrl: 'http://pay.test/1' }))
    await open('/seller/dashboard?tab=boosted')
    const button = await screen.findByRole('button', { name: 'Pay Now: order no. 41' })
    fireEvent.click(button)
    fireEvent.click(button)
    await waitFor(() => expect(assign).toHaveBeenCalledWith('http://pay.test/1'))
    expect(api.countOf(boostRoutes.payOrder)).toBe(1)
    assign.mockRestore()
  })

  it('gives an order up, and shows why it cannot be paid any more', async () => {
    api.answer(boostRoutes.listPayments, () => [boostPayment()])
    api.answer(boostRoutes.payOrder, () => refusal('boost-closed'))
    api.answer(boostRoutes.cancelOrder, () => new Response(null, { status: 204 }))
    await open('/seller/dashboard?tab=boosted')
    fireEvent.click(await screen.findByRole('button', { name: 'Pay Now: order no. 41' }))
    await waitFor(() =>
      expect(view.toasts.at(-1)).toMatchObject({
        title: 'Boost Order Error',
        description: 'This order can no longer be paid.',
      }),
    )
    press('Give Up: order no. 41')
    const question = await screen.findByRole('alertdialog', { name: 'Give up this order?' })
    api.answer(boostRoutes.listPayments, () => [boostPayment({ status: 'cancelled' })])
    press('Give Up', question)
    await waitFor(() => expect(screen.getByText('Given up')).toBeInTheDocument())
    expect(api.countOf(boostRoutes.cancelOrder)).toBe(1)
  })

  it('are read again once a payment has begun a boost', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    list()
    api.answer(boostRoutes.listPayments, () => [boostPayment({ status: 'paid', updatedAt: inMs(0) })])
    await open('/seller/dashboard?tab=boosted')
    expect(await screen.findByText('The boost begins in a moment.')).toBeInTheDocument()
    await screen.findByText('No Boosted Products')
    list(ownProduct({ id: 7, name: 'Oud Wood', featuredUntil: inMs(hour), boost_package_id: 1 }))
    api.answer(boostRoutes.listPayments, () => [
      boostPayment({
        status: 'paid',
        products: [{ productId: 7, name: 'Oud Wood', amount: 900, state: 'boosted', boostedUntil: inMs(hour) }],
      }),
    ])
    await act(() => vi.advanceTimersByTimeAsync(3100))
    await rowOf('Oud Wood')
  })

  it('ask for a payment under way the more seldom the longer it takes, and not while nobody looks', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    list()
    const ordered = boostPayment({ updatedAt: inMs(0) })
    api.answer(boostRoutes.listPayments, () => [ordered])
    await open('/seller/dashboard?tab=boosted')
    await screen.findByText('Waiting for payment')
    const asked = () => api.countOf(boostRoutes.listPayments)
    const askedIn = async (ms: number) => {
      const before = asked()
      await act(() => vi.advanceTimersByTimeAsync(ms))
      return asked() - before
    }
    expect(await askedIn(10_000)).toBe(3)
    // It would be sixteen times without.
    expect(await askedIn(50_000)).toBeLessThan(12)
    const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    expect(await askedIn(60_000)).toBe(0)
    hidden.mockRestore()
    document.dispatchEvent(new Event('visibilitychange'))
    await waitFor(async () => expect(await askedIn(10)).toBe(1))
  })

  const boostCase: BoostCase = {
    id: 5,
    orderId: boostPayment().orderId,
    productId: 7,
    productName: 'Jazz Club',
    amount: 900,
    featureDuration: 72,
    state: 'open',
    chosenProductId: null,
    createdAt: now,
    expiresAt: later(86_400_000),
  }

  it('have all cases that are not settled, some at a time', async () => {
    api.answer(boostRoutes.listCases, ({ url }) => {
      const isFirst = url.searchParams.get('cursor') === null
      const link = '</api/boost/cases?state=unsettled&cursor=3>; rel="next"'
      const productName = isFirst ? 'Jazz Club' : 'By the Fireplace'
      return Response.json([{ ...boostCase, id: isFirst ? 3 : 2, productName }], {
        headers: isFirst ? { link } : {},
      })
    })
    await open('/seller/dashboard?tab=boosted')
    expect(await screen.findByText(/Jazz Club could not be boosted/)).toBeInTheDocument()
    press('Show more')
    expect(await screen.findByText(/By the Fireplace could not be boosted/)).toBeInTheDocument()
    expect(screen.getByText(/Jazz Club could not be boosted/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
    const asked = api.received.filter(({ url }) => url.pathname === '/api/boost/cases')
    expect(new Set(asked.map(({ url }) => url.searchParams.get('state')))).toEqual(new Set(['unsettled']))
  })

  it('have another one in place of what could not be boosted', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    api.answer(boostRoutes.listCases, () => [boostCase, { ...boostCase, id: 4, state: 'boosted' as const }])
    await open('/seller/dashboard?tab=boosted')
    expect(await screen.findByText(/Jazz Club could not be boosted. Choose another product until/)).toBeInTheDocument()
    const own = {
      price: 5000,
      status: 'active',
      image_url: null,
      is_featured: false,
    } satisfies Partial<BoostableProduct>
    api.answer(sellingRoutes.listOwnProducts, ({ url }) =>
      url.searchParams.get('status') === 'active'
        ? [{ ...own, id: 1, name: 'Oud Wood' }]
        : [{ ...own, id: 3, name: 'Sold One', status: 'sold' as const }],
    )
    press('Choose a Product in place of Jazz Club')
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByRole('button', { name: 'Boost It' })).toBeDisabled()
    expect(await within(dialog).findAllByRole('radio')).toHaveLength(1)
    fireEvent.click(within(dialog).getByRole('radio', { name: 'Oud Wood' }))
    api.answer(boostRoutes.chooseProduct, () => refusal('product-reserved'))
    press('Boost It', dialog)
    expect(await within(dialog).findByRole('alert')).toBeInTheDocument()
    const chosen = { ...boostCase, state: 'chosen', chosenProductId: 1 } as const
    api.answer(boostRoutes.chooseProduct, () => chosen)
    api.answer(boostRoutes.listCases, () => [chosen])
    press('Boost It', dialog)
    expect(await screen.findByText(/The product that you chose is boosted in a moment/)).toBeInTheDocument()
    expect(api.received.findLast(({ url }) => url.pathname.endsWith('/product'))?.body).toEqual({ productId: 1 })
    const boostedNow = ownProduct({ id: 1, name: 'Oud Wood', featuredUntil: inMs(hour), boost_package_id: 1 })
    api.answer(sellingRoutes.listOwnProducts, () => [boostedNow])
    api.answer(boostRoutes.listCases, () => [{ ...chosen, state: 'boosted' as const }])
    await act(() => vi.advanceTimersByTimeAsync(3100))
    await rowOf('Oud Wood')
    expect(screen.queryByText(/could not be boosted/)).toBeNull()
  })

  describe('while another one is chosen in place of what could not be boosted', () => {
    const choose = async (names: readonly string[]) => {
      api.answer(boostRoutes.listCases, () => [boostCase])
      await open('/seller/dashboard?tab=boosted')
      await screen.findByText(/Jazz Club could not be boosted/)
      api.answer(sellingRoutes.listOwnProducts, ({ url }) =>
        names
          .map((name, index) => ({
            id: index + 1,
            name,
            price: 5000,
            status: 'active' as const,
            image_url: null,
            is_featured: false,
          }))
          .filter(({ name }) => name.includes(url.searchParams.get('search') ?? '')),
      )
      press('Choose a Product in place of Jazz Club')
      const dialog = await screen.findByRole('dialog')
      await within(dialog).findAllByRole('radio')
      fireEvent.click(within(dialog).getByRole('radio', { name: names[0] as string }))
      expect(within(dialog).getByRole('button', { name: 'Boost It' })).toBeEnabled()
      return dialog
    }

    it('boost none that a search has hidden', async () => {
      const dialog = await choose(['Oud Wood', ...'12345678'.split('').map((number) => `Rose ${number}`)])
      fireEvent.change(within(dialog).getByRole('searchbox'), { target: { value: 'Rose' } })
      await waitFor(() => expect(within(dialog).queryByRole('radio', { name: 'Oud Wood' })).toBeNull())
      expect(within(dialog).getByRole('button', { name: 'Boost It' })).toBeDisabled()
      fireEvent.change(within(dialog).getByRole('searchbox'), { target: { value: '' } })
      expect(await within(dialog).findByRole('radio', { name: 'Oud Wood' })).toBeChecked()
      expect(within(dialog).getByRole('button', { name: 'Boost It' })).toBeEnabled()
    })

    it('list none any more that turns out to be settled', async () => {
      const dialog = await choose(['Oud Wood'])
      api.answer(boostRoutes.chooseProduct, () => refusal('conflict'))
      press('Boost It', dialog)
      await within(dialog).findByRole('alert')
      api.answer(boostRoutes.listCases, () => [])
      press('Cancel', dialog)
      await waitFor(() => expect(screen.queryByText(/could not be boosted/)).toBeNull())
    })
  })
})

describe('the settings', () => {
  const all = { sales: true, newReviews: true, lowStock: true }
  const show = async () => {
    api.answer(accountRoutes.getNotifications, () => all)
    await open('/seller/dashboard?tab=settings')
    return await screen.findByRole('switch', { name: /Sales/ })
  }
  const sent = () => api.received.filter(({ route }) => route === 'PUT /api/user/notifications').map(({ body }) => body)

  it('show who the seller is', async () => {
    await show()
    for (const words of ['Sarah', 'sarah@wangian.test', 'sarah', 'Seller']) {
      expect(await screen.findByText(words)).toBeInTheDocument()
    }
  })

  it('save a toggle behind what is shown, one after the other', async () => {
    const answers: (() => void)[] = []
    api.answer(
      accountRoutes.setNotifications,
      ({ body }) => new Promise((resolve) => answers.push(() => resolve(body as typeof all))),
    )
    const sales = await show()
    fireEvent.click(sales)
    expect(sales).not.toBeChecked()
    fireEvent.click(screen.getByRole('switch', { name: /Low stock/ }))
    await waitFor(() => expect(sent()).toEqual([{ ...all, sales: false }]))
    await act(async () => answers[0]?.())
    await waitFor(() => expect(sent()).toHaveLength(2))
    expect(sent()[1]).toEqual({ sales: false, newReviews: true, lowStock: false })
    await act(async () => answers[1]?.())
    expect(sales).not.toBeChecked()
    expect(screen.getByRole('switch', { name: /Low stock/ })).not.toBeChecked()
  })

  it('show again what is saved when saving fails', async () => {
    api.answer(accountRoutes.setNotifications, () => refusal('rate-limited'))
    const sales = await show()
    fireEvent.click(sales)
    expect(sales).not.toBeChecked()
    await waitFor(() => expect(sales).toBeChecked())
    expect(view.toasts).toMatchObject([
      { title: 'Your settings were not saved', description: 'Too many requests', tone: 'destructive' },
    ])
  })

  it('leave alone what was changed in another tab', async () => {
    const sales = await show()
    api.answer(accountRoutes.getNotifications, () => ({ ...all, newReviews: false }))
    api.answer(accountRoutes.setNotifications, ({ body }) => body as typeof all)
    fireEvent.click(sales)
    await waitFor(() => expect(sent()).toEqual([{ ...all, sales: false, newReviews: false }]))
    await waitFor(() => expect(screen.getByRole('switch', { name: /reviews/ })).not.toBeChecked())
    expect(sales).not.toBeChecked()
  })

  it('save what was toggled when the page is left before it was sent', async () => {
    const sales = await show()
    const known = Promise.withResolvers<typeof all>()
    api.answer(accountRoutes.getNotifications, () => known.promise)
    api.answer(accountRoutes.setNotifications, ({ body }) => body as typeof all)
    fireEvent.click(sales)
    fireEvent.click(screen.getByRole('switch', { name: /Low stock/ }))
    expect(sent()).toEqual([])
    fireEvent(window, new Event('pagehide'))
    await waitFor(() => expect(sent()).toEqual([{ sales: false, newReviews: true, lowStock: false }]))
    // A browser that goes back may show the page as it was left, which goes on then.
    known.resolve(all)
    await waitFor(() => expect(sent()).toHaveLength(3))
    expect(sent().at(-1)).toEqual({ sales: false, newReviews: true, lowStock: false })
  })

  it('are sent to their end when the page is left meanwhile, and not once more', async () => {
    const answer = Promise.withResolvers<typeof all>()
    api.answer(accountRoutes.setNotifications, () => answer.promise)
    fireEvent.click(await show())
    await waitFor(() => expect(sent()).toHaveLength(1))
    expect(vi.mocked(fetch).mock.lastCall?.[1]?.keepalive).toBe(true)
    fireEvent(window, new Event('pagehide'))
    answer.resolve({ ...all, sales: false })
    await waitFor(() => expect(screen.getByRole('switch', { name: /Sales/ })).not.toBeChecked())
    fireEvent(window, new Event('pagehide'))
    expect(sent()).toHaveLength(1)
  })

  it('show what is saved after all when the answer is lost', async () => {
    const sales = await show()
    api.answer(accountRoutes.setNotifications, ({ body }) => {
      api.answer(accountRoutes.getNotifications, () => body as typeof all)
      throw new TypeError('the answer was lost')
    })
    fireEvent.click(sales)
    await waitFor(() => expect(view.toasts).toHaveLength(1))
    await waitFor(() => expect(sales).not.toBeChecked())
  })
})

describe('coming back from a payment', () => {
  it.each([
    ['success', 'Payment Successful', 'default'],
    ['pending', 'Payment Pending', 'default'],
    ['failed', 'Payment Failed', 'destructive'],
    ['error', 'Payment Error', 'destructive'],
  ])('says how it went (%s), once', async (payment, title, tone) => {
    const message = `<b>Thank you</b>${'!'.repeat(300)}`
    await open(`/seller/dashboard?tab=boosted&payment=${payment}&message=${encodeURIComponent(message)}`)
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard?tab=boosted'))
    expect(view.toasts).toMatchObject([{ title, description: message.slice(0, 200), tone }])
  })

  it('says it in the language of the page', async () => {
    await showLanguage('ms')
    onTestFinished(() => showLanguage('en'))
    const message = encodeURIComponent(paymentOutcomes.failed)
    view = renderAt(`/seller/dashboard?tab=boosted&payment=failed&message=${message}`, <DashboardPage />, sarah)
    await waitFor(() => expect(view.toasts).toHaveLength(1))
    expect(view.toasts[0]?.description).toBe('Pembayaran tidak selesai. Tiada apa-apa dipromosikan.')
  })

  it('says nothing of an outcome that there is not', async () => {
    await open('/seller/dashboard?payment=free-money&message=Click%20here')
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard'))
    expect(view.toasts).toEqual([])
  })
})

describe('what boosts have brought', () => {
  it('leads to the page of a listing as long as it has one', async () => {
    const none = { views: 0, contacts: 0 }
    const result = { productId: 1, name: 'Oud Wood', imageUrl: null, isRemoved: false }
    const time = { beganAt: inMs(-2 * hour), endsAt: inMs(-hour), isOver: true, days: 1, before: none, during: none }
    api.answer(sellingRoutes.listBoostResults, () => [
      { ...result, ...time },
      { ...result, ...time, productId: 9, name: 'Kenanga', isRemoved: true },
    ])
    await open('/seller/dashboard?tab=boosted')
    const table = within(await screen.findByRole('table', { name: 'What Your Boosts Brought' }))
    await table.findByText('Kenanga')
    expect(table.getAllByRole('link').map((link) => link.textContent)).toEqual(['Oud Wood'])
  })
})

describe('the analytics', () => {
  const counts = { views: 5, favorites: 2, messages: 1, bids: 0, sales: 1 }
  const nothing = { views: 0, favorites: 0, messages: 0, bids: 0, sales: 0 }
  const report = {
    days: 30,
    totals: { ...counts, revenue: 120.5 },
    series: [
      { date: '2026-11-20', ...nothing },
      { date: '2026-11-21', ...counts },
    ],
    listings: [{ productId: 1, name: 'Oud Wood', imageUrl: null, ...counts }],
    topRated: [{ productId: 2, name: 'Rose 31', imageUrl: null, averageRating: 4.5, reviewCount: 2 }],
  }
  const show = async (answer = report, address = '/seller/dashboard?tab=analytics') => {
    api.answer(sellingRoutes.getAnalytics, () => answer)
    await open(address)
    await screen.findByRole('heading', { name: 'Top rated' })
  }

  it('show the totals, each listing, and those with the best reviews', async () => {
    await show()
    expect(screen.getByRole('radio', { name: 'Views 5' })).toBeChecked()
    expect(screen.getByText('RM 120.50')).toBeInTheDocument()
    expect(
      within(await rowOf('Oud Wood'))
        .getAllByRole('cell')
        .map((cell) => cell.textContent?.replace(/\D/g, '')),
    ).toEqual(['', '', '5', '2', '1', '0', '1'])
    expect(screen.getByText(/4\.5 · 2 reviews/)).toBeInTheDocument()
  })

  it('say when there may be more listings than they show', async () => {
    const [listing] = report.listings
    const listings = Array.from({ length: ANALYTICS_LISTINGS_MAX }, (_, place) => ({
      ...(listing as (typeof report.listings)[number]),
      productId: place + 1,
    }))
    await show({ ...report, listings })
    expect(screen.getByText('Only the 50 with the most views are shown.')).toBeInTheDocument()
  })

  it('read out a day at a time, and as a table', async () => {
    await show()
    const slider = screen.getByRole('slider', { name: 'Day in the chart' })
    expect(slider).toHaveAttribute('aria-valuetext', '21 Nov: Views 5')
    fireEvent.change(slider, { target: { value: '0' } })
    expect(slider).toHaveAttribute('aria-valuetext', '20 Nov: Views 0')
    fireEvent.click(screen.getByRole('radio', { name: 'Favorites 2' }))
    fireEvent.change(slider, { target: { value: '1' } })
    expect(slider).toHaveAttribute('aria-valuetext', '21 Nov: Favorites 2')
    const table = screen.getByRole('table', { name: 'Favorites a day, 20 Nov to 21 Nov' })
    expect(within(table).getAllByRole('row')).toHaveLength(3)
  })

  it('go back as far as asked, in the address', async () => {
    await show()
    fireEvent.click(screen.getByRole('radio', { name: '7 days' }))
    await waitFor(() => expect(view.whereabouts()).toBe('/seller/dashboard?tab=analytics&days=7'))
    await waitFor(() =>
      expect(api.received.findLast(({ url }) => url.pathname === '/api/seller/analytics')?.url.search).toBe('?days=7'),
    )
  })

  it('show no other days than were asked for where those cannot be read', async () => {
    await show()
    api.answer(sellingRoutes.getAnalytics, () => refusal('unavailable'))
    fireEvent.click(screen.getByRole('radio', { name: '7 days' }))
    expect(await screen.findByText('This could not be loaded')).toBeInTheDocument()
    expect(screen.queryByText('RM 120.50')).toBeNull()
    api.answer(sellingRoutes.getAnalytics, () => ({ ...report, days: 7 }))
    press('Try Again')
    expect(await screen.findByText('RM 120.50')).toBeInTheDocument()
    // What was read stays where it cannot be read again.
    api.answer(sellingRoutes.getAnalytics, () => refusal('unavailable'))
    fireEvent.click(screen.getByRole('tab', { name: 'Settings' }))
    await screen.findByText('sarah@wangian.test')
    fireEvent.click(screen.getByRole('tab', { name: 'Analytics' }))
    fireEvent.click(await screen.findByRole('radio', { name: '7 days' }))
    expect(await screen.findByText('RM 120.50')).toBeInTheDocument()
  })

  it('say so when nothing has happened', async () => {
    await show(
      { ...report, days: 7, totals: { ...nothing, revenue: 0 }, topRated: [] },
      '/seller/dashboard?tab=analytics&days=7',
    )
    expect(screen.getByText('Nothing to show yet')).toBeInTheDocument()
    expect(screen.getByText(/In the last 7 days nobody looked at/)).toBeInTheDocument()
    expect(screen.getByText(/No reviews yet/)).toBeInTheDocument()
    expect(screen.queryByRole('slider')).toBeNull()
  })
})
