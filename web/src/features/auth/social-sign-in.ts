import { ApiError } from '../../api/api-error.ts'
import type { Landing } from '../../lib/landing.ts'
import { type AuthProvider, ProviderError } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { syncSocialPerson } from './api.ts'
import { forgetBegun, wasBegun } from './begun.ts'
import { reasonOf } from './reasons.ts'

/** Which step failed, and why. */
export interface SocialFailure {
  readonly kind: 'failed' | 'nothing' | 'notBegun' | 'noSession' | 'noUser' | 'noSync' | 'unexpected'
  readonly reason: string
}

class StepFailure extends Error {
  readonly kind: SocialFailure['kind']

  constructor(kind: SocialFailure['kind'], reason: string, cause?: unknown) {
    super(reason, { cause })
    this.kind = kind
  }
}

/**
 * Signs in whoever comes back from another provider: with tokens in the hash, or with a code, which only the browser can use that has left for it.
 * Tokens can be anybody's: they count where somebody has left, and nobody has come in since.
 * @param onSession called when the provider has opened the session @returns what failed, or `null`
 */
export async function finishSocialSignIn(
  landing: Landing,
  session: Session,
  onSession: () => void,
): Promise<SocialFailure | null> {
  // After a reload: what came in the address has been used, and let them in.
  if (landing.hash.size + landing.query.size === 0 && (await session.knownUser()) !== null) return null
  let isOpen = false
  const mayTakeTokens = wasBegun('social') && (await session.knownUser()) === null
  forgetBegun('social')
  try {
    const isIn = await session.signInThrough(async (provider) => {
      const token = await step('noSession', () => openSession(landing, { provider, mayTakeTokens }))
      isOpen = true
      onSession()
      const person = await step('noUser', () => provider.socialPerson())
      await step('noSync', () => syncSocialPerson(person, token))
      return token
    })
    return isIn ? null : { kind: 'nothing', reason: '' }
  } catch (error) {
    if (error instanceof StepFailure) return { kind: error.kind, reason: error.message }
    // Before that, it was the provider itself that could not be found.
    const kind = error instanceof ApiError ? (isOpen ? 'noSync' : 'noSession') : 'unexpected'
    return { kind, reason: reasonOf(error, error instanceof Error ? error.message : String(error)) }
  }
}

async function openSession(
  { hash, query }: Landing,
  { provider, mayTakeTokens }: { readonly provider: AuthProvider; readonly mayTakeTokens: boolean },
): Promise<string> {
  const accessToken = hash.get('access_token')
  if (accessToken && !mayTakeTokens) throw new StepFailure('notBegun', '')
  if (accessToken) return await provider.acceptSession({ accessToken, refreshToken: hash.get('refresh_token') ?? '' })
  const code = query.get('code')
  if (code) return await provider.exchangeCode(code)
  const error = query.get('error') ?? hash.get('error')
  if (!error) throw new StepFailure('nothing', '')
  throw new StepFailure('failed', query.get('error_description') ?? hash.get('error_description') ?? error)
}

async function step<Result>(kind: SocialFailure['kind'], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderError || error instanceof ApiError) {
      throw new StepFailure(kind, reasonOf(error, ''), error)
    }
    throw error
  }
}
