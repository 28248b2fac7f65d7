import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { isUnavailability } from '@wangian/kit/errors.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { App, AppReply, AppRequest } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { ProviderRefusal } from '../provider/provider-errors.ts'
import type { ProviderSwitches } from '../provider/provider-settings.ts'
import {
  beginFlow,
  type FlowLookup,
  findOpenFlow,
  issueAuthCode,
  readChallenge,
  sha256,
  takeAnswer,
} from './flow-state.ts'
import type { OAuthProvider, OAuthProviders } from './oauth.ts'
import { signInElsewhere } from './oauth-accounts.ts'
import { addStandInRoutes } from './oauth-stand-in.ts'
import type { Redirects } from './redirects.ts'

const MINUTE_MS = 60 * 1000
const COOKIE = 'wangian-oauth'
const COOKIE_BYTES = 32
const COOKIE_TTL_S = 10 * 60
const SCOPES_MAX = 10

export interface OAuthDependencies {
  readonly pool: DatabasePool
  readonly providers: OAuthProviders
  readonly redirects: Redirects
  /** Where the auth provider and the web app are for browsers, without a slash at the end. */
  readonly providerUrl: string
  readonly publicUrl: string
  readonly switches: ProviderSwitches
  readonly now: () => Date
  /** Called after something was added to the log. */
  readonly onAppended: () => void
}

/** Adds the way to other sites and back; the answers that browsers get are redirects to the app. */
export function addOAuthRoutes(scope: App, dependencies: OAuthDependencies): void {
  const { pool, providers, providerUrl, now } = dependencies
  const visits = createRateLimiter(scope, { limit: 60, windowMs: MINUTE_MS })

  acceptForms(scope)

  // A HEAD must begin nothing, and use nothing up.
  scope.get('/authorize', { exposeHeadRoute: false }, async (request, reply) => {
    visits.take(addressKey(request.ip))
    return begin(dependencies, request, reply)
  })
  scope.get('/callback', { exposeHeadRoute: false }, async (request, reply) => {
    visits.take(addressKey(request.ip))
    return finish(dependencies, request, reply, request.query)
  })
  scope.post('/callback', async (request, reply) => {
    visits.take(addressKey(request.ip))
    return finish(dependencies, request, reply, request.body)
  })

  if ([...providers.values()].some(({ isStandIn }) => isStandIn)) addStandInRoutes(scope, { pool, providerUrl, now })
}

/** Sends somebody to the other site. */
async function begin(
  { pool, providers, redirects, providerUrl, now }: OAuthDependencies,
  request: AppRequest,
  reply: AppReply,
): Promise<AppReply> {
  const query = request.query as Record<string, unknown>
  const provider = typeof query.provider === 'string' ? providers.get(query.provider) : undefined
  if (provider === undefined) {
    throw new ProviderRefusal(400, 'validation_failed', 'Unsupported provider: provider is not enabled')
  }
  const challenge = readChallenge(query)
  // Without one the tokens would come in the address, which is remembered in many places.
  if (challenge === null) throw new ProviderRefusal(400, 'validation_failed', 'Only the PKCE flow is supported')
  const browser = cookieOf(request) ?? randomBytes(COOKIE_BYTES).toString('base64url')
  const redirectTo = redirects(query.redirect_to, request.headers.referer)
  const oauth = { provider: provider.name, redirectTo, browserHash: sha256(browser) }
  const state = await beginFlow(pool, { kind: 'oauth', challenge, oauth }, now())
  return reply
    .header('set-cookie', cookie(browser, providerUrl.startsWith('https:')))
    .redirect(provider.dialogUrl({ state, scopes: readScopes(query.scopes) }), 302)
}

/** Takes somebody back from the other site, with a code for the app or with what went wrong. */
async function finish(
  dependencies: OAuthDependencies,
  request: AppRequest,
  reply: AppReply,
  given: unknown,
): Promise<AppReply> {
  const { pool, providers, now } = dependencies
  const { state, code, error } = (given ?? {}) as Record<string, unknown>
  const found = await findOpenFlow(pool, state, now())
  const provider = found.outcome === 'open' ? providers.get(found.flow.provider ?? '') : undefined
  if (found.outcome !== 'open' || provider === undefined || !isFromBrowser(request, provider, found.flow)) {
    return reply.redirect(withRefusal(`${dependencies.publicUrl}/auth-callback`, stateRefusal(found)), 302)
  }
  const { id, redirectTo } = found.flow
  try {
    const isFirst = await takeAnswer(pool, id, now())
    const answer = { flowId: id, correlationId: request.id, code, error }
    const result = isFirst ? await signIn(dependencies, provider, answer) : refusals.alreadyUsed
    if ('error' in result) return reply.redirect(withRefusal(redirectTo, result), 302)
    return reply.redirect(withQuery(redirectTo, { code: result.authCode }), 302)
  } catch (cause) {
    // Somebody looks at this in a browser: the app has words for it, and a way back.
    if (isUnavailability(cause)) request.log.warn({ err: cause }, 'a sign-in at another site failed')
    else request.log.error({ err: cause }, 'a sign-in at another site failed by a bug')
    return reply.redirect(withRefusal(redirectTo, refusals.unexpected), 302)
  }
}

async function signIn(
  { pool, publicUrl, switches, now, onAppended }: OAuthDependencies,
  provider: OAuthProvider,
  {
    flowId,
    correlationId,
    code,
    error,
  }: {
    readonly flowId: string
    readonly correlationId: string
    readonly code: unknown
    readonly error: unknown
  },
): Promise<Refusal | { readonly authCode: string }> {
  if (error === 'access_denied') return refusals.cancelled
  if (error !== undefined) return refusals.refusedThere
  if (typeof code !== 'string' || code === '') return refusals.codeMissing
  const profile = await provider.fetchProfile(code)
  const result = await signInElsewhere(pool, {
    provider,
    profile,
    publicUrl,
    isSignUpDisabled: switches.isSignUpDisabled,
    now: now(),
    correlationId,
    issueCode: (transaction, userId) => issueAuthCode(transaction, flowId, userId, now()),
  })
  switch (result.outcome) {
    case 'signed-in':
      if (result.isNew) onAppended()
      return { authCode: result.code }
    case 'banned':
      return refusals.banned
    case 'sign-up-disabled':
      return refusals.signUpDisabled
    case 'email-missing':
      return refusals.emailMissing
    case 'not-allowed':
      return refusals.notAllowed
    case 'unlinked':
      return refusals.unlinked
    case 'unusable':
      return refusals.unusable
    default:
      return result satisfies never
  }
}

/** What the app is told instead of a code: OAuth's kind of error, the protocol's code, and a sentence for the person. */
interface Refusal {
  readonly error: 'access_denied' | 'invalid_request' | 'server_error'
  readonly code: string
  readonly description: string
}

const refusals = {
  unknownState: {
    error: 'invalid_request',
    code: 'bad_oauth_state',
    description: 'OAuth state not found or expired',
  },
  alreadyUsed: {
    error: 'invalid_request',
    code: 'flow_state_already_used',
    description: 'OAuth state has already been used',
  },
  codeMissing: {
    error: 'invalid_request',
    code: 'bad_oauth_callback',
    description: 'OAuth callback with missing authorization code missing',
  },
  cancelled: { error: 'access_denied', code: 'access_denied', description: 'You cancelled the sign-in with Facebook' },
  refusedThere: { error: 'server_error', code: 'unexpected_failure', description: 'Facebook refused the sign-in' },
  signUpDisabled: {
    error: 'access_denied',
    code: 'signup_disabled',
    description: 'Signups not allowed for this instance',
  },
  banned: { error: 'access_denied', code: 'user_banned', description: 'User is banned' },
  emailMissing: {
    error: 'access_denied',
    code: 'provider_email_needs_verification',
    description:
      'Error getting user email from external provider: your Facebook account shares no email address with us. Please register with an email address instead.',
  },
  unlinked: {
    error: 'access_denied',
    code: 'access_denied',
    description:
      'This Facebook account was disconnected from the account with its address. Sign in with your password.',
  },
  unusable: {
    error: 'access_denied',
    code: 'user_not_found',
    description: 'This account was deleted. Its address can be used again once everything of it is erased.',
  },
  notAllowed: {
    error: 'access_denied',
    code: 'access_denied',
    description: 'Administrators cannot sign in by the stand-in for Facebook',
  },
  unexpected: {
    error: 'server_error',
    code: 'unexpected_failure',
    description: 'Error getting user profile from external provider. Please try again.',
  },
} as const satisfies Record<string, Refusal>

function stateRefusal(found: FlowLookup): Refusal {
  return found.outcome === 'already-used' ? refusals.alreadyUsed : refusals.unknownState
}

/** As the protocol has it: in the query and, for clients that read that, once more behind the `#`. */
function withRefusal(redirectTo: string, { error, code, description }: Refusal): string {
  const parameters = { error, error_code: code, error_description: description }
  const url = new URL(withQuery(redirectTo, parameters))
  url.hash = new URLSearchParams({ ...parameters, sb: '' }).toString()
  return url.href
}

function withQuery(redirectTo: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(redirectTo)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** Separated by commas or spaces; `email` is always among them. */
function readScopes(given: unknown): readonly string[] {
  const wished = typeof given === 'string' ? given.split(/[\s,]+/) : []
  return [...new Set(['email', ...wished.filter((scope) => /^[a-z_]{1,64}$/.test(scope))])].slice(0, SCOPES_MAX)
}

/**
 * Whether the answer comes by the browser that began: nobody can be made to finish what somebody else began. The
 * stand-in's form is on our own page.
 */
function isFromBrowser(request: AppRequest, provider: OAuthProvider, flow: { readonly browserHash: string | null }) {
  if (provider.isStandIn) return true
  const given = cookieOf(request)
  if (given === null || flow.browserHash === null) return false
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(flow.browserHash))
}

function cookieOf(request: AppRequest): string | null {
  const cookies = request.headers.cookie?.split(/; */) ?? []
  const value = cookies.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : null
}

/** For all sign-ins of a browser at once, so that two tabs do not get in each other's way. */
function cookie(value: string, isHttps: boolean): string {
  const attributes = `Path=/auth/v1; Max-Age=${COOKIE_TTL_S}; HttpOnly; SameSite=Lax`
  return `${COOKIE}=${value}; ${attributes}${isHttps ? '; Secure' : ''}`
}

/** Other sites answer with forms, and pages of ours without script do. */
function acceptForms(scope: App): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
}
