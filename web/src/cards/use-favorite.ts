import { useUser } from '../session/use-session.ts'
import { useFavoriteWish, useFavoriteWishes } from './favorite-wishes.ts'
import { useGuestFavorites } from './guest-favorites.ts'
import { type Keep, useKeepFavorite, useSavedFavorites } from './saved-favorites.ts'

/** Whether a product is among somebody's favourites, and how to put it there or take it off. */
export function useFavorite(productId: number): readonly [isKept: boolean, keep: Keep] {
  const userId = useUser()?.id ?? null
  const guestIds = useGuestFavorites()
  const savedIds = useSavedFavorites(userId)
  const wish = useFavoriteWish(userId, productId)
  const keep = useKeepFavorite()
  // What is not handed over yet is not lost from sight.
  return [wish ?? (guestIds.includes(productId) || (savedIds?.includes(productId) ?? false)), keep]
}

/** Which of somebody's favourites have been taken off since they were read. */
export function useTakenOff(userId: number): (productId: number) => boolean {
  const guestIds = useGuestFavorites()
  const savedIds = useSavedFavorites(userId)
  const wishOf = useFavoriteWishes(userId)
  return (productId) => {
    const isKept = guestIds.includes(productId) || savedIds === undefined || savedIds.includes(productId)
    return !(wishOf(productId) ?? isKept)
  }
}
