import { createContext, use, useSyncExternalStore } from 'react'
import { appToken } from '../api/app-token.ts'
import type { Session } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'
import { LiveSocket, type LiveStanding, type LiveStatus } from './live-socket.ts'

const sockets = new WeakMap<Session, LiveSocket>()

/** Made when somebody first needs it, since most who look around never do; it lives as long as the tab. */
function socketOfTab(session: Session): LiveSocket {
  const known = sockets.get(session)
  if (known) return known
  const socket = new LiveSocket({
    openSocket: () => new WebSocket(socketAddress(window.location)),
    token: appToken.read,
    renewToken: () => session.renew(),
  })
  socket.start()
  appToken.subscribe(() => socket.tokenChanged())
  sockets.set(session, socket)
  return socket
}

function socketAddress({ protocol, host }: Location): string {
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`
}

/** Where the socket comes from. */
export const LiveSocketContext = createContext(socketOfTab)

export function useLiveSocket(): LiveSocket {
  return use(LiveSocketContext)(useSession())
}

/** Whether frames flow, how many tries in a row have failed, and for whom the server takes this tab. */
export function useLiveStatus(): { status: LiveStatus; failures: number; standing: LiveStanding } {
  const socket = useLiveSocket()
  return {
    status: useSyncExternalStore(socket.subscribe, socket.status, () => 'disconnected'),
    failures: useSyncExternalStore(socket.subscribe, socket.failures, () => 0),
    standing: useSyncExternalStore(socket.subscribe, socket.standing, () => 'guest'),
  }
}
