import { shopRoutes } from '@wangian/contracts/shop.ts'
import type { useSWRConfig } from 'swr'
import { changeKnown, unasked } from '../api/change-known.ts'
import { call } from '../api/client.ts'
import { writeStored } from '../lib/browser-storage.ts'
import { favoritesKey } from './favorites-key.ts'

/* What the server knows of favourites is asked for whoever is signed in: nobody else loads how. */

export async function listFavoriteIds(): Promise<readonly number[]> {
  return await call(shopRoutes.listFavoriteIds, {})
}

type Mutate = ReturnType<typeof useSWRConfig>['mutate']

/** Saves a product of somebody's, or takes it off, and tells all tabs. */
export async function keepFavorite(
  mutate: Mutate,
  { userId, productId, isKept }: { readonly userId: number; readonly productId: number; readonly isKept: boolean },
): Promise<void> {
  const { addFavorite, removeFavorite } = shopRoutes
  await call(isKept ? addFavorite : removeFavorite, { params: { productId } }, { outlivesPage: true })
  await tellFavorites(mutate, { userId, productIds: [productId], isKept })
}

/** @param productIds the last one first. @returns all that the account has now, the last one first */
export async function mergeFavorites(productIds: number[]): Promise<readonly number[]> {
  return await call(shopRoutes.mergeFavorites, { body: { productIds } })
}

/** What has changed of somebody's favourites; several are in the order of the list. */
export interface FavoriteNews {
  readonly userId: number
  readonly productIds: readonly number[]
  readonly isKept: boolean
}

export const favoriteNewsKey = 'wangian-favorites-news'

/** Tells everybody who looks, in all tabs. */
export async function tellFavorites(mutate: Mutate, news: FavoriteNews): Promise<void> {
  await changeFavorites(mutate, news)
  // Storage carries it to the other tabs and keeps nothing.
  writeStored('localStorage', favoriteNewsKey, JSON.stringify(news))
  writeStored('localStorage', favoriteNewsKey, null)
}

/** Tells everybody who looks in this tab. */
export async function changeFavorites(mutate: Mutate, { userId, productIds, isKept }: FavoriteNews): Promise<void> {
  const key = favoritesKey(userId)
  await changeKnown<readonly number[]>({ set: (ids) => mutate(key, ids, unasked), ask: () => mutate(key) }, (known) => {
    const others = known.filter((id) => !productIds.includes(id))
    return isKept ? [...productIds, ...others] : others
  })
}
