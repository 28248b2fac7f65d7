import type { AuthResponse, AuthTokenResponse } from '@supabase/auth-js'
import { z } from 'zod'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { type LinkKind, providerStorageKey, type ResetProof } from './auth-provider.ts'
import { createSupabaseClient, memoryStorage, type ProviderEndpoint, type SupabaseClient } from './supabase-client.ts'

const apartStorageKey = 'wangian-apart'

/** A client whose session is apart from the one of this browser, which what a mail led to may not replace unasked. */
export function createApartClient(endpoint: ProviderEndpoint): SupabaseClient {
  return createSupabaseClient(endpoint, {
    storageKey: apartStorageKey,
    storage: apartStorage(),
    autoRefreshToken: false,
  })
}

export function redeem(
  client: SupabaseClient,
  kind: LinkKind | 'recovery',
  proof: ResetProof,
): Promise<AuthResponse | AuthTokenResponse> {
  switch (proof.kind) {
    case 'session':
      return client.setSession({ access_token: proof.accessToken, refresh_token: proof.refreshToken })
    case 'code':
      return client.exchangeCodeForSession(proof.code)
    case 'link':
      return client.verifyOtp({ type: kind, token_hash: proof.tokenHash })
    case 'digits':
      return client.verifyOtp({ type: kind, email: proof.email, token: proof.digits })
    default:
      return proof satisfies never
  }
}

const StoredPerson = z.object({ user: z.object({ id: z.string() }) })

/** Whose session this browser has, by their id at the provider; `null` for a guest's. */
export function storedPersonId(): string | null {
  try {
    return StoredPerson.parse(JSON.parse(readStored('localStorage', providerStorageKey) ?? '')).user.id
  } catch {
    return null
  }
}

/** Keeps the session in memory, and has the secret of a code where whoever asked for the code left it. */
function apartStorage() {
  const kept = memoryStorage()
  const isSecret = (key: string) => key.endsWith('-code-verifier')
  const shared = (key: string) => key.replace(apartStorageKey, providerStorageKey)
  return {
    getItem: (key: string) => (isSecret(key) ? readStored('localStorage', shared(key)) : kept.getItem(key)),
    setItem: (key: string, value: string) => {
      if (isSecret(key)) writeStored('localStorage', shared(key), value)
      else kept.setItem(key, value)
    },
    removeItem: (key: string) => {
      if (isSecret(key)) writeStored('localStorage', shared(key), null)
      else kept.removeItem(key)
    },
  }
}
