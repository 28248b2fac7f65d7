import { FAVORITES_MAX } from '@wangian/contracts/catalogue.ts'
import { useMemo, useSyncExternalStore } from 'react'
import { z } from 'zod'
import { readStored, writeStored } from '../lib/browser-storage.ts'

const storageKey = 'wangian-wishlist'
const Ids = z.array(z.int().positive()).catch([])
const listeners = new Set<() => void>()

/** The products that a guest keeps in this browser, the last one last; all tabs see the same. */
export const guestFavorites = {
  read: (): readonly number[] => idsOf(readStored('localStorage', storageKey)),

  /** @returns false when there is no room for it, as in an account */
  add(productId: number): boolean {
    const others = guestFavorites.read().filter((id) => id !== productId)
    if (others.length >= FAVORITES_MAX) return false
    write([...others, productId])
    return true
  },

  remove(productIds: readonly number[]): void {
    write(guestFavorites.read().filter((id) => !productIds.includes(id)))
  },
} as const

export function useGuestFavorites(): readonly number[] {
  const stored = useSyncExternalStore(
    subscribe,
    () => readStored('localStorage', storageKey),
    () => null,
  )
  return useMemo(() => idsOf(stored), [stored])
}

function write(productIds: readonly number[]): void {
  writeStored('localStorage', storageKey, productIds.length > 0 ? JSON.stringify(productIds) : null)
  for (const listener of listeners) listener()
}

function idsOf(stored: string | null): readonly number[] {
  try {
    return Ids.parse(JSON.parse(stored ?? '[]'))
  } catch {
    return []
  }
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === storageKey || event.key === null) listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}
