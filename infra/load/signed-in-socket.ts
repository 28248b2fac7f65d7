import { once } from 'node:events'
import { LeanSocket, type LeanSocketEvents } from './lean-socket.ts'

const AUTH_TIMEOUT_MS = 10_000

/**
 * Opens a socket, signs in with an application token, and hands over what comes from then on.
 * @throws when the token is refused or no answer comes
 */
export async function openSignedIn(url: string, token: string, events: LeanSocketEvents): Promise<LeanSocket> {
  const answered = new EventTarget()
  let isSignedIn = false
  let refusal = 'no answer to auth'
  const socket = await LeanSocket.open(url, {
    onText(bytes, start, end) {
      if (isSignedIn) return events.onText(bytes, start, end)
      const frame = JSON.parse(bytes.toString('utf8', start, end)) as { type: string; message?: string }
      if (frame.type === 'connected') return
      isSignedIn = frame.type === 'auth_success'
      refusal = frame.message ?? frame.type
      answered.dispatchEvent(new Event('answer'))
    },
    onClose(code) {
      if (isSignedIn) events.onClose(code)
      else answered.dispatchEvent(new Event('answer'))
    },
  })
  const answer = once(answered, 'answer', { signal: AbortSignal.timeout(AUTH_TIMEOUT_MS) })
  socket.send(JSON.stringify({ type: 'auth', token }))
  try {
    await answer
  } catch {
    // Said below, with what is known.
  }
  if (isSignedIn) return socket
  socket.destroy()
  throw new Error(`could not sign in at ${url}: ${refusal}`)
}
