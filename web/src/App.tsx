import { type ReactNode, useEffect, useState } from 'react'
import { SWRConfig, useSWRConfig } from 'swr'
import { appToken } from './api/app-token.ts'
import { type ServedAnswers, ServedContext } from './api/served-answers.ts'
import { apiDefaults } from './api/use-api.ts'
import { unsentKey } from './contact/unsent-key.ts'
import { i18n } from './i18n/i18n.ts'
import { writeStored } from './lib/browser-storage.ts'
import { Session } from './session/session.ts'
import { SessionContext, useSessionState } from './session/use-session.ts'
import { GlobalStyle } from './theme/global-style.ts'
import { showToast } from './ui/toast-store.ts'

/** The providers, and what lives as long as the tab, around the router with its pages. `served` is what came with the page. */
export function App({ children, served }: { children: ReactNode; served: ServedAnswers }) {
  const [session] = useState(createSession)
  useEffect(() => session.start(), [session])
  return (
    <SessionContext value={session}>
      <ServedContext value={served}>
        <SWRConfig value={apiDefaults}>
          <GlobalStyle />
          <ForgetsOthersData />
          {children}
        </SWRConfig>
      </ServedContext>
    </SessionContext>
  )
}

/**
 * What was read for one person is not for the next: it is dropped, and what is on screen is read again. SWR leaves lists out that come page after page: those
 * of somebody have their id in the key.
 */
function ForgetsOthersData() {
  const { mutate } = useSWRConfig()
  const state = useSessionState()
  const userId = state.status === 'signed-in' ? state.user.id : null
  const isKnown = state.status !== 'loading'
  // Whatever is read before the session has begun is read with what is stored.
  const [readerId, setReaderId] = useState(readHolderId)
  const [holderId, setHolderId] = useState(readerId)
  useEffect(() => {
    if (!isKnown || userId === readerId) return
    setReaderId(userId)
    const id = readHolderId()
    // Whose session cannot be renewed just now has not left.
    if (id !== holderId) writeStored('sessionStorage', unsentKey, null)
    setHolderId(id)
    // A guest saw nothing private, so that signing in need not blank the page.
    if (readerId === null) void mutate(() => true)
    else void mutate(() => true, undefined, { revalidate: true })
  }, [mutate, isKnown, userId, readerId, holderId])
  return null
}

function readHolderId(): number | null {
  return appToken.readHolder()?.id ?? null
}

function createSession(): Session {
  return new Session(
    async () => (await import('./session/supabase-provider.ts')).loadSupabaseProvider(window.location.origin),
    () => showToast({ title: i18n.t('problem.suspended'), tone: 'destructive' }),
  )
}
