import { act, screen, waitFor } from '@testing-library/react'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { hydrateRoot, type Root } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { SWRConfig } from 'swr'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { App } from './App.tsx'
import { appToken } from './api/app-token.ts'
import { showLanguage } from './i18n/i18n.ts'
import { replaceServedHead } from './lib/served-head.ts'
import { type PrerenderedHome, prerenderHome } from './prerender.tsx'
import { AppRoutes } from './routes.tsx'
import { currentUser, product, tokenFor } from './testing/fixtures.ts'
import { mockApi } from './testing/mock-api.ts'

let home: PrerenderedHome
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
  home = await prerenderHome('en')
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
    expect(home.styles).toMatch(/^<style [^>]*data-styled/)
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
      home = await prerenderHome(language)
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
            <App>
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
        [...home.reads].toSorted(),
      )
    },
  )
})
