import { shopRoutes } from '@wangian/contracts/shop.ts'
import { call } from '../api/client.ts'

/* What the server knows of favourites is asked for whoever is signed in: nobody else loads how. */

export async function listFavoriteIds(): Promise<readonly number[]> {
  return await call(shopRoutes.listFavoriteIds, {})
}

export async function keepFavorite(productId: number, isKept: boolean): Promise<void> {
  const { addFavorite, removeFavorite } = shopRoutes
  await call(isKept ? addFavorite : removeFavorite, { params: { productId } }, { outlivesPage: true })
}

/** @param productIds the last one first. @returns what the account now has of them, in the same order */
export async function mergeFavorites(productIds: number[]): Promise<readonly number[]> {
  return await call(shopRoutes.mergeFavorites, { body: { productIds } })
}
