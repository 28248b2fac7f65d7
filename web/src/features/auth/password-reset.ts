import { z } from 'zod'
import { ApiError } from '../../api/api-error.ts'
import type { Landing } from '../../lib/landing.ts'
import { payloadOf } from '../../lib/token-payload.ts'
import { type PasswordReset, ProviderError, type ResetProof } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { updatePassword } from './api.ts'
import { isProviderError } from './reasons.ts'

/** What the page was opened with; `legacy` is the token of an older link, which our own server redeems. */
export type Proof = ResetProof | { readonly kind: 'legacy'; readonly token: string }

export function proofOf({ hash, query }: Landing): Proof | null {
  const parameter = (name: string) => hash.get(name) ?? query.get(name)
  const accessToken = parameter('access_token')
  const refreshToken = parameter('refresh_token')
  if (parameter('type') === 'recovery' && accessToken && refreshToken) {
    return { kind: 'session', accessToken, refreshToken }
  }
  const code = query.get('code')
  if (code) return { kind: 'code', code }
  const tokenHash = query.get('token_hash')
  if (tokenHash) return { kind: 'link', tokenHash }
  const token = query.get('token')
  return token ? { kind: 'legacy', token } : null
}

/** What the form for the code of a mail hands over, see `ResetCode`. */
const HandedOver = z.object({ email: z.string(), digits: z.string() })

/** What the page was led to with from within the app. */
export function proofOfCode(state: unknown): Proof | null {
  const { data } = HandedOver.safeParse(state)
  return data ? { kind: 'digits', ...data } : null
}

/** The address whose password it is for, as far as the proof says so itself; the provider looks at it when it is used. */
export function accountOf(proof: Proof | null): string | null {
  switch (proof?.kind) {
    case 'digits':
      return proof.email
    case 'session':
      return WithAddress.safeParse(payloadOf(proof.accessToken)).data?.email ?? null
    default:
      return null
  }
}

const WithAddress = z.object({ email: z.string() })

/** Why the provider led here without anything to go on with, if it said so. */
export function refusalOf({ hash, query }: Landing): string | null {
  return hash.get('error_description') ?? query.get('error_description') ?? hash.get('error') ?? query.get('error')
}

export async function openReset(proof: Proof, session: Session): Promise<PasswordReset> {
  if (proof.kind === 'legacy') {
    return {
      async setPassword(password) {
        await updatePassword(proof.token, password)
        // Our server does not say whose it was.
        return true
      },
    }
  }
  return await (await session.provider()).openReset(proof)
}

/** What to tell of a failed reset: the provider's words on the password itself, or words around a reason, or our own. */
export type ResetFailure =
  | { readonly kind: 'password'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'serverFailed' | 'unexpected' }

export function failureOf(error: unknown): ResetFailure {
  if (isProviderError(error, 'weak_password', 'same_password')) return { kind: 'password', message: error.shown }
  if (isProviderError(error, 'unreachable')) return { kind: 'serverFailed' }
  if (error instanceof ProviderError && error.message) return { kind: 'failed', message: asReason(error.shown) }
  if (error instanceof ApiError) {
    const isOurs = error.code !== undefined && error.status < 500 && error.status > 0
    return isOurs ? { kind: 'failed', message: asReason(error.shown) } : { kind: 'serverFailed' }
  }
  return { kind: 'unexpected' }
}

/** Without its full stop: more follows. */
function asReason(sentence: string): string {
  return sentence.replace(/\.$/, '')
}
