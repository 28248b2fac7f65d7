import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { App, AppRequest } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { createSharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { hasPasswordHash } from '../accounts/person-store.ts'
import { userIdOfAlias } from '../accounts/sign-in-alias.ts'
import { findAuthCode, useAuthCode } from '../oauth/flow-state.ts'
import type { FlowKind } from '../oauth/flow-state-store.ts'
import { verifyPassword } from '../passwords/passwords.ts'
import { readRefreshToken } from '../sessions/refresh-token.ts'
import { refreshSession } from '../sessions/sessions.ts'
import { type Account, findAccount, findAccountByEmail, findClaimant, findPasswordHash } from '../store.ts'
import { OAuthRefusal, ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER } from './provider-json.ts'
import { createRequestLimit } from './provider-limits.ts'
import { normalEmail, PasswordGrantBody, PkceGrantBody, parseBody, RefreshGrantBody } from './provider-requests.ts'
import { type ProviderDependencies, startSession, tokenJson } from './provider-sessions.ts'
import { requireEmailLogins } from './provider-settings.ts'

const FAILED_TRIES_MAX = 10
const FAILED_TRIES_WINDOW_MS = 15 * 60 * 1000
const GRANTS_WINDOW_MS = 5 * 60 * 1000
/** In five minutes, of one address of the network; many people may share it. */
const GRANTS_MAX = 150
const LOGIN_LENGTH_MAX = 255
const NOBODY = 0

/** What is exchanged for tokens: a password, a refresh token, a code. */
export function addTokenRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { pool } = dependencies
  const limitTries = (name: string) =>
    createSharedRateLimiter(
      { pool, rateLimitFactor: scope.rateLimitFactor },
      { name, limit: FAILED_TRIES_MAX, windowMs: FAILED_TRIES_WINDOW_MS, isExact: true },
    )
  /** Of the same words typed: this refusal is seen, so it must not tell to whom an address belongs. */
  const triesAsTyped = limitTries('sign-ins as typed')
  /** Of one account: its alias and its address must not give two sets of tries. Nobody sees that these are used up. */
  const triesAtAccount = limitTries('sign-ins')

  const limitSignIns = createRequestLimit(scope, GRANTS_MAX)
  const refusedRefreshes = createRateLimiter(scope, { limit: GRANTS_MAX, windowMs: GRANTS_WINDOW_MS })
  const refreshesOfSession = createRateLimiter(scope, { limit: GRANTS_MAX, windowMs: GRANTS_WINDOW_MS })

  scope.post('/token', async (request) => {
    const { grant_type: grantType } = request.query as { grant_type?: unknown }
    switch (grantType) {
      case 'password':
        limitSignIns(request)
        return grantByPassword(request)
      case 'refresh_token':
        return grantByRefreshToken(request)
      case 'pkce':
        limitSignIns(request)
        return grantByAuthCode(dependencies, request)
      default:
        throw new ProviderRefusal(400, 'invalid_credentials', 'unsupported_grant_type')
    }
  })

  async function grantByPassword(request: AppRequest) {
    requireEmailLogins(dependencies.switches)
    const body = parseBody(PasswordGrantBody, request.body)
    if (!body.email) throw new ProviderRefusal(400, 'validation_failed', 'missing email or phone')
    const login = normalEmail(body.email).slice(0, LOGIN_LENGTH_MAX)
    const password = body.password ?? ''
    const address = addressKey(request.ip)
    const typedKey = `${login} ${address}`
    // Counted before the password is looked at, or many at once would all be let through.
    await triesAsTyped.take(typedKey)
    const account = await findAccountByLogin(pool, login)
    const accountKey = `${account?.userId ?? login} ${address}`
    const passwordHash = await findRightHash(account, accountKey, password)
    if (account !== null && passwordHash !== null && account.emailConfirmedAt !== null) {
      await forget(typedKey, accountKey)
      if (account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
      return startSession(dependencies, account, {
        method: 'password',
        provider: EMAIL_PROVIDER,
        within: async (transaction) => {
          // It may have been changed, and all sessions ended, since it was checked.
          if (!(await hasPasswordHash(transaction, account.userId, passwordHash))) throw wrongCredentials()
        },
      })
    }
    // All others are refused after as much work, so that nobody can tell whose address is confirmed: two may have registered with it.
    const claimant = await findClaimant(pool, login)
    const claimantKey = `${claimant?.userId ?? `claimant ${login}`} ${address}`
    const isOwner = passwordHash !== null
    const isClaimant = (await findRightHash(claimant, claimantKey, password)) !== null
    const applicant = isOwner ? account : isClaimant ? claimant : null
    if (applicant === null) throw wrongCredentials()
    await forget(typedKey, isOwner ? accountKey : claimantKey)
    if (applicant.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
    throw new ProviderRefusal(400, 'email_not_confirmed', 'Email not confirmed')
  }

  /**
   * Of an address only what is refused counts, and only that is limited: a client that may not refresh now takes its session for lost, and behind one
   * address may be all the people of a mobile network, and one among them who refreshes with what are no tokens.
   */
  async function grantByRefreshToken(request: AppRequest) {
    const address = addressKey(request.ip)
    try {
      const { refresh_token: token } = parseBody(RefreshGrantBody, request.body)
      if (!token) throw new OAuthRefusal('invalid_request', 'refresh_token required')
      refreshesOfSession.take(`${readRefreshToken(token)?.sessionId} ${address}`)
      return await refreshGrant(dependencies, token, request)
    } catch (error) {
      if (error instanceof ProviderRefusal || error instanceof OAuthRefusal) refusedRefreshes.take(address)
      throw error
    }
  }

  /**
   * What this password was checked against; `null` when it is wrong. Somebody unknown costs the same queries as somebody known, and a try too
   * many as much as any other.
   */
  async function findRightHash(account: Account | null, key: string, password: string): Promise<string | null> {
    const isWithinLimit = await triesAtAccount.allows(key)
    const passwordHash = await findPasswordHash(pool, account?.userId ?? NOBODY)
    return (await verifyPassword(passwordHash, password)) && isWithinLimit ? passwordHash : null
  }

  async function forget(typedKey: string, accountKey: string): Promise<void> {
    await triesAsTyped.forget(typedKey)
    await triesAtAccount.forget(accountKey)
  }
}

async function refreshGrant(dependencies: ProviderDependencies, token: string, request: AppRequest) {
  const { pool, now, onAppended } = dependencies
  const refresh = await refreshSession(pool, token, now(), request.id)
  switch (refresh.outcome) {
    case 'unknown':
      throw new ProviderRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
    case 'reused':
      onAppended()
      throw alreadyUsed()
    case 'already-used':
      if ((await findAccount(pool, refresh.userId))?.isBanned)
        throw new ProviderRefusal(400, 'user_banned', 'User is banned')
      throw alreadyUsed()
    case 'expired':
      throw new ProviderRefusal(400, 'session_expired', 'Invalid Refresh Token: Session Expired (Inactivity)')
    case 'refreshed': {
      const account = await findAccount(pool, refresh.session.userId)
      if (account === null) {
        throw new ProviderRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
      }
      if (account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
      return tokenJson(dependencies, account, refresh.session)
    }
    default:
      return refresh satisfies never
  }
}

async function grantByAuthCode(dependencies: ProviderDependencies, request: AppRequest) {
  const { pool, now } = dependencies
  const { auth_code: code, code_verifier: verifier } = parseBody(PkceGrantBody, request.body)
  const { id, userId, kind, provider } = await findAuthCode(pool, { code, verifier }, now())
  const account = await findAccount(pool, userId)
  if (account === null) throw new ProviderRefusal(403, 'user_not_found', 'User from flow state does not exist')
  if (account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
  return startSession(dependencies, account, {
    method: methodOfFlow[kind],
    provider: provider ?? EMAIL_PROVIDER,
    within: (transaction) => useAuthCode(transaction, id),
  })
}

function wrongCredentials(): ProviderRefusal {
  return new ProviderRefusal(400, 'invalid_credentials', 'Invalid login credentials')
}

function alreadyUsed(): ProviderRefusal {
  return new ProviderRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
}

/** How somebody who came by a code has proven to be themselves. */
const methodOfFlow: Readonly<Record<FlowKind, string>> = {
  oauth: 'oauth',
  signup: 'otp',
  recovery: 'recovery',
  email_change: 'otp',
}

function findAccountByLogin(pool: DatabasePool, login: string): Promise<Account | null> {
  const userId = userIdOfAlias(login)
  return userId === null ? findAccountByEmail(pool, login) : findAccount(pool, userId)
}
