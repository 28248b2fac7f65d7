import { useCallback, useEffect } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { z } from 'zod'
import { changeKnown, unasked } from '../api/change-known.ts'
import { writeStored } from '../lib/browser-storage.ts'
import { exclusively } from '../lib/exclusively.ts'
import { useUser } from '../session/use-session.ts'
import { guestFavorites, useGuestFavorites } from './guest-favorites.ts'

const calls = () => import('./favorite-calls.ts')

/** Under the person's id, so that an answer that comes late never becomes somebody else's. */
const keyOf = (userId: number) => ['favorite-ids', userId] as const

/** The ids of what somebody has saved, the last one first; `undefined` until they are known, and for a guest. */
export function useSavedFavorites(userId: number | null): readonly number[] | undefined {
  return useSWR(userId === null ? null : keyOf(userId), async () => (await calls()).listFavoriteIds()).data
}

/** Saves a product, or takes it off, and tells everybody who looks, in all tabs. */
export function useSaveFavorite() {
  const change = useChange()
  return async (userId: number, productId: number, isKept: boolean): Promise<void> => {
    await (await calls()).keepFavorite(productId, isKept)
    const news: News = { userId, productIds: [productId], isKept }
    await change(news)
    tellOtherTabs(news)
  }
}

/**
 * Lives as long as the tab: hands what a guest kept to the account of whoever signs in, and hears of what other tabs change. What could
 * not be handed over stays in the browser, and is tried again when the network comes back and at the next visit.
 */
export function KeepsFavorites() {
  const userId = useUser()?.id ?? null
  const hasGuestOnes = useGuestFavorites().length > 0
  const change = useChange()

  useEffect(() => {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === newsKey && newValue) void change(News.parse(JSON.parse(newValue)))
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [change])

  useEffect(() => {
    if (userId === null || !hasGuestOnes) return
    const merge = () =>
      mergeGuestFavorites().then(
        async (saved) => {
          if (saved.length === 0) return
          const productIds = [...saved]
          const news: News = { userId, productIds, isKept: true }
          await change(news)
          tellOtherTabs(news)
        },
        () => {},
      )
    void merge()
    window.addEventListener('online', merge)
    return () => window.removeEventListener('online', merge)
  }, [userId, hasGuestOnes, change])
  return null
}

/** Several tabs hear of a sign-in at once; the first one does it. @returns what the account now has of them, the last one first */
async function mergeGuestFavorites(): Promise<readonly number[]> {
  return await exclusively('wangian-favorites', async () => {
    const productIds = guestFavorites.read().toReversed()
    if (productIds.length === 0) return []
    const saved = await (await calls()).mergeFavorites(productIds)
    guestFavorites.remove(productIds)
    return saved
  })
}

/** What has changed of somebody's favourites; several are in the order of the list. */
const News = z.object({ userId: z.number(), productIds: z.array(z.number()), isKept: z.boolean() })
type News = z.infer<typeof News>

const newsKey = 'wangian-favorites-news'

/** Storage carries it there and keeps nothing. */
function tellOtherTabs(news: News): void {
  writeStored('localStorage', newsKey, JSON.stringify(news))
  writeStored('localStorage', newsKey, null)
}

function useChange() {
  const { mutate } = useSWRConfig()
  return useCallback(
    ({ userId, productIds, isKept }: News): Promise<void> =>
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
