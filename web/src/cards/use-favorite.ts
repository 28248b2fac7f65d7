import { shownMessage } from '../api/api-error.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useUser } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import { useFavoriteWish, useFavoriteWishes, wishFavorite } from './favorite-wishes.ts'
import { guestFavorites, useGuestFavorites } from './guest-favorites.ts'
import { useSavedFavorites, useSaveFavorite } from './saved-favorites.ts'

type Keep = (productId: number, isKept: boolean) => void

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

/** On the server for whoever is signed in, in this browser for a guest. It shows at once, and is undone when the server refuses. */
export function useKeepFavorite(): Keep {
  const { t } = useTranslation()
  const userId = useUser()?.id ?? null
  const save = useSaveFavorite()
  return (productId, isKept) => {
    if (!isKept) guestFavorites.remove([productId])
    if (userId === null) {
      if (isKept) guestFavorites.add(productId)
      return
    }
    wishFavorite(userId, productId, isKept, (sent) => save(userId, productId, sent)).catch((error: unknown) => {
      showToast({
        title: isKept ? t('favorites.saveFailed') : t('favorites.removeFailed'),
        description: shownMessage(error),
        tone: 'destructive',
      })
    })
  }
}
