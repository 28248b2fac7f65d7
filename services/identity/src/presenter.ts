import type { CurrentUser } from '@wangian/contracts/identity.ts'
import type { Account } from './store.ts'

/** A person as only they themselves see it. */
export function currentUser(account: Account): CurrentUser {
  const { userId, emailConfirmedAt, ...rest } = account
  return { ...rest, id: userId, isVerified: emailConfirmedAt !== null }
}
