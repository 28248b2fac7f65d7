import { accountRoutes } from '@wangian/contracts/account.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Caller } from '@wangian/kit/http/auth.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { createSharedRateLimiter, type SharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { getActiveAccount } from '../accounts/active-account.ts'
import { hasPasswordHash } from '../accounts/person-store.ts'
import { hasVerifiedFactor } from '../factors/factor-store.ts'
import { findOneTimeToken } from '../mails/one-time-token.ts'
import { applyMailedToken, TokenIsGone } from '../mails/token-redemption.ts'
import { type AuthProvider, requireEmbedded } from '../sessions/auth-provider.ts'
import { findLiveSession, isSessionLive } from '../sessions/session-store.ts'
import { type Account, findAccount, findPasswordHash } from '../store.ts'
import { changePassword } from './password-change.ts'
import { hashPassword, isCommonPassword, verifyPassword } from './passwords.ts'

const HOUR_MS = 60 * 60 * 1000
const RESETS_PER_HOUR_MAX = 5
/** What the provider's protocol takes. */
const PASSWORD_BYTES_MAX = 72

export interface PasswordDependencies {
  readonly pool: DatabasePool
  readonly authProvider: AuthProvider
  readonly publicUrl: string
  readonly now: () => Date
  /** Called after something was added to the log. */
  readonly onAppended: () => void
  /** Counts, by user, whatever asks for the current password. */
  readonly passwordTries: SharedRateLimiter
}

export function addPasswordRoutes(app: App, dependencies: PasswordDependencies): void {
  const { pool, authProvider, now, onAppended } = dependencies
  const resets = createSharedRateLimiter(
    { pool, rateLimitFactor: app.rateLimitFactor },
    { name: 'resets', limit: RESETS_PER_HOUR_MAX, windowMs: HOUR_MS, isExact: true },
  )

  handle(app, accountRoutes.changePassword, async ({ body, user, request }) => {
    const account = await getActiveAccount(pool, user.id)
    requireEmbedded(authProvider)
    refuseWeakPassword(body.newPassword)
    const checked = await requireCurrentPassword(dependencies, user, body.currentPassword)
    if (body.newPassword === body.currentPassword) {
      throw new Rejection('bad-request', 'New password should be different from the old password.')
    }
    await changePassword(dependencies, {
      account,
      passwordHash: await hashPassword(body.newPassword),
      keptSessionId: user.sessionId,
      now: now(),
      correlationId: request.id,
      within: (transaction) => requireStillProven(transaction, user, checked),
    })
    onAppended()
    return { status: 200, body: { success: true } }
  })

  handle(app, accountRoutes.updatePassword, async ({ body, request }) => {
    await resets.take(addressKey(request.ip))
    requireEmbedded(authProvider)
    refuseWeakPassword(body.password)
    const account = await resetPassword(dependencies, body, request.id)
    if (account === null) throw new Rejection('invalid-reset-token')
    onAppended()
    return { status: 200, body: { success: true } }
  })
}

/** @returns whose password it was; `null` when the token cannot be used, whatever the cause */
async function resetPassword(
  dependencies: PasswordDependencies,
  reset: { readonly token: string; readonly password: string },
  correlationId: string,
): Promise<Account | null> {
  const { pool } = dependencies
  const now = dependencies.now()
  const token = await findOneTimeToken(pool, { kind: 'recovery', token: reset.token }, now)
  const account = token && (await findAccount(pool, token.userId))
  // A token proves who reads the address that it was mailed to, and nothing once the account has another one.
  if (!token || !account || account.isBanned || account.isClaimant || account.email !== token.email) return null
  // Nothing asks for it here; the provider's own way does.
  if (await hasVerifiedFactor(pool, account.userId)) throw new Rejection('second-factor-required')
  const passwordHash = await hashPassword(reset.password)
  const within = (transaction: Transaction) => applyMailedToken(transaction, account, token, now)
  try {
    await changePassword(dependencies, { account, passwordHash, provesAddress: true, now, correlationId, within })
    return account
  } catch (error) {
    if (error instanceof TokenIsGone) return null
    // The account has just been banned or closed.
    if (error instanceof Rejection && ['account-suspended', 'not-found'].includes(error.code)) return null
    throw error
  }
}

/**
 * Whoever found an open browser must not be able to take the account over, nor may whoever knows the password without the second factor.
 * @returns the hash that the password was checked against
 * @throws Rejection('rate-limited'); Rejection('wrong-password'); Rejection('second-factor-required')
 */
export async function requireCurrentPassword(
  { pool, passwordTries }: Pick<PasswordDependencies, 'pool' | 'passwordTries'>,
  { id: userId, sessionId }: Pick<Caller, 'id' | 'sessionId'>,
  password: string,
): Promise<string> {
  // Counted before the password is looked at, or many at once would all be let through.
  await passwordTries.take(userId)
  const passwordHash = await findPasswordHash(pool, userId)
  const isRight = await verifyPassword(passwordHash, password)
  if (!isRight || passwordHash === null) throw new Rejection('wrong-password')
  const session = await findLiveSession(pool, sessionId, userId)
  if (session?.factorAt == null && (await hasVerifiedFactor(pool, userId)))
    throw new Rejection('second-factor-required')
  return passwordHash
}

/**
 * The same in the transaction that changes something, with the person locked: of several at once that knew the same password, one
 * may have changed it, or ended the session of the other.
 * @param checked from {@link requireCurrentPassword}
 */
export async function requireStillProven(
  transaction: Transaction,
  { id: userId, sessionId }: Pick<Caller, 'id' | 'sessionId'>,
  checked: string,
): Promise<void> {
  if (!(await isSessionLive(transaction, sessionId))) throw new Rejection('invalid-token')
  if (!(await hasPasswordHash(transaction, userId, checked))) throw new Rejection('wrong-password')
}

/** @throws Rejection('bad-request') for what is too long, or among the first that anybody tries */
function refuseWeakPassword(password: string): void {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw new Rejection('bad-request', `Password must be at most ${PASSWORD_BYTES_MAX} characters`)
  }
  if (isCommonPassword(password)) {
    throw new Rejection('bad-request', 'Password is known to be weak and easy to guess, please choose a different one.')
  }
}
