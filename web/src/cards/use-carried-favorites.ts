import { FAVORITES_MAX } from '@wangian/contracts/catalogue.ts'
import { useEffect } from 'react'
import { useSWRConfig } from 'swr'
import { z } from 'zod'
import { readStored } from '../lib/browser-storage.ts'
import { exclusively } from '../lib/exclusively.ts'
import { useUser } from '../session/use-session.ts'
import { changeFavorites, favoriteNewsKey, mergeFavorites, tellFavorites } from './favorite-calls.ts'
import { favoriteWishesKey, hasFavoriteWish } from './favorite-wishes.ts'
import { guestFavorites, useGuestFavorites } from './guest-favorites.ts'
import { useKeepFavoriteOf } from './saved-favorites.ts'
import { tellOfFull } from './tell-of-full.ts'

/** By person and product. */
const Wishes = z.array(z.tuple([z.string().regex(/^\d+ \d+$/), z.boolean()]))
const News = z.object({ userId: z.number(), productIds: z.array(z.number()), isKept: z.boolean() })

/**
 * As long as the tab lives: hands what a guest kept to the account of whoever signs in, sends what the page before was left with, and hears of what other
 * tabs change. What could not be handed over stays in the browser, and is tried again when the network comes back and at the next visit.
 */
export function useCarriedFavorites(): void {
  const userId = useUser()?.id ?? null
  const hasGuestOnes = useGuestFavorites().length > 0
  const { mutate } = useSWRConfig()
  const keepOf = useKeepFavoriteOf()

  useEffect(() => {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === favoriteNewsKey && newValue) void changeFavorites(mutate, News.parse(JSON.parse(newValue)))
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [mutate])

  useEffect(() => {
    if (userId === null) return
    for (const [productId, isKept] of leftWishes(userId)) keepOf(userId, productId, isKept)
  }, [userId, keepOf])

  useEffect(() => {
    if (userId === null || !hasGuestOnes) return
    const merge = () =>
      mergeGuestFavorites().then(
        async ({ saved: productIds, isFull }) => {
          if (isFull) void tellOfFull('wishlist.someLeftOut')
          if (productIds.length > 0) await tellFavorites(mutate, { userId, productIds, isKept: true })
        },
        () => {},
      )
    void merge()
    window.addEventListener('online', merge)
    return () => window.removeEventListener('online', merge)
  }, [userId, hasGuestOnes, mutate])
}

/** What somebody wished for on a page of this tab that was left before the server had said anything. */
function leftWishes(userId: number): readonly (readonly [productId: number, isKept: boolean])[] {
  return storedWishes().flatMap(([key, isKept]) => {
    const [ofId, productId] = key.split(' ').map(Number)
    return ofId === userId && productId !== undefined && !hasFavoriteWish(key) ? [[productId, isKept]] : []
  })
}

function storedWishes(): z.infer<typeof Wishes> {
  try {
    return Wishes.parse(JSON.parse(readStored('sessionStorage', favoriteWishesKey) ?? '[]'))
  } catch {
    return []
  }
}

interface Merged {
  /** What the account has now, the last one first. */
  readonly saved: readonly number[]
  /** There was no room for all of them. */
  readonly isFull: boolean
}

/** Several tabs hear of a sign-in at once; the first one does it. */
async function mergeGuestFavorites(): Promise<Merged> {
  return await exclusively('wangian-favorites', async () => {
    const productIds = guestFavorites.read().toReversed()
    if (productIds.length === 0) return { saved: [], isFull: false }
    const saved = await mergeFavorites(productIds)
    guestFavorites.remove(productIds)
    const isFull = saved.length >= FAVORITES_MAX && productIds.some((id) => !saved.includes(id))
    return { saved, isFull }
  })
}
