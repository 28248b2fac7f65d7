import { useCallback, useEffect, useRef } from 'react'
import { useSWRConfig } from 'swr'

/** The record is made from the events of others: so long after an action it is there. */
const settlesAfterMs = 1_000

/** Reads the tables and timelines that are shown anew, a moment after an action. */
export function useRefresh(): () => void {
  const { mutate } = useSWRConfig()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void mutate(isShown), settlesAfterMs)
  }, [mutate])
}

function isShown(key: unknown): boolean {
  return Array.isArray(key) ? key[0] === 'admin' : typeof key === 'string' && key.startsWith('/api/admin/timeline/')
}
