import { accountRoutes } from '@wangian/contracts/account.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { getActiveAccount } from './active-account.ts'
import { closeAccount } from './closing.ts'
import { type PasswordDependencies, requireCurrentPassword } from './password-routes.ts'
import { findLiveSession } from './session-store.ts'
import { findPasswordHash } from './store.ts'

/** How long ago somebody without a password may have signed in. */
const SIGN_IN_RECENT_MS = 10 * 60 * 1000

/** Leaving. */
export function addClosingRoutes(app: App, dependencies: PasswordDependencies): void {
  const { pool, now, onAppended } = dependencies

  handle(app, accountRoutes.closeAccount, async ({ params, body, user, request }) => {
    requireSelf(user, params.userId)
    const account = await getActiveAccount(pool, user.id)
    const hasPassword = (await findPasswordHash(pool, user.id)) !== null
    const passwordHash = hasPassword
      ? await requireCurrentPassword(dependencies, user.id, body?.currentPassword ?? '')
      : await requireRecentSignIn(pool, user, now())
    await closeAccount(pool, { account, passwordHash, now: now(), correlationId: request.id })
    onAppended()
    return { status: 200, body: { success: true } }
  })
}

/** For people who sign in elsewhere: they have no password here to ask for. */
async function requireRecentSignIn(
  pool: DatabasePool,
  { id, sessionId }: { readonly id: number; readonly sessionId: string },
  now: Date,
): Promise<null> {
  const session = await findLiveSession(pool, sessionId, id)
  if (session === null || now.getTime() - Date.parse(session.authenticatedAt) > SIGN_IN_RECENT_MS) {
    throw new Rejection('recent-sign-in-required')
  }
  return null
}
