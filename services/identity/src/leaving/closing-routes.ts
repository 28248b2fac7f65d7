import { accountRoutes } from '@wangian/contracts/account.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { getActiveAccount } from '../accounts/active-account.ts'
import { type PasswordDependencies, requireCurrentPassword } from '../passwords/password-routes.ts'
import type { HostedProvider } from '../sessions/auth-provider.ts'
import { findLiveSession } from '../sessions/session-store.ts'
import type { Account } from '../store.ts'
import { closeAccount } from './closing.ts'

/** How long ago somebody without a password may have signed in. */
const SIGN_IN_RECENT_MS = 10 * 60 * 1000

/** Leaving. */
export function addClosingRoutes(app: App, dependencies: PasswordDependencies): void {
  const { pool, authProvider, now, onAppended, passwordTries } = dependencies

  handle(app, accountRoutes.closeAccount, async ({ params, body, user, request }) => {
    requireSelf(user, params.userId)
    const account = await getActiveAccount(pool, user.id)
    const password = body?.currentPassword ?? ''
    const hasPassword = authProvider.kind === 'embedded' && account.hasPassword
    let passwordHash: string | null = null
    if (hasPassword) passwordHash = await requireCurrentPassword(dependencies, user, password)
    else if (authProvider.kind === 'hosted' && password !== '')
      await requireHostedPassword(authProvider, account, password)
    else await requireRecentSignIn(pool, user, now())
    await closeAccount(pool, { account, passwordHash, now: now(), correlationId: request.id })
    onAppended()
    return { status: 200, body: { success: true } }
  })

  async function requireHostedPassword(provider: HostedProvider, account: Account, password: string): Promise<void> {
    // Counted before anybody is asked, or many at once would all be let through.
    await passwordTries.take(account.userId)
    if (!(await provider.isPassword(account, password))) throw new Rejection('wrong-password')
  }
}

/** For people who sign in elsewhere: they have no password here to ask for. */
async function requireRecentSignIn(
  pool: DatabasePool,
  { id, sessionId }: { readonly id: number; readonly sessionId: string },
  now: Date,
): Promise<void> {
  const session = await findLiveSession(pool, sessionId, id)
  if (session === null || now.getTime() - Date.parse(session.authenticatedAt) > SIGN_IN_RECENT_MS) {
    throw new Rejection('recent-sign-in-required')
  }
}
