import type { CurrentUser } from '@wangian/contracts/identity.ts'
import type { AuthProvider } from '../sessions/auth-provider.ts'
import type { Account } from '../store.ts'

/** A person as only they themselves see it. */
export function currentUser(account: Account, { kind }: Pick<AuthProvider, 'kind'>): CurrentUser {
  const { userId, emailConfirmedAt, hasPassword, ...rest } = account
  const isVerified = emailConfirmedAt !== null
  return { ...rest, id: userId, isVerified, hasPassword: kind === 'hosted' ? null : hasPassword }
}
