import type { PasswordReset, ResetProof } from './auth-provider.ts'
import { createApartClient, redeem, storedPersonId } from './supabase-apart.ts'
import { granted, type ProviderEndpoint } from './supabase-client.ts'
import { showFactor } from './supabase-factors.ts'

/**
 * Opens a reset. A link that can be used once is redeemed with the new password and not before: opening the page, which
 * mail scanners do as well, must not use it up.
 */
export async function openSupabaseReset(endpoint: ProviderEndpoint, proof: ResetProof): Promise<PasswordReset> {
  const client = createApartClient(endpoint)
  let isRedeemed = false
  let isFactorShown = false
  // A code lives for minutes, too short for somebody who thinks about a password.
  if (proof.kind === 'code') {
    granted(await redeem(client, 'recovery', proof))
    isRedeemed = true
  }
  return {
    async setPassword(password, factor) {
      if (!isRedeemed) granted(await redeem(client, 'recovery', proof))
      isRedeemed = true
      // Once: a code that was good is good no more, and the password alone may have been refused.
      if (factor && !isFactorShown) {
        await showFactor(client, endpoint, factor)
        isFactorShown = true
      }
      const { user } = granted(await client.updateUser({ password }))
      await client.signOut({ scope: 'local' })
      const storedId = storedPersonId()
      return storedId === null || storedId === user.id
    },
  }
}
