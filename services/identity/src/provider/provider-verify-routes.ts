import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { addressBehind } from '../accounts/sign-in-address.ts'
import { landingPage } from '../mails/mailed-links.ts'
import { PKCE_PREFIX, type TokenProof } from '../mails/one-time-token.ts'
import type { OneTimeToken, TokenKind } from '../mails/one-time-token-store.ts'
import { type Redemption, redeemAndOpen } from '../mails/token-redemption.ts'
import { issueAuthCode } from '../oauth/flow-state.ts'
import type { Session } from '../sessions/session-store.ts'
import { openSessionIn } from '../sessions/sessions.ts'
import { asRefusal, ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER } from './provider-json.ts'
import { createRequestLimit } from './provider-limits.ts'
import { invalid, normalEmail, parseBody, VerifyBody } from './provider-requests.ts'
import { type ProviderDependencies, signInJson } from './provider-sessions.ts'

const VERIFICATIONS_MAX = 30

const LINK_IS_DEAD = 'Email link is invalid or has expired'
const CODE_IS_WRONG = 'Token has expired or is invalid'

/** The protocol's names for what is verified; of the others no token was ever mailed. */
const kindOfType: Readonly<Record<string, TokenKind | null>> = {
  signup: 'signup',
  email: 'signup',
  recovery: 'recovery',
  email_change: 'email_change',
  invite: null,
  magiclink: null,
}

/** Where what was mailed is redeemed: by a page with POST, and by the protocol's own links with GET. */
export function addVerifyRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { pool, now } = dependencies
  const limitRequests = createRequestLimit(scope, VERIFICATIONS_MAX)

  scope.post('/verify', async (request) => {
    limitRequests(request)
    const { type, token_hash: tokenHash, token, email, phone } = parseBody(VerifyBody, request.body)
    const kind = requireKind(type)
    if (!tokenHash && !token) throw invalid('Verify requires either a token or a token hash')
    if (tokenHash && (token || email || phone)) throw invalid('Only the token_hash and type should be provided')
    if (token && (phone || !email)) {
      throw invalid('Only an email address or phone number should be provided on verify')
    }
    const words = tokenHash ? LINK_IS_DEAD : CODE_IS_WRONG
    if (kind === null) throw expired(words)
    const proof: TokenProof = tokenHash
      ? { kind, token: tokenHash }
      : { kind, email: await addressBehind(pool, normalEmail(email ?? '')), code: token ?? '' }
    const open = (transaction: Transaction, token: OneTimeToken) => openVerifiedSession(transaction, token, now())
    const { account, opened } = requireRedeemed(await redeem(proof, request.id, open), words)
    return signInJson(dependencies, account, opened)
  })

  // A HEAD of the same address must not use the token up.
  scope.get('/verify', { exposeHeadRoute: false }, async (request, reply) => {
    limitRequests(request)
    const { type, token, redirect_to: redirectTo } = request.query as Record<string, unknown>
    const kind = requireKind(type)
    if (typeof token !== 'string' || token === '') throw invalid('Verify requires a token or a token hash')
    const isPkce = token.startsWith(PKCE_PREFIX)
    const page = landingPage(dependencies, kind ?? 'signup', redirectTo)
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    try {
      const redemption = kind === null ? null : await redeem({ kind, token }, request.id, openCodeOrSession)
      const { account, opened } = requireRedeemed(redemption, LINK_IS_DEAD)
      if (typeof opened === 'string') return reply.redirect(withQuery(page, { code: opened }), 303)
      const session = await signInJson(dependencies, account, opened)
      const { access_token, expires_at, expires_in, refresh_token, token_type } = session
      const tokens = { access_token, expires_at, expires_in, refresh_token, sb: '', token_type, type: kind ?? '' }
      return reply.redirect(withHash(page, tokens), 303)
    } catch (error) {
      // Also of somebody who was banned, or has gone, since the token was redeemed.
      const refusal = asRefusal(error)
      if (refusal.status >= 500) throw error
      const fields = { error: 'access_denied', error_code: refusal.code, error_description: refusal.message }
      const inQuery = isPkce ? withQuery(page, fields) : page
      return reply.redirect(withHash(inQuery, { ...fields, sb: '' }), 303)
    }
  })

  /** A client that asked with PKCE gets a code. */
  function openCodeOrSession(transaction: Transaction, token: OneTimeToken): Promise<string | Session> {
    const { flowId, userId } = token
    return flowId === null
      ? openVerifiedSession(transaction, token, now())
      : issueAuthCode(transaction, flowId, userId, now())
  }

  async function redeem<Opened>(
    proof: TokenProof,
    correlationId: string,
    open: (transaction: Transaction, token: OneTimeToken) => Promise<Opened>,
  ): Promise<Redemption<Opened>> {
    const redemption = await redeemAndOpen(pool, proof, { now: now(), correlationId }, open)
    if (redemption.outcome === 'redeemed') dependencies.onAppended()
    return redemption
  }
}

/** Sessions that began with a recovery may set a password without the old one. */
function openVerifiedSession(transaction: Transaction, { userId, kind }: OneTimeToken, now: Date): Promise<Session> {
  const method = kind === 'recovery' ? 'recovery' : 'otp'
  return openSessionIn(transaction, { userId, method, provider: EMAIL_PROVIDER }, now)
}

function requireKind(type: unknown): TokenKind | null {
  if (!type) throw invalid('Verify requires a verification type')
  const kind = typeof type === 'string' && Object.hasOwn(kindOfType, type) ? kindOfType[type] : undefined
  if (kind === undefined) throw invalid('Unsupported verification type')
  return kind
}

function requireRedeemed<Opened>(redemption: Redemption<Opened> | null, words: string) {
  switch (redemption?.outcome) {
    case 'redeemed':
      return redemption
    case 'banned':
      throw new ProviderRefusal(403, 'user_banned', 'User is banned')
    case 'email-taken':
      throw new ProviderRefusal(422, 'email_exists', 'A user with this email address has already been registered')
    default:
      throw expired(words)
  }
}

function expired(message: string): ProviderRefusal {
  return new ProviderRefusal(403, 'otp_expired', message)
}

function withQuery(page: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(page)
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url.href
}

function withHash(page: string, fields: Readonly<Record<string, string | number>>): string {
  const url = new URL(page)
  url.hash = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return url.href
}
