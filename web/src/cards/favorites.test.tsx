import { act, screen, waitFor } from '@testing-library/react'
import { FAVORITES_MAX } from '@wangian/contracts/catalogue.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appToken } from '../api/app-token.ts'
import { product, tokenFor } from '../testing/fixtures.ts'
import { mockApi, refusal } from '../testing/mock-api.ts'
import { renderAt } from '../testing/render.tsx'
import { HeartButton } from './HeartButton.tsx'
import { useCarriedFavorites } from './use-carried-favorites.ts'

const { listFavoriteIds, addFavorite, removeFavorite, mergeFavorites } = shopRoutes
const bala = { id: 10, username: 'bala' }
const done = new Response(null, { status: 204 })

let server: ReturnType<typeof mockApi>
let page: ReturnType<typeof renderAt>
beforeEach(() => {
  server = mockApi()
  server.answer(listFavoriteIds, () => [])
})
afterEach(() => {
  page.end()
  server.restore()
})

function Carrier() {
  useCarriedFavorites()
  return null
}

const show = (holder?: typeof bala) => {
  page = renderAt(
    '/',
    <>
      <Carrier />
      <HeartButton product={product} />
      <HeartButton product={{ id: 8, name: 'Rouge' }} />
    </>,
    holder,
  )
}
const heart = (name = 'Oud Wood') => screen.getByRole('button', { name: new RegExp(`${name} (to|from) your wishlist`) })
const isKept = (name?: string) => heart(name).getAttribute('aria-pressed') === 'true'
const click = (name?: string) => act(async () => heart(name).click())
const keptHere = () => JSON.parse(localStorage.getItem('wangian-wishlist') ?? '[]')
const signIn = (holder = bala) => act(async () => appToken.store(tokenFor(holder, Date.now() + 900_000)))
const paths = (route: { method: string; path: string }) =>
  server.received.filter((request) => request.route === `${route.method} ${route.path}`).map(({ url }) => url.pathname)

describe('the heart of a guest', () => {
  it('is kept in the browser, and the server is not asked', async () => {
    show()
    await click()
    expect(isKept()).toBe(true)
    expect(keptHere()).toEqual([7])
    expect(server.received).toEqual([])
  })

  it('is refused, and takes nobody’s place, when there is no room for it', async () => {
    const kept = Array.from({ length: FAVORITES_MAX }, (_, index) => 1000 + index)
    show()
    localStorage.setItem('wangian-wishlist', JSON.stringify(kept))
    await click()
    expect(isKept()).toBe(false)
    expect(keptHere()).toEqual(kept)
    await waitFor(() =>
      expect(page.toasts).toMatchObject([
        {
          title: 'Could not be saved to your wishlist',
          description: 'You cannot keep any more favourites',
          tone: 'destructive',
        },
      ]),
    )
  })

  it('follows what another tab does', async () => {
    show()
    localStorage.setItem('wangian-wishlist', '[7]')
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'wangian-wishlist' })))
    expect(isKept()).toBe(true)
  })
})

describe('the heart of somebody who is signed in', () => {
  it('shows what the server has', async () => {
    server.answer(listFavoriteIds, () => [8, 7])
    show(bala)
    await waitFor(() => expect(isKept()).toBe(true))
  })

  it('changes at once and is saved', async () => {
    const answer = Promise.withResolvers<Response>()
    server.answer(addFavorite, () => answer.promise)
    server.answer(removeFavorite, () => done.clone())
    show(bala)
    await click()
    expect(isKept()).toBe(true)
    await act(async () => answer.resolve(done.clone()))
    expect(isKept()).toBe(true)
    expect(paths(addFavorite)).toEqual(['/api/favorites/7'])
    await click()
    expect(isKept()).toBe(false)
    await waitFor(() => expect(paths(removeFavorite)).toEqual(['/api/favorites/7']))
    expect(keptHere()).toEqual([])
  })

  it('goes back when the server refuses, and says why', async () => {
    server.answer(addFavorite, () => refusal('favorites-full'))
    show(bala)
    await click()
    await waitFor(() => expect(isKept()).toBe(false))
    expect(page.toasts).toMatchObject([{ title: 'Could not be saved to your wishlist', tone: 'destructive' }])
  })

  it('sends changes of mind one after the other, and the last one counts', async () => {
    const first = Promise.withResolvers<Response>()
    server.answer(addFavorite, () => first.promise)
    server.answer(removeFavorite, () => done.clone())
    show(bala)
    await click()
    await click()
    expect(isKept()).toBe(false)
    expect(paths(removeFavorite)).toEqual([])
    await act(async () => first.resolve(done.clone()))
    await waitFor(() => expect(paths(removeFavorite)).toEqual(['/api/favorites/7']))
    expect(isKept()).toBe(false)
  })

  it('is sent by the next page of the tab when the page is left before the server has answered', async () => {
    const left = 'wangian-favorite-wishes'
    const first = Promise.withResolvers<Response>()
    server.answer(addFavorite, () => first.promise)
    show(bala)
    await click()
    const kept = sessionStorage.getItem(left) ?? ''
    page.end()
    await act(async () => first.resolve(done.clone()))
    expect(sessionStorage.getItem(left)).toBeNull()
    server.answer(addFavorite, () => done.clone())

    show()
    sessionStorage.setItem(left, kept)
    await signIn({ id: 11, username: 'chong' })
    expect(isKept()).toBe(false)
    await signIn()
    await waitFor(() => expect(paths(addFavorite)).toEqual(['/api/favorites/7', '/api/favorites/7']))
    expect(isKept()).toBe(true)
    expect(sessionStorage.getItem(left)).toBeNull()
  })

  it('hears of what another tab saved, and of nothing that concerns somebody else', async () => {
    server.answer(listFavoriteIds, () => [8])
    show(bala)
    await waitFor(() => expect(isKept('Rouge')).toBe(true))
    const tell = (news: object) =>
      act(async () => {
        const newValue = JSON.stringify(news)
        window.dispatchEvent(new StorageEvent('storage', { key: 'wangian-favorites-news', newValue }))
      })
    await tell({ userId: 99, productIds: [7], isKept: true })
    expect(isKept()).toBe(false)
    await tell({ userId: 10, productIds: [7], isKept: true })
    expect(isKept()).toBe(true)
    await tell({ userId: 10, productIds: [8], isKept: false })
    expect(isKept('Rouge')).toBe(false)
  })
})

describe('signing in', () => {
  it('hands over what the guest kept, once', async () => {
    server.answer(listFavoriteIds, () => [8])
    server.answer(mergeFavorites, () => [7, 8])
    show()
    await click()
    await signIn()
    await waitFor(() => expect(keptHere()).toEqual([]))
    expect(server.received.find(({ route }) => route === 'POST /api/favorites/merge')?.body).toEqual({
      productIds: [7],
    })
    await waitFor(() => expect(isKept('Rouge')).toBe(true))
    expect(isKept()).toBe(true)
    await act(async () => void window.dispatchEvent(new Event('online')))
    expect(server.countOf(mergeFavorites)).toBe(1)
  })

  it('hands over first what was kept last, as it comes first in the list', async () => {
    server.answer(mergeFavorites, () => [8, 7])
    show()
    await click()
    await click('Rouge')
    await signIn()
    await waitFor(() => expect(keptHere()).toEqual([]))
    expect(server.received.find(({ route }) => route === 'POST /api/favorites/merge')?.body).toEqual({
      productIds: [8, 7],
    })
  })

  it('says so when the account has no room for all of them', async () => {
    const kept = Array.from({ length: FAVORITES_MAX }, (_, index) => 1000 + index)
    server.answer(mergeFavorites, () => kept)
    show()
    await click()
    await signIn()
    await waitFor(() => expect(keptHere()).toEqual([]))
    await waitFor(() =>
      expect(page.toasts).toMatchObject([
        { title: 'Some of your favourites could not be saved to your wishlist', tone: 'destructive' },
      ]),
    )
  })

  it('loses nothing when that fails, and tries again when the network is back', async () => {
    server.answer(mergeFavorites, () => refusal('unavailable'))
    show()
    await click()
    await signIn()
    await waitFor(() => expect(server.countOf(mergeFavorites)).toBe(1))
    expect(keptHere()).toEqual([7])
    expect(isKept()).toBe(true)
    server.answer(mergeFavorites, () => [7])
    await act(async () => void window.dispatchEvent(new Event('online')))
    await waitFor(() => expect(keptHere()).toEqual([]))
    expect(isKept()).toBe(true)
  })

  it('does not bring back what is taken off before it was handed over', async () => {
    server.answer(mergeFavorites, () => refusal('unavailable'))
    server.answer(removeFavorite, () => done.clone())
    show()
    await click()
    await signIn()
    await waitFor(() => expect(server.countOf(mergeFavorites)).toBe(1))
    await click()
    await waitFor(() => expect(paths(removeFavorite)).toEqual(['/api/favorites/7']))
    expect(isKept()).toBe(false)
    expect(keptHere()).toEqual([])
  })
})
