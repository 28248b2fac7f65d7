import { useCallback } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { shownMessage } from '../api/api-error.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useUser } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import { wishFavorite } from './favorite-wishes.ts'
import { favoritesKey } from './favorites-key.ts'
import { guestFavorites } from './guest-favorites.ts'

const calls = () => import('./favorite-calls.ts')

/** The ids of what somebody has saved, the last one first; `undefined` until they are known, and for a guest. */
export function useSavedFavorites(userId: number | null): readonly number[] | undefined {
  return useSWR(userId === null ? null : favoritesKey(userId), async () => (await calls()).listFavoriteIds()).data
}

export type Keep = (productId: number, isKept: boolean) => void

/** On the server for whoever is signed in, in this browser for a guest. It shows at once, and is undone when the server refuses. */
export function useKeepFavorite(): Keep {
  const userId = useUser()?.id ?? null
  const keepOf = useKeepFavoriteOf()
  return (productId, isKept) => {
    if (!isKept) guestFavorites.remove([productId])
    if (userId !== null) keepOf(userId, productId, isKept)
    else if (isKept && !guestFavorites.add(productId)) {
      void import('./tell-of-full.ts').then(({ tellOfFull }) => tellOfFull('favorites.saveFailed'))
    }
  }
}

/** Saves a product of somebody's, or takes it off, and tells all tabs. */
export function useKeepFavoriteOf() {
  const { t } = useTranslation()
  const { mutate } = useSWRConfig()
  return useCallback(
    (userId: number, productId: number, isKept: boolean): void => {
      wishFavorite(userId, productId, isKept, async (sent) => {
        await (await calls()).keepFavorite(mutate, { userId, productId, isKept: sent })
      }).catch((error: unknown) => {
        showToast({
          title: isKept ? t('favorites.saveFailed') : t('favorites.removeFailed'),
          description: shownMessage(error),
          tone: 'destructive',
        })
      })
    },
    [t, mutate],
  )
}
