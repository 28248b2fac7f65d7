import { identityRoutes } from '@wangian/contracts/identity.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type Authenticator, bearerToken, type Caller } from '@wangian/kit/http/auth.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { type App, type AppRequest, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { createSharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { currentUser, currentUserOf } from './accounts/presenter.ts'
import { normalEmail } from './provider/provider-requests.ts'
import type { AuthProvider, SignIn } from './sessions/auth-provider.ts'
import { endSessions } from './sessions/revocation.ts'
import type { SigningKey } from './sessions/signing-keys.ts'
import { issueAppToken } from './sessions/tokens.ts'

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
/** In a minute, of one address of the network: so many that are good, and so many that are not. */
const EXCHANGES_MAX = 30

export interface RouteDependencies {
  readonly pool: DatabasePool
  readonly auth: Authenticator
  readonly applicationKey: SigningKey
  readonly authProvider: AuthProvider
  readonly now: () => Date
}

export function addRoutes(app: App, { pool, auth, applicationKey, authProvider, now }: RouteDependencies): void {
  const exchanges = createRateLimiter(app, { limit: EXCHANGES_MAX, windowMs: MINUTE_MS })
  const refusedExchanges = createRateLimiter(app, { limit: EXCHANGES_MAX, windowMs: MINUTE_MS })
  const counting = { pool, rateLimitFactor: app.rateLimitFactor }
  const lookups = createSharedRateLimiter(counting, { name: 'lookups by minute', limit: 10, windowMs: MINUTE_MS })
  const lookupsPerHour = createSharedRateLimiter(counting, { name: 'lookups by hour', limit: 100, windowMs: HOUR_MS })

  handle(app, identityRoutes.me, async ({ user }) => {
    return { status: 200, body: await currentUserOf({ pool, authProvider }, user) }
  })

  handle(app, identityRoutes.exchangeSession, async ({ body, request }) => {
    const { account, sessionId, secondFactor } = await signInOf(body.supabaseToken, request)
    if (secondFactor === 'missing') throw new Rejection('second-factor-required')
    const user = currentUser(account, authProvider, secondFactor === 'shown')
    return { status: 200, body: { token: await issueAppToken(applicationKey, user, sessionId, now()), user } }
  })

  handle(app, identityRoutes.provider, () => {
    const { kind, url, key } = authProvider
    return { status: 200, body: { kind, url, key } }
  })

  handle(app, identityRoutes.syncOAuthUser, async ({ body, request }) => {
    const token = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const signIn = await signInOf(token, request)
    // Whoever believes what the body says of itself gives accounts away.
    if (normalEmail(body.email) !== signIn.account.email) throw new Rejection('identity-mismatch')
    if (!(await authProvider.isSamePerson(signIn, token, body))) throw new Rejection('identity-mismatch')
    return { status: 200, body: { success: true } }
  })

  handle(app, identityRoutes.lookupEmail, async ({ body, request }) => {
    const key = addressKey(request.ip)
    await lookups.take(key)
    await lookupsPerHour.take(key)
    const email = await authProvider.loginOf(body.username)
    if (email === null) throw new Rejection('username-not-found')
    return { status: 200, body: { email } }
  })

  handle(app, identityRoutes.logout, async ({ body, request }) => {
    const caller = await callerOf(auth, request.headers.authorization)
    if (caller !== null) {
      const { id: userId, sessionId } = caller
      const ended = body?.scope === 'others' ? { exceptId: sessionId } : { sessionIds: [sessionId] }
      await pool.transaction((transaction) => endSessions(transaction, { userId, ...ended, reason: 'signed-out' }))
    }
    return { status: 200, body: { success: true } }
  })

  /** What is refused counts for itself: nobody is to keep the others of an address from signing in with what are no tokens. */
  async function signInOf(providerToken: string, { ip }: AppRequest): Promise<SignIn> {
    const address = addressKey(ip)
    let signIn: SignIn
    try {
      signIn = await authProvider.signInOf(providerToken)
    } catch (error) {
      if (error instanceof Rejection) refusedExchanges.take(address)
      throw error
    }
    exchanges.take(address)
    return signIn
  }
}

/** Whose token it is; `null` without a token that is good. */
async function callerOf(auth: Authenticator, authorization: string | undefined): Promise<Caller | null> {
  try {
    const token = bearerToken(authorization)
    return token === null ? null : await auth.verify(token)
  } catch (error) {
    if (error instanceof Rejection) return null
    throw error
  }
}
