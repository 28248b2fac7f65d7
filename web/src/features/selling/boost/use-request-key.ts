import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { entryFrom } from './checkout.ts'

/**
 * What makes two requests one order: it belongs to the entry of the browser's history, and so is the same after a reload and for whoever
 * comes back to this page, and another one for the next boost.
 */
export function useRequestKey(): string {
  const navigate = useNavigate()
  const { pathname, search, state } = useLocation()
  const { before, requestKey: stored } = entryFrom(state)
  const [made] = useState(() => crypto.randomUUID())
  useEffect(() => {
    if (stored !== undefined) return
    const kept = { before, requestKey: made }
    void navigate(`${pathname}${search}`, { replace: true, preventScrollReset: true, state: kept })
  }, [stored, before, made, navigate, pathname, search])
  return stored ?? made
}
