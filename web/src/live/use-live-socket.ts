import { createContext, use, useSyncExternalStore } from 'react'
import { invariant } from '../lib/invariant.ts'
import type { LiveSocket, LiveStatus } from './live-socket.ts'

export const LiveSocketContext = createContext<LiveSocket | null>(null)

export function useLiveSocket(): LiveSocket {
  const socket = use(LiveSocketContext)
  invariant(socket, 'a LiveSocketContext is around everything')
  return socket
}

/** Whether frames flow, and how many tries in a row have failed. */
export function useLiveStatus(): { status: LiveStatus; failures: number } {
  const socket = useLiveSocket()
  return {
    status: useSyncExternalStore(socket.subscribe, socket.status),
    failures: useSyncExternalStore(socket.subscribe, socket.failures),
  }
}
