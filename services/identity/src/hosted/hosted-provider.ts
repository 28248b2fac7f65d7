import { randomUUID } from 'node:crypto'
import { isUniqueViolation } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { findUserIdByIdentity } from '../oauth/oauth-store.ts'
import type { HostedProvider } from '../sessions/auth-provider.ts'
import { findAccount, findUserId, insertIdentity } from '../store.ts'
import { type HostedDependencies, hostedAccount, hostedSignIn } from './hosted-accounts.ts'
import { isHostedPassword } from './hosted-passwords.ts'
import { isSessionKnown } from './hosted-store.ts'
import { createHostedTokens, type HostedKeys } from './hosted-tokens.ts'

const TIMEOUT_MS = 10_000

/** How to reach a hosted auth provider, and how its tokens are recognised. */
export interface HostedSettings {
  /** Without a slash at the end; also what its tokens name as their issuer. */
  readonly url: string
  readonly anonKey: string
  readonly keys: HostedKeys
  readonly adminEmail: string | undefined
}

/** The hosted provider of the environment; `null` when the embedded one is to be used. */
export function hostedSettings(
  config: Pick<Config, 'authUrl' | 'authAnonKey' | 'authJwksUrl' | 'authJwtSecret' | 'adminEmail'>,
): HostedSettings | null {
  const { authUrl: url, authAnonKey: anonKey, authJwksUrl, authJwtSecret: secret, adminEmail } = config
  if (url === undefined || anonKey === undefined) return null
  const keys = secret === undefined ? { jwksUrl: authJwksUrl ?? `${url}/.well-known/jwks.json` } : { secret }
  return { url, anonKey, keys, adminEmail }
}

const HostedUser = z.object({
  identities: z.array(z.object({ id: z.string(), provider: z.string() })).nullish(),
  factors: z.array(z.object({ status: z.string() })).nullish(),
})

/** A hosted Supabase project, or any other server of its protocol, in the place of the embedded provider. */
export function createHostedProvider(
  settings: HostedSettings,
  dependencies: Omit<HostedDependencies, 'adminEmail'> & { readonly isFactorRequired: boolean },
): HostedProvider {
  const { pool, isFactorRequired, now } = dependencies
  const { url, anonKey, keys, adminEmail } = settings
  const verify = createHostedTokens({ issuer: url, keys, now })
  return {
    kind: 'hosted',
    url,
    key: anonKey,
    isFactorRequired,

    async signInOf(token) {
      const claims = await verify(token)
      const account = await hostedAccount({ ...dependencies, adminEmail }, claims)
      if (account.isBanned) throw new Rejection('account-suspended')
      if (claims.aal === 'aal1' && !(await isSessionKnown(pool, claims.session_id))) {
        // The token does not say whether there is one to be shown, and a session that has passed once is not asked again.
        const { factors } = await fetchUser(url, anonKey, token)
        const hasFactor = factors?.some(({ status }) => status === 'verified') === true
        if (hasFactor) return { account, sessionId: claims.session_id, secondFactor: 'missing' }
      }
      return hostedSignIn(dependencies, account, claims)
    },

    async isSamePerson({ account }, token, { provider, providerId }) {
      // The token does not name other sites' ids but where the person can write them.
      const { identities } = await fetchUser(url, anonKey, token)
      const identity = identities?.find((one) => one.provider === provider)
      if (identity === undefined || ![identity.id, account.authId].includes(providerId)) return false
      await remember(account.userId, { provider, subject: identity.id })
      return true
    },

    async loginOf(username) {
      const userId = await findUserId(pool, username)
      const account = userId === null ? null : await findAccount(pool, userId)
      return account?.email ?? null
    },

    isPassword: (account, password) => isHostedPassword(settings, account, password),
  }

  async function remember(userId: number, identity: { readonly provider: string; readonly subject: string }) {
    const known = await findUserIdByIdentity(pool, identity)
    if (known === userId) return
    if (known !== null) throw new Rejection('account-exists')
    try {
      const at = now().toISOString()
      await pool.transaction((transaction) =>
        insertIdentity(transaction, { id: randomUUID(), userId, at, ...identity }),
      )
    } catch (error) {
      if (!isUniqueViolation(error, 'identities_provider_subject_key')) throw error
      if ((await findUserIdByIdentity(pool, identity)) !== userId) throw new Rejection('account-exists')
    }
  }
}

async function fetchUser(url: string, anonKey: string, token: string) {
  let response: Response
  let body: unknown
  try {
    response = await fetch(`${url}/user`, {
      headers: { authorization: `Bearer ${token}`, apikey: anonKey },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    body = await response.json()
  } catch (error) {
    throw new Failure('the hosted auth provider does not answer', { cause: error })
  }
  if (response.status === 401 || response.status === 403) throw new Rejection('invalid-session')
  const user = HostedUser.safeParse(body)
  if (!response.ok || !user.success) throw new Failure(`the hosted auth provider answers ${response.status}`)
  return user.data
}
