import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { findAccount } from '../store.ts'
import { userIdOfAlias } from './sign-in-alias.ts'

/**
 * The address behind what somebody signs in with, for mails and codes: whoever gave a username has only its alias. What is
 * no alias of anybody stays as it is.
 */
export async function addressBehind(pool: DatabasePool, login: string): Promise<string> {
  const userId = userIdOfAlias(login)
  const account = userId === null ? null : await findAccount(pool, userId)
  return account?.email ?? login
}
