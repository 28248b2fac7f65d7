import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useLocation } from 'react-router-dom'
import { SWRConfig } from 'swr'
import { onTestFinished } from 'vitest'
import { appToken } from '../api/app-token.ts'
import { apiDefaults } from '../api/use-api.ts'
import { loadAdminWords, loadGuides, loadWords } from '../i18n/i18n.ts'
import { LiveSocket } from '../live/live-socket.ts'
import { LiveSocketContext } from '../live/use-live-socket.ts'
import type { AuthProvider } from '../session/auth-provider.ts'
import { Session } from '../session/session.ts'
import { SessionContext } from '../session/use-session.ts'
import { listenToToasts, showToast, type ToastMessage } from '../ui/toast-store.ts'
import { FakeSocket } from './fake-socket.ts'
import { tokenFor } from './fixtures.ts'

await Promise.all([loadWords(), loadAdminWords(), loadGuides()])

/** Renders a part of the app at an address, for a guest or for somebody. Nobody else has read anything yet. */
export function renderAt(
  address: string,
  children: ReactNode,
  holder?: Parameters<typeof tokenFor>[0],
  provider?: Partial<AuthProvider>,
) {
  FakeSocket.opened.length = 0
  localStorage.clear()
  sessionStorage.clear()
  if (holder) appToken.store(tokenFor(holder, Date.now() + 900_000))
  const session = new Session(async () => {
    if (provider) return { onChange: () => {}, ...provider } as AuthProvider
    throw new Error('nobody signs in here')
  })
  const stopSession = session.start()
  const socket = new LiveSocket({
    token: appToken.read,
    renewToken: () => session.renew(),
    openSocket: () => FakeSocket.open(),
  })
  const stopSocket = socket.start()
  const toasts: ToastMessage[] = []
  const stopToasts = listenToToasts((message) => toasts.push(message))
  // An error of the test before would hold back the first news of this one.
  showToast({ title: 'The test begins' })
  toasts.length = 0
  const place = { current: address }
  const view = render(
    <SessionContext value={session}>
      <LiveSocketContext value={() => socket}>
        <SWRConfig value={{ ...apiDefaults, provider: () => new Map(), dedupingInterval: 0 }}>
          <MemoryRouter initialEntries={[address]}>
            {children}
            <Whereabouts place={place} />
          </MemoryRouter>
        </SWRConfig>
      </LiveSocketContext>
    </SessionContext>,
  )
  const end = () => {
    view.unmount()
    stopToasts()
    stopSocket()
    stopSession()
  }
  // Files share a window: a session that goes on would end the token of a test in another file.
  onTestFinished(end)
  return {
    ...view,
    session,
    /** What was said in toasts, in order. */
    toasts,
    /** The address that is open. */
    whereabouts: () => place.current,
    end,
  }
}

function Whereabouts({ place }: { place: { current: string } }) {
  const { pathname, search } = useLocation()
  place.current = `${pathname}${search}`
  return null
}
