import { AppTokenClaims } from '@wangian/contracts/identity.ts'
import { APP_TOKEN_TTL_S } from '@wangian/contracts/time.ts'
import { z } from 'zod'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { payloadOf } from '../lib/token-payload.ts'

const storageKey = 'app_token'
/** What earlier versions wrote. */
const legacyKeys = ['auth_token', 'supabase_token', 'token']

const Claims = AppTokenClaims.extend({ iat: z.number().optional() })

/** Who a token speaks for, as the token itself says; only the server can say whether it is genuine. */
export interface TokenHolder {
  readonly id: number
  readonly username: string
  readonly isSeller: boolean
  readonly isAdmin: boolean
}

const listeners = new Set<() => void>()
/** When the token at hand ends by this device's clock, known only for a token that came while this tab was open. */
let received: { token: string; endsAtMs: number } | undefined

/** The application token, kept in browser storage and shared by all tabs. */
export const appToken = {
  read: (): string | null => readStored('localStorage', storageKey),

  store(token: string): void {
    receive(token)
    write(token)
  },

  clear(): void {
    received = undefined
    write(null)
  },

  /** Milliseconds until a token ends, negative when it has, 0 when it cannot be read. */
  lifeLeftMs(token: string): number {
    if (received?.token === token) return received.endsAtMs - Date.now()
    const claims = claimsOf(token)
    return claims ? claims.exp * 1000 - Date.now() : 0
  },

  /** Who is signed in, as the token at hand says. */
  readHolder(): TokenHolder | null {
    const claims = claimsOf(appToken.read() ?? '')
    return (
      claims && {
        id: Number(claims.sub),
        username: claims.username,
        isSeller: claims.isSeller,
        isAdmin: claims.isAdmin,
      }
    )
  },

  /** Which session a token is of. */
  sessionOf: (token: string): string | null => claimsOf(token)?.sid ?? null,

  /** Called whenever the token changes, in this tab or another. */
  subscribe(listener: () => void): () => void {
    const onStorage = (event: StorageEvent) => {
      // Another tab has just got it. Were it judged by a clock that is wrong, the tabs would renew each other's tokens for ever.
      if (event.key === storageKey && event.newValue !== null) receive(event.newValue)
      if (event.key === storageKey || event.key === null) listener()
    }
    listeners.add(listener)
    window.addEventListener('storage', onStorage)
    return () => {
      listeners.delete(listener)
      window.removeEventListener('storage', onStorage)
    }
  },
} as const

function receive(token: string): void {
  const claims = claimsOf(token)
  const lifetimeS = claims?.iat ? claims.exp - claims.iat : APP_TOKEN_TTL_S
  // By its lifetime and not by its end, because this device's clock may be wrong.
  received = { token, endsAtMs: Date.now() + lifetimeS * 1000 }
}

function write(token: string | null): void {
  for (const key of legacyKeys) writeStored('localStorage', key, null)
  if (readStored('localStorage', storageKey) === token) return
  writeStored('localStorage', storageKey, token)
  for (const listener of listeners) listener()
}

function claimsOf(token: string): z.infer<typeof Claims> | null {
  return Claims.safeParse(payloadOf(token)).data ?? null
}
