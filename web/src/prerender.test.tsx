import { act, screen, waitFor } from '@testing-library/react'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import type { Language } from '@wangian/contracts/languages.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { hydrateRoot, type Root } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { SWRConfig } from 'swr'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { App } from './App.tsx'
import { appToken } from './api/app-token.ts'
import { type ServedAnswer, servedAnswers } from './api/served-answers.ts'
import { showLanguage } from './i18n/i18n.ts'
import { setRenderedAt } from './lib/rendered-at.ts'
import { replaceServedHead } from './lib/served-head.ts'
import { LiveSocket } from './live/live-socket.ts'
import { LiveSocketContext } from './live/use-live-socket.ts'
import { type RenderedPage, renderPage } from './prerender.tsx'
import { AppRoutes, preloadPage } from './routes.tsx'
import { FakeSocket } from './testing/fake-socket.ts'
import { auctionPage, bid, currentUser, nowMs, product, seller, tokenFor } from './testing/fixtures.ts'
import { mockApi } from './testing/mock-api.ts'

let home: RenderedPage
let api: ReturnType<typeof mockApi>
let place: HTMLElement
let root: Root | undefined
beforeEach(async () => {
  localStorage.clear()
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
  api.answer(messagingRoutes.countUnread, () => ({ count: 0 }))
  api.answer(shopRoutes.listFavoriteIds, () => [])
  api.answer(catalogueRoutes.listFeatured, () => [])
  api.answer(catalogueRoutes.listLive, () => [])
  api.answer(catalogueRoutes.listProducts, () => [product])
  home = await renderPage({ address: '/', language: 'en', answers: {}, renderedAtMs: nowMs })
  place = document.body.appendChild(document.createElement('div'))
  place.innerHTML = home.html
})
afterEach(async () => {
  act(() => root?.unmount())
  await showLanguage('en')
  place.remove()
  window.history.replaceState(null, '', '/')
  api.restore()
})

describe('the prerendered home page', () => {
  it('has its words and its links, and nothing that runs', () => {
    expect(place.querySelector('h1')?.textContent).toBe('Fragrance worth passing on')
    expect(place.querySelector('a[href="/auth"]')?.textContent).toBe('Sign In')
    expect(place.querySelectorAll('script, title')).toHaveLength(0)
    expect(home.head).toMatch(/^<style [^>]*data-styled/)
  })

  it.each([
    ['a guest', null, 'en', 'Recent Listings', '404 Page Not Found'],
    ['a guest who reads Malay', null, 'ms', 'Iklan Terkini', '404 Halaman Tidak Ditemui'],
    [
      'somebody who is signed in',
      tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000),
      'en',
      'Recent Listings',
      '404 Page Not Found',
    ],
  ] as const)(
    'is taken over by %s as it is, and asks once for what was announced',
    async (_who, token, language, shelf, nowhere) => {
      home = await renderPage({ address: '/', language, answers: {}, renderedAtMs: nowMs })
      place.innerHTML = home.html
      if (token !== null) appToken.store(token)
      document.head.insertAdjacentHTML(
        'beforeend',
        '<title data-served>Wangian</title><meta name="description" data-served />',
      )
      replaceServedHead()
      const headline = place.querySelector('h1')
      const problems: unknown[] = []
      await act(async () => {
        root = hydrateRoot(
          place,
          // Nobody else has read anything yet.
          <SWRConfig value={{ provider: () => new Map() }}>
            <App served={servedAnswers()}>
              <BrowserRouter>
                <AppRoutes />
              </BrowserRouter>
            </App>
          </SWRConfig>,
          { onRecoverableError: (error) => problems.push(error) },
        )
      })
      await waitFor(() => expect(place.querySelectorAll('article')).toHaveLength(1))
      expect(problems).toEqual([])
      expect(screen.getByRole('heading', { name: shelf })).toBeVisible()
      expect(place.querySelector('h1')).toBe(headline)
      const asked = api.received.map(({ url }) => `${url.pathname}${url.search}`)
      // Its head goes with it, whoever put it there, also while the next page is still loading.
      window.history.pushState(null, '', '/nowhere')
      document.head.append(document.createElement('style'))
      await waitFor(() => expect(document.head.querySelectorAll('meta[data-served]')).toHaveLength(0))
      act(() => void window.dispatchEvent(new PopStateEvent('popstate')))
      await waitFor(() => expect(place.querySelector('h1')?.textContent).toBe(nowhere))
      await waitFor(() => expect(document.head.querySelectorAll('[data-served]')).toHaveLength(0))
      expect(document.title).toContain(nowhere)
      expect(asked.filter((address) => address.startsWith('/api/products')).toSorted()).toEqual(
        [...home.missing].toSorted(),
      )
    },
  )
})

const publicProduct = { ...product, listingType: 'fixed', imageUrl: 'front', status: 'active' } as const
const closesSoon = { ...auctionPage(2), endsAt: new Date(nowMs + 61_000).toISOString(), bids: [bid(2), bid(1)] }

/** What services answer for each page, by the path of the address. */
const answersByPath: Readonly<Record<string, unknown>> = {
  '/api/products': [publicProduct, { ...publicProduct, id: 8, imageUrl: null }],
  '/api/products/facets': { total: 2, brands: [], price: null, correctedSearch: null },
  '/api/products/7': { ...publicProduct, reviews: [] },
  '/api/sellers/3': seller,
  '/api/sellers/3/products': {
    products: [publicProduct],
    pagination: { totalProducts: 1, page: 1, limit: 12, totalPages: 1 },
  },
  '/api/auctions/1': closesSoon,
}

async function renderWhole(address: string, language: Language) {
  let answers: Readonly<Record<string, ServedAnswer>> = {}
  // What a page reads shows what it reads next.
  for (let pass = 0; pass < 3; pass++) {
    const page = await renderPage({ address, language, answers, renderedAtMs: nowMs })
    if (page.missing.length === 0) return { page, answers }
    const found = page.missing.map((each) => [
      each,
      { body: answersByPath[each.split('?')[0] ?? ''], total: '2', link: null },
    ])
    answers = { ...answers, ...Object.fromEntries(found) }
  }
  throw new Error(`${address} is not whole with ${Object.keys(answers)}`)
}

describe.each([
  ['a product', '/products/7', 'Oud Wood'],
  ['a list', '/products?category=4', 'Oud Wood'],
  ['a shop', '/sellers/3', "Sarah's Shop"],
  ['an auction', '/auctions/1', 'Oud Wood'],
])('the page of %s that comes with its data', (_what, address, name) => {
  it.each([
    ['a guest', null, 'en'],
    ['a guest who reads Malay', null, 'ms'],
    ['somebody who is signed in', tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000), 'en'],
  ] as const)('is whole before anything is asked, and taken over by %s as it is', async (_who, token, language) => {
    const { page, answers } = await renderWhole(address, language)
    place.innerHTML = page.html
    expect(place.textContent).toContain(name)
    expect(place.querySelectorAll('script, title, link')).toHaveLength(0)

    // Nothing of it is lost: a form that can be reached says where the browser sends it, and what is typed stays.
    expect([...place.querySelectorAll('form:not([action])')].filter((form) => !form.closest('[inert]'))).toEqual([])
    const fields = [...place.querySelectorAll<HTMLInputElement>('input[type=search], input[type=text]')]
    for (const field of fields) field.value = 'typed before'

    // Each is read again, and what does not come leaves what is there.
    api.restore()
    const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}))
    if (token !== null) appToken.store(token)
    window.history.replaceState(null, '', address)
    const before = [...place.querySelectorAll('h1, h3, img')]
    const problems: unknown[] = []
    setRenderedAt(nowMs)
    await preloadPage(window.location.pathname)
    const socket = new LiveSocket({
      token: () => null,
      renewToken: async () => null,
      openSocket: () => FakeSocket.open(),
    })
    await act(async () => {
      root = hydrateRoot(
        place,
        <SWRConfig value={{ provider: () => new Map() }}>
          <LiveSocketContext value={() => socket}>
            <App served={servedAnswers(answers)}>
              <BrowserRouter>
                <AppRoutes />
              </BrowserRouter>
            </App>
          </LiveSocketContext>
        </SWRConfig>,
        { onRecoverableError: (error) => problems.push(error) },
      )
    })
    expect(fields.map((field) => field.value)).toEqual(fields.map(() => 'typed before'))
    expect(problems).toEqual([])
    expect([...place.querySelectorAll('h1, h3, img')]).toEqual(expect.arrayContaining(before))
    expect(before.every((element) => element.isConnected)).toBe(true)
    const again = asked.mock.calls.map(([url]) => String(url))
    for (const each of Object.keys(answers)) expect(again).toContain(each)
  })
})
