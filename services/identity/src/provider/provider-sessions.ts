import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import type { AppRequest } from '@wangian/kit/http/http.ts'
import type { FactorKey } from '../factors/factor-key.ts'
import { listFactors } from '../factors/factor-store.ts'
import { listNewestTokens } from '../mails/one-time-token-store.ts'
import type { OAuthProviders } from '../oauth/oauth.ts'
import type { Redirects } from '../oauth/redirects.ts'
import { refreshToken } from '../sessions/refresh-token.ts'
import { findLiveSession, type Session } from '../sessions/session-store.ts'
import { openSession, type SignInProof } from '../sessions/sessions.ts'
import type { SigningKey } from '../sessions/signing-keys.ts'
import { checkProviderToken, issueProviderToken, PROVIDER_TOKEN_TTL_S, seconds } from '../sessions/tokens.ts'
import { type Account, findAccountByAuthId, listIdentities } from '../store.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER, userJson } from './provider-json.ts'
import type { ProviderSwitches } from './provider-settings.ts'

export interface ProviderDependencies {
  readonly pool: DatabasePool
  /** Its key, and the address that its tokens name as their issuer. */
  readonly provider: { readonly key: SigningKey; readonly issuer: string }
  readonly factorKey: FactorKey
  /** Whether administrators must have a second factor. */
  readonly isFactorRequired: boolean
  /** Where the web app is. */
  readonly publicUrl: string
  /** Where `redirect_to` may lead. */
  readonly redirects: Redirects
  /** Whether an account is confirmed as soon as it is made. */
  readonly isAutoconfirmed: boolean
  /** The other sites with which people can sign in. */
  readonly oauthProviders: OAuthProviders
  readonly switches: ProviderSwitches
  readonly now: () => Date
  /** Called after something was added to the log, or is to be mailed. */
  readonly onAppended: () => void
}

/** A person as every answer of the provider shows them, with what was mailed to them. */
export async function currentUserJson({ pool, now }: ProviderDependencies, account: Account) {
  const { userId } = account
  return userJson(account, await listIdentities(pool, userId), {
    sent: await listNewestTokens(pool, userId, now().toISOString()),
    factors: await listFactors(pool, userId),
  })
}

/** Signs somebody in who has just proven to be this person, and answers as every sign-in does. */
export async function startSession(
  dependencies: ProviderDependencies,
  account: Account,
  proof: Omit<SignInProof, 'userId'> = { method: 'password', provider: EMAIL_PROVIDER },
) {
  const { pool, now } = dependencies
  const session = await openSession(pool, { ...proof, userId: account.userId }, now())
  return signInJson(dependencies, account, session)
}

/** What a sign-in answers that has opened this session. */
export function signInJson(dependencies: ProviderDependencies, account: Account, session: Session) {
  const at = session.authenticatedAt
  return tokenJson(dependencies, { ...account, lastSignInAt: at, updatedAt: at }, session)
}

/** What a sign-in or a refresh answers. */
export async function tokenJson(dependencies: ProviderDependencies, account: Account, session: Session) {
  const { pool, provider } = dependencies
  const now = dependencies.now()
  const identities = await listIdentities(pool, account.userId)
  return {
    access_token: await issueProviderToken(provider, account, identities, session, now),
    token_type: 'bearer',
    expires_in: PROVIDER_TOKEN_TTL_S,
    expires_at: seconds(now) + PROVIDER_TOKEN_TTL_S,
    refresh_token: refreshToken(session),
    user: await currentUserJson(dependencies, account),
  }
}

/** @throws ProviderRefusal in the protocol's order of reasons */
export async function signedIn({ pool, provider, now }: ProviderDependencies, request: AppRequest) {
  const token = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) {
    throw new ProviderRefusal(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  }
  const check = await checkProviderToken(provider, token, now())
  if (!check.isValid) throw new ProviderRefusal(403, 'bad_jwt', `invalid JWT: ${check.reason}`)
  const account = await findAccountByAuthId(pool, check.authId)
  if (account === null) {
    throw new ProviderRefusal(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  }
  if (account.isBanned) throw new ProviderRefusal(403, 'user_banned', 'User is banned')
  const session = await findLiveSession(pool, check.sessionId, account.userId)
  if (session === null) throw sessionNotFound()
  return { account, session }
}

/**
 * The session as it is in the transaction that changes something, with the person locked: it may have ended since it was looked at, or count as
 * one in which no second factor was shown.
 */
export async function getLiveSession(transaction: Transaction, { id, userId }: Session): Promise<Session> {
  const session = await findLiveSession(transaction, id, userId)
  if (session === null) throw sessionNotFound()
  return session
}

export function sessionNotFound(): ProviderRefusal {
  return new ProviderRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
}
