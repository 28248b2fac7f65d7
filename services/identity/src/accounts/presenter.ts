import type { CurrentUser } from '@wangian/contracts/identity.ts'
import type { Executor } from '@wangian/kit/database/postgres.ts'
import type { Caller } from '@wangian/kit/http/auth.ts'
import type { AuthProvider } from '../sessions/auth-provider.ts'
import { findLiveSession } from '../sessions/session-store.ts'
import type { Account } from '../store.ts'
import { getActiveAccount } from './active-account.ts'

type Provider = Pick<AuthProvider, 'kind' | 'isFactorRequired'>

/** A person as only they themselves see it. @param hasShownFactor whether a second factor was shown in their session */
export function currentUser(account: Account, provider: Provider, hasShownFactor: boolean): CurrentUser {
  const { userId, emailConfirmedAt, hasPassword, language, ...rest } = account
  const isAdmin = isAdministrator(account, provider, hasShownFactor)
  return {
    ...rest,
    id: userId,
    isAdmin,
    needsSecondFactor: account.isAdmin && !isAdmin,
    isVerified: emailConfirmedAt !== null,
    hasPassword: provider.kind === 'hosted' ? null : hasPassword,
  }
}

/** The caller as they are now: tokens are older. @throws Rejection as `getActiveAccount` does */
export async function currentUserOf(
  { pool, authProvider }: { readonly pool: Executor; readonly authProvider: Provider },
  caller: Pick<Caller, 'id' | 'sessionId'>,
): Promise<CurrentUser> {
  const account = await getActiveAccount(pool, caller.id)
  const session = await findLiveSession(pool, caller.sessionId, caller.id)
  return currentUser(account, authProvider, session !== null && session.factorAt !== null)
}

/** Whether somebody may administer in their session. */
function isAdministrator(
  { isAdmin }: Pick<Account, 'isAdmin'>,
  { isFactorRequired }: Provider,
  hasShownFactor: boolean,
): boolean {
  return isAdmin && (hasShownFactor || !isFactorRequired)
}
