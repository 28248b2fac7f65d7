import { useSyncExternalStore } from 'react'
import { writeStored } from '../lib/browser-storage.ts'

/** What people in this tab want kept or not, until the server has said yes or no to it; by person and product. */
let wishes: ReadonlyMap<string, boolean> = new Map()
/** Kept with the tab, for the next page in it: who leaves at once has not changed their mind. */
export const favoriteWishesKey = 'wangian-favorite-wishes'
const listeners = new Set<() => void>()

/** What is wished for a product just now, `undefined` when nothing is on its way. */
export function useFavoriteWish(userId: number | null, productId: number): boolean | undefined {
  const read = () => (userId === null ? undefined : wishes.get(keyOf(userId, productId)))
  return useSyncExternalStore(subscribe, read, () => undefined)
}

/** The same for all products. */
export function useFavoriteWishes(userId: number): (productId: number) => boolean | undefined {
  const all = useSyncExternalStore(subscribe, () => wishes)
  return (productId) => all.get(keyOf(userId, productId))
}

/** Whether something is on its way from this page. */
export const hasFavoriteWish = (key: string) => wishes.has(key)

/**
 * Lets `send` tell the server of a wish, one after the other for a product: somebody who changes their mind while the first is on its way
 * gets the last word. @throws what `send` throws; the wish is gone then
 */
export async function wishFavorite(
  userId: number,
  productId: number,
  isKept: boolean,
  send: (isKept: boolean) => Promise<void>,
): Promise<void> {
  const key = keyOf(userId, productId)
  const isOnItsWay = wishes.has(key)
  set(key, isKept)
  if (isOnItsWay) return
  try {
    let sent: boolean | undefined
    for (let wish = wishes.get(key); wish !== undefined && wish !== sent; wish = wishes.get(key)) {
      await send(wish)
      sent = wish
    }
  } finally {
    set(key, undefined)
  }
}

function set(key: string, isKept: boolean | undefined): void {
  const next = new Map(wishes)
  if (isKept === undefined) next.delete(key)
  else next.set(key, isKept)
  wishes = next
  writeStored('sessionStorage', favoriteWishesKey, next.size > 0 ? JSON.stringify([...next]) : null)
  for (const listener of listeners) listener()
}

const keyOf = (userId: number, productId: number) => `${userId} ${productId}`

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
