import { useEffect } from 'react'
import { z } from 'zod'
import { exclusively } from '../lib/exclusively.ts'
import { useUser } from '../session/use-session.ts'
import { mergeFavorites } from './favorite-calls.ts'
import { leftWishes } from './favorite-wishes.ts'
import { guestFavorites, useGuestFavorites } from './guest-favorites.ts'
import { favoriteNewsKey, useChangeFavorites, useKeepFavoriteOf, useTellFavorites } from './saved-favorites.ts'

const News = z.object({ userId: z.number(), productIds: z.array(z.number()), isKept: z.boolean() })

/**
 * As long as the tab lives: hands what a guest kept to the account of whoever signs in, sends what the page before was left with, and hears of what other
 * tabs change. What could not be handed over stays in the browser, and is tried again when the network comes back and at the next visit.
 */
export function useCarriedFavorites(): void {
  const userId = useUser()?.id ?? null
  const hasGuestOnes = useGuestFavorites().length > 0
  const change = useChangeFavorites()
  const tell = useTellFavorites()
  const keepOf = useKeepFavoriteOf()

  useEffect(() => {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === favoriteNewsKey && newValue) void change(News.parse(JSON.parse(newValue)))
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [change])

  useEffect(() => {
    if (userId === null) return
    for (const [productId, isKept] of leftWishes(userId)) keepOf(userId, productId, isKept)
  }, [userId, keepOf])

  useEffect(() => {
    if (userId === null || !hasGuestOnes) return
    const merge = () =>
      mergeGuestFavorites().then(
        async (productIds) => {
          if (productIds.length > 0) await tell({ userId, productIds, isKept: true })
        },
        () => {},
      )
    void merge()
    window.addEventListener('online', merge)
    return () => window.removeEventListener('online', merge)
  }, [userId, hasGuestOnes, tell])
}

/** Several tabs hear of a sign-in at once; the first one does it. @returns what the account now has of them, the last one first */
async function mergeGuestFavorites(): Promise<readonly number[]> {
  return await exclusively('wangian-favorites', async () => {
    const productIds = guestFavorites.read().toReversed()
    if (productIds.length === 0) return []
    const saved = await mergeFavorites(productIds)
    guestFavorites.remove(productIds)
    return saved
  })
}
