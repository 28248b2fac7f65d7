import { errorCatalogue } from '@wangian/contracts/errors.ts'
import type { Executor } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type Account, findAccount } from '../store.ts'

/**
 * The account of a caller, as it is now: tokens are older.
 * @throws Rejection('invalid-token') when there is none any more; Rejection('account-suspended') when it is banned
 */
export async function getActiveAccount(executor: Executor, userId: number): Promise<Account> {
  const account = await findAccount(executor, userId)
  if (account === null) throw new Rejection('invalid-token', errorCatalogue['authentication-required'].message)
  if (account.isBanned) throw new Rejection('account-suspended')
  return account
}
