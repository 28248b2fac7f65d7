import { useCallback } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { shownMessage } from '../api/api-error.ts'
import { changeKnown, unasked } from '../api/change-known.ts'
import { writeStored } from '../lib/browser-storage.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useUser } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import { wishFavorite } from './favorite-wishes.ts'
import { guestFavorites } from './guest-favorites.ts'

const calls = () => import('./favorite-calls.ts')

/** Under the person's id, so that an answer that comes late never becomes somebody else's. */
const keyOf = (userId: number) => ['favorite-ids', userId] as const

/** The ids of what somebody has saved, the last one first; `undefined` until they are known, and for a guest. */
export function useSavedFavorites(userId: number | null): readonly number[] | undefined {
  return useSWR(userId === null ? null : keyOf(userId), async () => (await calls()).listFavoriteIds()).data
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
  const tell = useTellFavorites()
  return useCallback(
    (userId: number, productId: number, isKept: boolean): void => {
      wishFavorite(userId, productId, isKept, async (sent) => {
        await (await calls()).keepFavorite(productId, sent)
        await tell({ userId, productIds: [productId], isKept: sent })
      }).catch((error: unknown) => {
        showToast({
          title: isKept ? t('favorites.saveFailed') : t('favorites.removeFailed'),
          description: shownMessage(error),
          tone: 'destructive',
        })
      })
    },
    [t, tell],
  )
}

/** What has changed of somebody's favourites; several are in the order of the list. */
export interface FavoriteNews {
  readonly userId: number
  readonly productIds: readonly number[]
  readonly isKept: boolean
}

export const favoriteNewsKey = 'wangian-favorites-news'

/** Tells everybody who looks, in all tabs. */
export function useTellFavorites() {
  const change = useChangeFavorites()
  return useCallback(
    async (news: FavoriteNews): Promise<void> => {
      await change(news)
      // Storage carries it to the other tabs and keeps nothing.
      writeStored('localStorage', favoriteNewsKey, JSON.stringify(news))
      writeStored('localStorage', favoriteNewsKey, null)
    },
    [change],
  )
}

/** Tells everybody who looks in this tab. */
export function useChangeFavorites() {
  const { mutate } = useSWRConfig()
  return useCallback(
    ({ userId, productIds, isKept }: FavoriteNews): Promise<void> =>
      changeKnown<readonly number[]>(
        { set: (ids) => mutate(keyOf(userId), ids, unasked), ask: () => mutate(keyOf(userId)) },
        (known) => {
          const others = known.filter((id) => !productIds.includes(id))
          return isKept ? [...productIds, ...others] : others
        },
      ),
    [mutate],
  )
}
