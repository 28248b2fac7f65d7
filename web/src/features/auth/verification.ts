import { ApiError, isApiError } from '../../api/api-error.ts'
import type { Landing } from '../../lib/landing.ts'
import type { LinkKind, LinkProof } from '../../session/auth-provider.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { confirmAddress } from './api.ts'
import { forgetBegun, wasBegun } from './begun.ts'
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
      return await verifyByLink(session, 'signup', { kind: 'session', accessToken, refreshToken })
    }
    if (code) return await verifyByCode(code, session)
    if (tokenHash) {
      const kind = type === 'email_change' ? 'email_change' : 'signup'
      return await verifyByLink(session, kind, { kind: 'link', tokenHash })
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

/**
 * The address is verified then, wherever the link was opened. Its person is signed in where they are already, or where they have signed up and
 * nobody else is: others would find themselves in an account that belongs to whoever sent them the link.
 */
async function verifyByLink(session: Session, kind: LinkKind, proof: LinkProof): Promise<Verification> {
  const link = await (await session.provider()).openLink(kind, proof)
  const isSignedIn = (await session.knownUser()) !== null
  // A code says so by itself. Not by the mail for a new address: whoever asked for it may have named that of somebody who signs up here.
  const wasAskedFor = proof.kind === 'code' || (kind === 'signup' && wasBegun('sign-up', link.email))
  if (!link.isOwn && (isSignedIn || !wasAskedFor)) {
    await link.drop()
    return { outcome: isSignedIn ? 'signed-in' : 'requires-sign-in' }
  }
  forgetBegun('sign-up')
  return await signIn(session, () => link.accept())
}

async function signIn(session: Session, open: () => Promise<string>): Promise<Verification> {
  try {
    const isIn = await session.signInThrough(open)
    return { outcome: isIn ? 'signed-in' : 'requires-sign-in' }
  } catch (failure) {
    // The page that this leads to asks for it.
    if (isApiError(failure, 'second-factor-required')) return { outcome: 'requires-sign-in' }
    return { outcome: 'failed', reason: 'noProfile' }
  }
}

async function verifyByCode(code: string, session: Session): Promise<Verification> {
  try {
    return await verifyByLink(session, 'signup', { kind: 'code', code })
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
