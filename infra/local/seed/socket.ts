import { ServerFrame } from '@wangian/contracts/frames.ts'
import type { Person } from './site.ts'

const SIGN_IN_TIMEOUT_MS = 5_000
const ANSWER_TIMEOUT_MS = 5_000

/** A socket of somebody's, signed in. */
export interface Socket {
  /** Resolves with the answer to the frame that carries this key, a refusal included. */
  ask(key: string, frame: object): Promise<ServerFrame>
  /** Says what nobody answers. */
  say(frame: object): void
  close(): void
}

/** @throws when the site does not let the person in, or says nothing */
export async function connect(url: string, person: Person): Promise<Socket> {
  const socket = new WebSocket(new URL('/ws', url.replace(/^http/, 'ws')))
  const waiting = new Map<string, (frame: ServerFrame) => void>()
  const signedIn = Promise.withResolvers<void>()
  const say = (frame: object) => socket.send(JSON.stringify(frame))
  socket.addEventListener('open', () => say({ type: 'auth', token: person.token }))
  socket.addEventListener('close', () => signedIn.reject(new Error('the socket was closed')))
  socket.addEventListener('message', ({ data }) => {
    const frame = ServerFrame.safeParse(JSON.parse(String(data))).data
    if (frame === undefined) return
    if (frame.type === 'auth_success') signedIn.resolve()
    const key = keyOf(frame)
    if (key !== undefined) waiting.get(key)?.(frame)
    else if (frame.type === 'error') signedIn.reject(new Error(frame.message))
  })
  await within(SIGN_IN_TIMEOUT_MS, signedIn.promise)
  return {
    async ask(key, frame) {
      const answer = new Promise<ServerFrame>((resolve) => waiting.set(key, resolve))
      say(frame)
      try {
        return await within(ANSWER_TIMEOUT_MS, answer)
      } finally {
        waiting.delete(key)
      }
    },
    say,
    close: () => socket.close(),
  }
}

function keyOf(frame: ServerFrame): string | undefined {
  if (frame.type === 'bidAccepted') return frame.bidId
  if (frame.type === 'message_sent') return frame.clientMessageId
  return frame.type === 'error' ? (frame.bidId ?? frame.clientMessageId) : undefined
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
