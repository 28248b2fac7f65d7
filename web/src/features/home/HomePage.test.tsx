import { act, fireEvent, screen, within } from '@testing-library/react'
import { catalogueRoutes, type Product } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { currentUser, later, nowMs, product } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import HomePage from './HomePage.tsx'

const listing = (id: number, name: string): Product => ({ ...product, id, name, listingType: 'fixed' })
const featured = ['Rose', 'Iris', 'Fig', 'Oud', 'Tea'].map((name, place) => listing(20 + place, name))
const live: Product = {
  ...product,
  id: 50,
  name: 'Auctioned',
  auction: {
    id: 5,
    status: 'active',
    startsAt: later(-60_000),
    endsAt: later(3_600_000),
    startingPrice: 50,
    currentBid: 80,
    bidCount: 2,
    outcome: null,
    winner: null,
    isReleased: false,
  },
}

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  vi.useFakeTimers({ now: nowMs, toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
  api.answer(catalogueRoutes.listFeatured, () => [])
  api.answer(catalogueRoutes.listLive, () => [live])
  api.answer(catalogueRoutes.listProducts, () => [listing(1, 'Plain'), listing(2, 'Other')])
})
afterEach(() => {
  view.end()
  api.restore()
  vi.useRealTimers()
})

async function open() {
  view = renderAt('/', <HomePage />)
  await act(() => vi.advanceTimersByTimeAsync(10))
}
const section = (name: string) => screen.getByRole('region', { name })
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

describe('the home page', () => {
  it("goes by the server's clock where the device is wrong", async () => {
    api.answer(catalogueRoutes.listLive, () => [live], { date: new Date(nowMs).toUTCString() })
    vi.setSystemTime(nowMs + 2 * 3_600_000)
    await open()
    const card = within(section('Live Auctions')).getByRole('article')
    expect(card).toHaveTextContent('2 bids · 1h 0m')
    expect(within(card).getByRole('button', { name: 'Place Bid' })).toBeEnabled()
  })

  it('asks once for each shelf', async () => {
    await open()
    expect(within(section('Live Auctions')).getByRole('link', { name: 'Auctioned' })).toBeInTheDocument()
    expect(within(section('Recent Listings')).getAllByRole('article')).toHaveLength(2)
    expect(api.received.map(({ url }) => `${url.pathname}${url.search}`).toSorted()).toEqual([
      '/api/products/featured',
      '/api/products/live?limit=6',
      '/api/products?type=fixed&type=negotiable&limit=24',
    ])
    expect(screen.queryByRole('region', { name: 'Featured Products' })).toBeNull()
  })

  it('leads to a search, to the categories and to all of each shelf', async () => {
    await open()
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: ' oud ' } })
    fireEvent.click(screen.getByRole('button', { name: 'Start Shopping' }))
    expect(view.whereabouts()).toBe('/products?search=oud')
    for (const [name, address] of [
      ['Designer', '/products?category=1'],
      ['Local', '/products?category=2'],
      ['Arabian House', '/products?category=3'],
      ['Niche', '/products?category=4'],
      ['View All live auctions', '/products?type=auction'],
      ['View All listings', '/products'],
    ] as const) {
      expect(screen.getByRole('link', { name })).toHaveAttribute('href', address)
    }
  })

  it('says so where there is nothing', async () => {
    api.answer(catalogueRoutes.listLive, () => [])
    api.answer(catalogueRoutes.listProducts, () => [])
    await open()
    expect(screen.getByText('No auction listings available at the moment.')).toBeInTheDocument()
    expect(screen.getByText('No regular listings available at the moment.')).toBeInTheDocument()
  })

  it('shows the rest when a shelf cannot be loaded, and tries that again', async () => {
    api.answer(catalogueRoutes.listFeatured, () => refusal('unavailable'))
    api.answer(catalogueRoutes.listLive, () => refusal('unavailable'))
    await open()
    expect(within(section('Recent Listings')).getAllByRole('article')).toHaveLength(2)
    api.answer(catalogueRoutes.listLive, () => [live])
    fireEvent.click(within(section('Live Auctions')).getByRole('button', { name: 'Try Again' }))
    await wait(100)
    expect(screen.getByRole('link', { name: 'Auctioned' })).toBeInTheDocument()
  })
})

describe('the featured products', () => {
  const shown = () =>
    within(section('Featured Products'))
      .getAllByRole('article')
      .map((card) => within(card).getByRole('heading').textContent)

  it.each([1, 2])('are without buttons when there are %i', async (count) => {
    api.answer(catalogueRoutes.listFeatured, () => featured.slice(0, count))
    await open()
    expect(shown()).toEqual(['Rose', 'Iris'].slice(0, count))
    expect(screen.queryByRole('button', { name: /featured products|slide/i })).toBeNull()
    await wait(20_000)
    expect(shown()).toHaveLength(count)
  })

  it('come two at a time, and the last one alone', async () => {
    api.answer(catalogueRoutes.listFeatured, () => featured)
    await open()
    expect(screen.getAllByRole('button', { name: /Show slide/ })).toHaveLength(3)
    expect(shown()).toEqual(['Rose', 'Iris'])
    await wait(10_400)
    expect(shown()).toEqual(['Fig', 'Oud'])
    fireEvent.click(screen.getByRole('button', { name: 'Next featured products' }))
    fireEvent.click(screen.getByRole('button', { name: 'Show slide 1' }))
    await wait(400)
    expect(shown()).toEqual(['Tea'])
    expect(screen.getByRole('button', { name: 'Show slide 3' })).toHaveAttribute('aria-current', 'true')
    expect(screen.getByRole('group', { name: '3 of 3' })).toBeInTheDocument()
  })

  it('wait while a pointer or the focus is on them, and when they are stopped', async () => {
    api.answer(catalogueRoutes.listFeatured, () => featured)
    await open()
    const carousel = section('Featured Products')
    fireEvent.pointerEnter(carousel, { pointerType: 'mouse' })
    await wait(20_000)
    expect(shown()).toEqual(['Rose', 'Iris'])
    fireEvent.pointerLeave(carousel, { pointerType: 'mouse' })
    const pause = screen.getByRole('button', { name: 'Pause the featured products' })
    act(() => pause.focus())
    await wait(20_000)
    expect(shown()).toEqual(['Rose', 'Iris'])
    fireEvent.click(pause)
    act(() => pause.blur())
    await wait(20_000)
    expect(shown()).toEqual(['Rose', 'Iris'])
    fireEvent.click(screen.getByRole('button', { name: 'Go on with the featured products' }))
    await wait(10_400)
    expect(shown()).toEqual(['Fig', 'Oud'])
  })
})
