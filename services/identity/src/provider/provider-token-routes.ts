import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { App, AppRequest } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { findAuthCode, useAuthCode } from '../oauth/flow-state.ts'
import type { FlowKind } from '../oauth/flow-state-store.ts'
import { readRefreshToken } from '../sessions/refresh-token.ts'
import { refreshSession } from '../sessions/sessions.ts'
import { findAccount } from '../store.ts'
import { OAuthRefusal, ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER } from './provider-json.ts'
import { createRequestLimit } from './provider-limits.ts'
import { createPasswordGrant } from './provider-password-grant.ts'
import { PkceGrantBody, parseBody, RefreshGrantBody } from './provider-requests.ts'
import { type ProviderDependencies, startSession, tokenJson } from './provider-sessions.ts'

const GRANTS_WINDOW_MS = 5 * 60 * 1000
/** In five minutes, of one address of the network; many people may share it. */
const GRANTS_MAX = 150

/** What is exchanged for tokens: a password, a refresh token, a code. */
export function addTokenRoutes(scope: App, dependencies: ProviderDependencies): void {
  const grantByPassword = createPasswordGrant(scope, dependencies)
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
