import { act, screen, waitFor } from '@testing-library/react'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { useCarriedFavorites } from '../../cards/use-carried-favorites.ts'
import { product } from '../../testing/fixtures.ts'
import { mockApi } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import FavoritesPage from './FavoritesPage.tsx'

const { listFavoriteIds, listFavorites, removeFavorite } = shopRoutes

function Carrier() {
  useCarriedFavorites()
  return null
}

let server: ReturnType<typeof mockApi>
let page: ReturnType<typeof renderAt>
beforeEach(() => {
  server = mockApi()
  server.answer(listFavoriteIds, () => [7, 8])
  server.answer(listFavorites, () => [
    { ...product, listingType: 'fixed' as const },
    { ...product, id: 8, name: 'Rouge', listingType: 'fixed' as const },
  ])
  server.answer(removeFavorite, () => new Response(null, { status: 204 }))
  page = renderAt(
    '/account/favorites',
    <>
      <Carrier />
      <FavoritesPage />
    </>,
    { id: 10, username: 'bala' },
  )
})
afterEach(() => {
  page.end()
  server.restore()
})

it('keeps the focus with the list when a card leaves it, the last one, too', async () => {
  for (const name of ['Oud Wood', 'Rouge']) {
    const heart = await screen.findByRole('button', { name: `Remove ${name} from your wishlist` })
    heart.focus()
    await act(async () => heart.click())
    await waitFor(() => expect(screen.queryByText(name)).toBeNull())
    expect(screen.getByRole('heading', { name: 'My Favorites' })).toHaveFocus()
  }
  expect(screen.getByText('No favorites yet')).toBeInTheDocument()
})
