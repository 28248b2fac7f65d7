import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { z } from 'zod'

const State = z.object({ requestKey: z.uuid() })

/**
 * What makes two requests one order: it belongs to the entry of the browser's history, and so is the same after a reload and for whoever
 * comes back to this page, and another one for the next boost.
 */
export function useRequestKey(): string {
  const navigate = useNavigate()
  const { pathname, search, state } = useLocation()
  const stored = State.safeParse(state).data?.requestKey
  const [made] = useState(() => crypto.randomUUID())
  useEffect(() => {
    if (stored !== undefined) return
    void navigate(`${pathname}${search}`, { replace: true, preventScrollReset: true, state: { requestKey: made } })
  }, [stored, made, navigate, pathname, search])
  return stored ?? made
}
