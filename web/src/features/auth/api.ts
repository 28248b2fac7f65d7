import { accountRoutes } from '@wangian/contracts/account.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { call } from '../../api/client.ts'
import type { SocialPerson } from '../../session/auth-provider.ts'

/** Makes sure that whoever came from another provider is known here. */
export async function syncSocialPerson(person: SocialPerson, providerToken: string): Promise<void> {
  await call(identityRoutes.syncOAuthUser, { body: person }, { bearer: providerToken })
}

/** Confirms an address by what an older link carries, without signing anybody in. */
export async function confirmAddress(proof: { code: string } | { token: string }): Promise<void> {
  await call(accountRoutes.verifyEmail, { query: proof })
}

/** Sets a new password with the token of an older link. */
export async function updatePassword(token: string, password: string): Promise<void> {
  await call(accountRoutes.updatePassword, { body: { token, password } })
}
