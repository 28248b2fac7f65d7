import { accountRoutes } from '@wangian/contracts/account.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { createSharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { addClosingRoutes } from '../leaving/closing-routes.ts'
import { addLanguageRoutes } from '../mails/language-routes.ts'
import { addNotificationRoutes } from '../mails/notification-routes.ts'
import { redeemMailedToken } from '../mails/token-redemption.ts'
import { sha256 } from '../oauth/flow-state.ts'
import { findFlowByCode } from '../oauth/flow-state-store.ts'
import type { Redirects } from '../oauth/redirects.ts'
import { addPasswordRoutes, requireCurrentPassword, requireStillProven } from '../passwords/password-routes.ts'
import { createDailyMailLimit } from '../provider/provider-limits.ts'
import { type AuthProvider, requireEmbedded } from '../sessions/auth-provider.ts'
import { findAccount } from '../store.ts'
import { getActiveAccount } from './active-account.ts'
import { currentUserOf } from './presenter.ts'
import { changedFields, changeProfile } from './profile.ts'
import { addPictureRoutes } from './profile-pictures.ts'
import { isAliasDomain } from './sign-in-alias.ts'

const MINUTE_MS = 60 * 1000
const PASSWORD_TRIES_MAX = 5
const PASSWORD_TRIES_WINDOW_MS = 15 * MINUTE_MS
/** Each is kept in the log for ever. */
const CHANGES_PER_HOUR_MAX = 60
/** To one address, whoever asks. */
const EMAIL_CHANGES_MAX = 3
const EMAIL_CHANGES_WINDOW_MS = 60 * MINUTE_MS
const VERIFICATIONS_PER_MINUTE_MAX = 30
const PASSWORD_NEEDED = 'Enter your current password to change your email address'
const PASSWORD_MISSING = 'Set a password first: “Forgot password?” on the sign-in page sends you a mail.'
const mailedKinds = ['signup', 'email_change'] as const

export interface AccountDependencies {
  readonly pool: DatabasePool
  readonly authProvider: AuthProvider
  readonly files: PictureFiles
  readonly publicUrl: string
  readonly redirects: Redirects
  readonly now: () => Date
  /** Called after something was added to the log, or a mail was queued. */
  readonly onAppended: () => void
}

/** What people change of themselves. */
export function addAccountRoutes(app: App, dependencies: AccountDependencies): void {
  const { pool, authProvider, now, onAppended } = dependencies
  const counting = { pool, rateLimitFactor: app.rateLimitFactor }
  const passwordTries = createSharedRateLimiter(counting, {
    name: 'passwords',
    limit: PASSWORD_TRIES_MAX,
    windowMs: PASSWORD_TRIES_WINDOW_MS,
    isExact: true,
  })
  const verifications = createSharedRateLimiter(counting, {
    name: 'verifications',
    limit: VERIFICATIONS_PER_MINUTE_MAX,
    windowMs: MINUTE_MS,
  })
  const changes = createRateLimiter(app, { limit: CHANGES_PER_HOUR_MAX, windowMs: 60 * MINUTE_MS })
  const emailChanges = createSharedRateLimiter(counting, {
    name: 'email changes',
    limit: EMAIL_CHANGES_MAX,
    windowMs: EMAIL_CHANGES_WINDOW_MS,
  })
  const mailsByDay = createDailyMailLimit(counting)

  handle(app, accountRoutes.updateUser, async ({ params, body, user, request }) => {
    requireSelf(user, params.userId)
    requireSelf(user, body.userId)
    changes.take(user.id)
    const account = await getActiveAccount(pool, user.id)
    const newEmail = body.email === undefined || body.email === account.email ? null : body.email
    let within: ((transaction: Transaction) => Promise<void>) | undefined
    if (newEmail !== null) {
      requireEmbedded(authProvider)
      if (isAliasDomain(newEmail)) throw new Rejection('bad-request', 'Please enter a valid email address')
      if (!body.currentPassword) {
        throw new Rejection('bad-request', account.hasPassword ? PASSWORD_NEEDED : PASSWORD_MISSING)
      }
      const checked = await requireCurrentPassword({ pool, passwordTries }, user, body.currentPassword)
      within = (transaction) => requireStillProven(transaction, user, checked)
      await emailChanges.take(newEmail)
      await mailsByDay.take(`email_change ${newEmail}`)
    }
    await changeProfile(pool, dependencies, {
      account,
      fields: changedFields(account, body),
      newEmail,
      now: now(),
      correlationId: request.id,
      within,
    })
    onAppended()
    return { status: 200, body: await currentUserOf({ pool, authProvider }, user) }
  })

  handle(app, accountRoutes.verifyEmail, async ({ query, request }) => {
    await verifications.take(addressKey(request.ip))
    if (!(await isProven(pool, query, now(), request.id))) throw new Rejection('invalid-verification-link')
    onAppended()
    return { status: 200, body: { requiresSignIn: true } }
  })

  addPasswordRoutes(app, { ...dependencies, passwordTries })
  addClosingRoutes(app, { ...dependencies, passwordTries })
  addNotificationRoutes(app, dependencies)
  addLanguageRoutes(app, dependencies)
  addPictureRoutes(app, dependencies)
}

/**
 * Whether what a link carries proves an address, which then is confirmed. A token proves it as often as it is shown until it
 * expires; a code was given to whoever opened such a link, so the address is confirmed already, and only the client that
 * began has what it takes to exchange it.
 */
async function isProven(
  pool: DatabasePool,
  { code, token }: { readonly code?: string | undefined; readonly token?: string | undefined },
  now: Date,
  correlationId: string,
): Promise<boolean> {
  if (code !== undefined) {
    const flow = await findFlowByCode(pool, sha256(code))
    const account = flow === null || flow.userId === null ? null : await findAccount(pool, flow.userId)
    return account !== null && !account.isBanned && account.emailConfirmedAt !== null
  }
  if (token === undefined) return false
  for (const kind of mailedKinds) {
    const redeem = () => redeemMailedToken(pool, { kind, token }, { now, correlationId })
    let { outcome } = await redeem()
    // Somebody may have been faster, at this very moment; then it is a used one by now.
    if (outcome === 'invalid') ({ outcome } = await redeem())
    if (outcome === 'redeemed' || outcome === 'already-used') return true
  }
  return false
}
