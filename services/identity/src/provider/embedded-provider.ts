import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { PROVIDER_PREFIX } from '@wangian/kit/http/provider-errors.ts'
import { signInAlias } from '../accounts/sign-in-alias.ts'
import { hasVerifiedFactor } from '../factors/factor-store.ts'
import type { EmbeddedProvider } from '../sessions/auth-provider.ts'
import { findLiveSession } from '../sessions/session-store.ts'
import type { SigningKey } from '../sessions/signing-keys.ts'
import { checkProviderToken } from '../sessions/tokens.ts'
import { findAccountByAuthId, findUserId, listIdentities } from '../store.ts'

/** It takes any key; its client demands one. */
const PUBLIC_KEY = 'wangian'

/** The auth provider that is part of this service. */
export function createEmbeddedProvider(dependencies: {
  readonly pool: DatabasePool
  readonly provider: { readonly key: SigningKey; readonly issuer: string }
  readonly isFactorRequired: boolean
  readonly now: () => Date
}): EmbeddedProvider {
  const { pool, provider, isFactorRequired, now } = dependencies
  return {
    kind: 'embedded',
    url: PROVIDER_PREFIX,
    key: PUBLIC_KEY,
    isFactorRequired,

    async signInOf(token) {
      const check = await checkProviderToken(provider, token, now())
      if (!check.isValid) throw new Rejection('invalid-session')
      const account = await findAccountByAuthId(pool, check.authId)
      if (account === null || account.emailConfirmedAt === null) throw new Rejection('invalid-session')
      if (account.isBanned) throw new Rejection('account-suspended')
      const session = await findLiveSession(pool, check.sessionId, account.userId)
      if (session === null) throw new Rejection('invalid-session')
      const isShown = session.factorAt !== null
      const secondFactor = isShown ? 'shown' : (await hasVerifiedFactor(pool, account.userId)) ? 'missing' : 'none'
      return { account, sessionId: session.id, secondFactor }
    },

    async isSamePerson({ account }, _token, claimed) {
      const identities = await listIdentities(pool, account.userId)
      return identities.some(({ provider: name, subject }) => {
        return name === claimed.provider && [subject, account.authId].includes(claimed.providerId)
      })
    },

    // Usernames are public and addresses are not, so it is none.
    async loginOf(username) {
      const userId = await findUserId(pool, username)
      return userId === null ? null : signInAlias(userId)
    },
  }
}
