import { useMemo, useSyncExternalStore } from 'react'
import { z } from 'zod'
import { readStored, writeStored } from '../lib/browser-storage.ts'

const storageKey = 'wangian-wishlist'
const Wishlist = z.array(z.int().positive()).catch([])
const listeners = new Set<() => void>()

/** Whether a product is on this browser's wishlist, and how to put it there or take it off. */
export function useWishlist(productId: number): readonly [boolean, () => void] {
  const isListed = useSyncExternalStore(subscribe, () => read().includes(productId))
  return [isListed, () => toggle(productId)]
}

/** The ids of all products on it, the last one first. */
export function useWishlistIds(): readonly number[] {
  const stored = useSyncExternalStore(subscribe, () => readStored('localStorage', storageKey))
  return useMemo(() => idsOf(stored).toReversed(), [stored])
}

function toggle(productId: number): void {
  const listed = read()
  const next = listed.includes(productId) ? listed.filter((id) => id !== productId) : [...listed, productId]
  writeStored('localStorage', storageKey, JSON.stringify(next))
  for (const listener of listeners) listener()
}

function read(): readonly number[] {
  return idsOf(readStored('localStorage', storageKey))
}

function idsOf(stored: string | null): readonly number[] {
  try {
    return Wishlist.parse(JSON.parse(stored ?? '[]'))
  } catch {
    return []
  }
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === storageKey) listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}
