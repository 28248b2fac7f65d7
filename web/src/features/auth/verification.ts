import { ApiError, isApiError } from '../../api/api-error.ts'
import type { Landing } from '../../lib/landing.ts'
import type { AuthProvider, LinkKind } from '../../session/auth-provider.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { confirmAddress } from './api.ts'
import { isProviderError } from './reasons.ts'

/** What became of a link: a session, a verified address whose owner has to sign in, or why not. */
export type Verification =
  | { readonly outcome: 'signed-in' }
  | { readonly outcome: 'requires-sign-in' }
  | { readonly outcome: 'failed'; readonly reason: 'noProfile' | 'failed' | 'unable' | 'unexpected' | 'missing' }
  | { readonly outcome: 'failed'; readonly message: string }

/** Verifies an address by what came in the link: the tokens of a sign-up, else a code, else the token of a mail. */
export async function verifyByLanding(landing: Landing, session: Session): Promise<Verification> {
  const parameter = (name: string) => landing.hash.get(name) ?? landing.query.get(name)
  const type = parameter('type')
  const accessToken = parameter('access_token')
  const refreshToken = parameter('refresh_token')
  const code = landing.query.get('code')
  const tokenHash = landing.query.get('token_hash')
  const token = landing.query.get('token')
  const error = parameter('error_description') ?? parameter('error')
  try {
    if (type === 'signup' && accessToken && refreshToken) {
      return await signIn(session, (provider) => provider.acceptSession({ accessToken, refreshToken }))
    }
    if (code) return await verifyByCode(code, session)
    if (tokenHash) {
      const kind: LinkKind = type === 'email_change' ? 'email_change' : 'signup'
      return await signIn(session, (provider) => provider.verifyLink(kind, tokenHash))
    }
    if (token) {
      await confirmAddress({ token })
      return { outcome: 'requires-sign-in' }
    }
    return error ? { outcome: 'failed', message: error } : { outcome: 'failed', reason: 'missing' }
  } catch (failure) {
    return failed(failure)
  }
}

async function signIn(session: Session, open: (provider: AuthProvider) => Promise<string>): Promise<Verification> {
  let isVerified = false
  try {
    const isIn = await session.signInThrough(async (provider) => {
      const token = await open(provider)
      isVerified = true
      return token
    })
    return { outcome: isIn ? 'signed-in' : 'requires-sign-in' }
  } catch (failure) {
    // The page that this leads to asks for it.
    if (isApiError(failure, 'second-factor-required')) return { outcome: 'requires-sign-in' }
    if (isVerified) return { outcome: 'failed', reason: 'noProfile' }
    throw failure
  }
}

async function verifyByCode(code: string, session: Session): Promise<Verification> {
  try {
    return await signIn(session, (provider) => provider.exchangeCode(code))
  } catch (failure) {
    // The mail was opened in another browser than the one that registered, which alone can sign in by it.
    if (!isProviderError(failure, 'pkce_code_verifier_not_found')) throw failure
    await confirmAddress({ code })
    return { outcome: 'requires-sign-in' }
  }
}

function failed(failure: unknown): Verification {
  const isUnreachable =
    isProviderError(failure, 'unreachable') ||
    (failure instanceof ApiError && (failure.status === 0 || failure.status >= 500))
  if (isUnreachable) return { outcome: 'failed', reason: 'unable' }
  if (failure instanceof ProviderError && failure.message) return { outcome: 'failed', message: failure.shown }
  if (failure instanceof ApiError && failure.code) return { outcome: 'failed', message: failure.shown }
  if (failure instanceof ApiError || failure instanceof ProviderError) return { outcome: 'failed', reason: 'failed' }
  return { outcome: 'failed', reason: 'unexpected' }
}
