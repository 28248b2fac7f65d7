import { useEffect, useState } from 'react'
import { BrowserRouter } from 'react-router-dom'
import { SWRConfig, useSWRConfig } from 'swr'
import { appToken } from './api/app-token.ts'
import { apiDefaults } from './api/use-api.ts'
import { KeepsFavorites } from './cards/saved-favorites.ts'
import { i18n } from './i18n/i18n.ts'
import { LiveSocket } from './live/live-socket.ts'
import { LiveSocketContext } from './live/use-live-socket.ts'
import { AppRoutes } from './routes.tsx'
import { Session } from './session/session.ts'
import { SessionContext, useUser } from './session/use-session.ts'
import { GlobalStyle } from './theme/global-style.ts'
import { showToast } from './ui/toast-store.ts'

/** The providers, the router, and what lives as long as the tab. */
export function App() {
  const [session] = useState(createSession)
  const [socket] = useState(() => createSocket(session))
  useEffect(() => session.start(), [session])
  useEffect(() => {
    const stopSocket = socket.start()
    const stopListening = appToken.subscribe(() => socket.tokenChanged())
    return () => {
      stopListening()
      stopSocket()
    }
  }, [socket])
  return (
    <SessionContext value={session}>
      <LiveSocketContext value={socket}>
        <SWRConfig value={apiDefaults}>
          <GlobalStyle />
          <ForgetsOthersData />
          <KeepsFavorites />
          <BrowserRouter>
            <AppRoutes />
          </BrowserRouter>
        </SWRConfig>
      </LiveSocketContext>
    </SessionContext>
  )
}

/** What was read for one person is not for the next: it is dropped, and what is on screen is read again. */
function ForgetsOthersData() {
  const { mutate } = useSWRConfig()
  const userId = useUser()?.id ?? null
  const [readerId, setReaderId] = useState(userId)
  useEffect(() => {
    if (userId === readerId) return
    setReaderId(userId)
    // A guest saw nothing private, so that signing in need not blank the page.
    if (readerId === null) void mutate(() => true)
    else void mutate(() => true, undefined, { revalidate: true })
  }, [mutate, userId, readerId])
  return null
}

function createSession(): Session {
  return new Session(
    async () => (await import('./session/supabase-provider.ts')).loadSupabaseProvider(window.location.origin),
    (message) => showToast({ title: i18n.t('problem.suspended'), description: message, tone: 'destructive' }),
  )
}

function createSocket(session: Session): LiveSocket {
  const { protocol, host } = window.location
  return new LiveSocket({
    url: `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`,
    token: appToken.read,
    renewToken: () => session.renew(),
  })
}
