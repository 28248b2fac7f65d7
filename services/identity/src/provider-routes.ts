import { randomUUID } from 'node:crypto'
import { addressKey } from '@wangian/kit/client-address.ts'
import type { App, AppRequest } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { createRateLimiter } from '@wangian/kit/rate-limit.ts'
import { registerAccount } from './accounts.ts'
import { redeemAuthCode } from './flow-state.ts'
import type { FlowKind } from './flow-state-store.ts'
import { verifyPassword } from './passwords.ts'
import { answerProviderError, echoVersion, OAuthRefusal, ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER, userJson } from './provider-json.ts'
import {
  normalEmail,
  PasswordGrantBody,
  PkceGrantBody,
  parseBody,
  RefreshGrantBody,
  requireEmail,
  requirePassword,
  requireUserData,
  SignUpBody,
  type UserData,
} from './provider-requests.ts'
import { settingsJson } from './provider-settings.ts'
import { refreshToken } from './refresh-token.ts'
import { deleteSession, deleteSessionsOf, findLiveSession, type Session } from './session-store.ts'
import { openSession, refreshSession } from './sessions.ts'
import { userIdOfAlias } from './sign-in-alias.ts'
import type { SigningKey } from './signing-keys.ts'
import {
  type Account,
  findAccount,
  findAccountByAuthId,
  findAccountByEmail,
  findPasswordHash,
  type Identity,
  listIdentities,
} from './store.ts'
import { checkProviderToken, issueProviderToken, PROVIDER_TOKEN_TTL_S, seconds } from './tokens.ts'

const FAILED_TRIES_MAX = 10
const FAILED_TRIES_WINDOW_MS = 15 * 60 * 1000
const LOGIN_LENGTH_MAX = 255
const NOBODY = 0
const KEYS_CACHE_S = 600

export interface ProviderDependencies {
  readonly pool: DatabasePool
  /** Its key, and the address that its tokens name as their issuer. */
  readonly provider: { readonly key: SigningKey; readonly issuer: string }
  /** Whether an account is confirmed as soon as it is made. */
  readonly isAutoconfirmed: boolean
  readonly now: () => Date
  /** Called after something was added to the log. */
  readonly onAppended: () => void
}

/**
 * Adds the embedded auth provider to a scope of the app. It speaks the protocol of Supabase Auth (GoTrue), so that the
 * official client works with it as it does with a hosted project.
 */
export function addProviderRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { pool, provider, isAutoconfirmed, now } = dependencies
  // Counted in this process: a second instance doubles what one address may try. Bounded by the kit.
  const failedTries = createRateLimiter(scope, { limit: FAILED_TRIES_MAX, windowMs: FAILED_TRIES_WINDOW_MS })

  scope.setErrorHandler((error, request, reply) => answerProviderError(error, request, reply))
  scope.addHook('onRequest', echoVersion)

  scope.get('/health', async () => ({
    version: '1',
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  }))

  scope.get('/settings', async () => settingsJson({ isAutoconfirmed }))

  scope.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${KEYS_CACHE_S}`).send(provider.key.jwks),
  )

  scope.post('/signup', async (request) => {
    const body = parseBody(SignUpBody, request.body)
    const password = requirePassword(body.password)
    const email = requireEmail(body.email)
    const data = requireUserData(body.data)
    const result = await registerAccount(pool, {
      email,
      password,
      ...data,
      isSeller: true,
      isAdmin: false,
      isEmailConfirmed: isAutoconfirmed,
      now: now(),
      correlationId: request.id,
    })
    switch (result.outcome) {
      case 'registered': {
        dependencies.onAppended()
        if (!isAutoconfirmed) return userJson(result.account, await listIdentities(pool, result.account.userId))
        return startSession(dependencies, result.account)
      }
      case 'email-taken':
        if (!isAutoconfirmed) return madeUpUser(email, data, now())
        throw new ProviderRefusal(422, 'user_already_exists', 'User already registered')
      case 'username-taken':
        throw new ProviderRefusal(422, 'username_exists', 'Username is already taken')
      default:
        return result satisfies never
    }
  })

  scope.post('/token', async (request) => {
    const { grant_type: grantType } = request.query as { grant_type?: unknown }
    switch (grantType) {
      case 'password':
        return grantByPassword(request)
      case 'refresh_token':
        return grantByRefreshToken(dependencies, request)
      case 'pkce':
        return grantByAuthCode(dependencies, request)
      default:
        throw new ProviderRefusal(400, 'invalid_credentials', 'unsupported_grant_type')
    }
  })

  async function grantByPassword(request: AppRequest) {
    const body = parseBody(PasswordGrantBody, request.body)
    if (!body.email) throw new ProviderRefusal(400, 'validation_failed', 'missing email or phone')
    const login = normalEmail(body.email).slice(0, LOGIN_LENGTH_MAX)
    const account = await findAccountByLogin(pool, login)
    // By account rather than by what was typed: an alias and an address must not give two sets of tries.
    const triesKey = `${account?.userId ?? login} ${addressKey(request.ip)}`
    // Counted before the password is looked at, or many at once would all be let through.
    failedTries.take(triesKey)
    // An unknown login costs the same queries as a known one.
    const passwordHash = await findPasswordHash(pool, account?.userId ?? NOBODY)
    const isRight = await verifyPassword(passwordHash, body.password ?? '')
    if (account === null || !isRight) {
      throw new ProviderRefusal(400, 'invalid_credentials', 'Invalid login credentials')
    }
    failedTries.forget(triesKey)
    if (account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
    if (account.emailConfirmedAt === null) {
      throw new ProviderRefusal(400, 'email_not_confirmed', 'Email not confirmed')
    }
    return startSession(dependencies, account)
  }

  scope.get('/user', async (request) => {
    const { account } = await signedIn(dependencies, request)
    return userJson(account, await listIdentities(pool, account.userId))
  })

  scope.post('/logout', async (request, reply) => {
    const { account, session } = await signedIn(dependencies, request)
    const { scope: logoutScope = 'global' } = request.query as { scope?: unknown }
    switch (logoutScope) {
      case 'local':
        await deleteSession(pool, session.id)
        break
      case 'others':
        await deleteSessionsOf(pool, account.userId, session.id)
        break
      case 'global':
        await deleteSessionsOf(pool, account.userId)
        break
      default:
        throw new ProviderRefusal(400, 'validation_failed', 'Unsupported logout scope')
    }
    return reply.code(204).send()
  })
}

async function grantByRefreshToken(dependencies: ProviderDependencies, request: AppRequest) {
  const { pool, now } = dependencies
  const { refresh_token: token } = parseBody(RefreshGrantBody, request.body)
  if (!token) throw new OAuthRefusal('invalid_request', 'refresh_token required')
  const refresh = await refreshSession(pool, token, now())
  switch (refresh.outcome) {
    case 'unknown':
      throw new ProviderRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
    case 'already-used':
      throw new ProviderRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
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
  const { userId, kind, provider } = await redeemAuthCode(pool, { code, verifier }, now())
  const account = await findAccount(pool, userId)
  if (account === null) throw new ProviderRefusal(403, 'user_not_found', 'User from flow state does not exist')
  if (account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
  return startSession(dependencies, account, { method: methodOfFlow[kind], provider: provider ?? EMAIL_PROVIDER })
}

/** How somebody who came by a code has proven to be themselves. */
const methodOfFlow: Readonly<Record<FlowKind, string>> = {
  oauth: 'oauth',
  signup: 'otp',
  recovery: 'recovery',
  email_change: 'otp',
}

async function startSession(
  dependencies: ProviderDependencies,
  account: Account,
  { method, provider } = { method: 'password', provider: EMAIL_PROVIDER },
) {
  const { pool, now } = dependencies
  const proof = { userId: account.userId, method, provider }
  const session = await openSession(pool, proof, now())
  const at = session.authenticatedAt
  return tokenJson(dependencies, { ...account, lastSignInAt: at, updatedAt: at }, session)
}

async function tokenJson(dependencies: ProviderDependencies, account: Account, session: Session) {
  const { pool, provider } = dependencies
  const now = dependencies.now()
  const identities = await listIdentities(pool, account.userId)
  return {
    access_token: await issueProviderToken(provider, account, identities, session, now),
    token_type: 'bearer',
    expires_in: PROVIDER_TOKEN_TTL_S,
    expires_at: seconds(now) + PROVIDER_TOKEN_TTL_S,
    refresh_token: refreshToken(session),
    user: userJson(account, identities),
  }
}

/** @throws ProviderRefusal in the protocol's order of reasons */
async function signedIn({ pool, provider, now }: ProviderDependencies, request: AppRequest) {
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
  const session = await findLiveSession(pool, check.sessionId, account.userId)
  if (session === null) {
    throw new ProviderRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  }
  if (account.isBanned) throw new ProviderRefusal(403, 'user_banned', 'User is banned')
  return { account, session }
}

function findAccountByLogin(pool: DatabasePool, login: string): Promise<Account | null> {
  const userId = userIdOfAlias(login)
  return userId === null ? findAccountByEmail(pool, login) : findAccount(pool, userId)
}

/** What a sign-up with a known address gets where it must look like any other. */
function madeUpUser(email: string, data: UserData, now: Date) {
  const at = now.toISOString()
  const authId = randomUUID()
  const identity: Identity = {
    id: randomUUID(),
    provider: EMAIL_PROVIDER,
    subject: authId,
    lastSignInAt: null,
    createdAt: at,
    updatedAt: at,
  }
  const account = { ...data, authId, email, emailConfirmedAt: null, lastSignInAt: null, createdAt: at, updatedAt: at }
  return userJson({ ...account, username: data.username ?? `user-${identity.id.slice(0, 8)}` }, [identity])
}
