import { createContext, use, useSyncExternalStore } from 'react'
import { invariant } from '../lib/invariant.ts'
import type { Session, SessionState } from './session.ts'

export const SessionContext = createContext<Session | null>(null)

/** The session itself, to sign in and out with. */
export function useSession(): Session {
  const session = use(SessionContext)
  invariant(session, 'a SessionContext is around everything')
  return session
}

export function useSessionState(): SessionState {
  const session = useSession()
  return useSyncExternalStore(session.subscribe, session.state, unknown)
}

/** What a page is rendered with for everybody, and taken over with, however soon the session is known. */
const unknown = (): SessionState => loading
const loading: SessionState = { status: 'loading' }

/** The signed-in person, `null` for a guest and while nothing is known yet. */
export function useUser() {
  const state = useSessionState()
  return state.status === 'signed-in' ? state.user : null
}
