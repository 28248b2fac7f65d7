import type { AuthResponse, AuthTokenResponse } from '@supabase/auth-js'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { type PasswordReset, providerStorageKey, type ResetProof } from './auth-provider.ts'
import {
  createSupabaseClient,
  granted,
  memoryStorage,
  type ProviderEndpoint,
  type SupabaseClient,
} from './supabase-client.ts'
import { showFactor } from './supabase-factors.ts'

const resetStorageKey = 'wangian-reset'

/**
 * Opens a reset. A link that can be used once is redeemed with the new password and not before: opening the page, which
 * mail scanners do as well, must not use it up.
 */
export async function openSupabaseReset(endpoint: ProviderEndpoint, proof: ResetProof): Promise<PasswordReset> {
  const client = createSupabaseClient(endpoint, {
    storageKey: resetStorageKey,
    storage: resetStorage(),
    autoRefreshToken: false,
  })
  let isRedeemed = false
  // A code lives for minutes, too short for somebody who thinks about a password.
  if (proof.kind === 'code') {
    granted(await redeem(client, proof))
    isRedeemed = true
  }
  return {
    async setPassword(password, factor) {
      if (!isRedeemed) granted(await redeem(client, proof))
      isRedeemed = true
      if (factor) await showFactor(client, factor)
      granted(await client.updateUser({ password }))
      await client.signOut({ scope: 'local' })
    },
  }
}

function redeem(client: SupabaseClient, proof: ResetProof): Promise<AuthResponse | AuthTokenResponse> {
  switch (proof.kind) {
    case 'session':
      return client.setSession({ access_token: proof.accessToken, refresh_token: proof.refreshToken })
    case 'code':
      return client.exchangeCodeForSession(proof.code)
    case 'link':
      return client.verifyOtp({ type: 'recovery', token_hash: proof.tokenHash })
    case 'digits':
      return client.verifyOtp({ type: 'recovery', email: proof.email, token: proof.digits })
    default:
      return proof satisfies never
  }
}

/** Keeps the session in memory, and has the secret of the code where the request for the reset left it. */
function resetStorage() {
  const kept = memoryStorage()
  const isSecret = (key: string) => key.endsWith('-code-verifier')
  const shared = (key: string) => key.replace(resetStorageKey, providerStorageKey)
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
