import { useCallback, useSyncExternalStore } from 'react'

/**
 * Whether a media query holds, such as that somebody wants no motion; `null` where that is not known, while a page is rendered for somebody else or
 * taken over.
 */
export function useMedia(query: string): boolean | null {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore<boolean | null>(
    subscribe,
    () => window.matchMedia(query).matches,
    () => null,
  )
}
