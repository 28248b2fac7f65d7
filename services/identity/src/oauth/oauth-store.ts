import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const UserIdRow = z.object({ userId: z.number() })

/** Whom somebody of another site is here. */
export function findUserIdByIdentity(
  executor: Executor,
  identity: { readonly provider: string; readonly subject: string },
): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(UserIdRow)`
    select user_id as "userId" from identities where provider = ${identity.provider} and subject = ${identity.subject}`)
}

/** @returns whether the address was not confirmed before */
export async function confirmEmail(transaction: Transaction, userId: number, at: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update people set email_confirmed_at = ${at}, updated_at = ${at}
     where user_id = ${userId} and email_confirmed_at is null`)
  return rowCount === 1
}

/** Remembers whose it was: that person is not let in by it again. */
export async function deleteIdentity(transaction: Transaction, identityId: string): Promise<void> {
  await transaction.query(sql.unsafe`
    with unlinked as (delete from identities where id = ${identityId} returning user_id, provider, subject)
    insert into unlinked_identities (user_id, provider, subject) select user_id, provider, subject from unlinked
    on conflict do nothing`)
}

const ExistsRow = z.object({ exists: z.boolean() })

/** Whether somebody has taken away that they are this person of another site. */
export function isUnlinked(
  executor: Executor,
  unlinked: { readonly userId: number; readonly provider: string; readonly subject: string },
): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`
    select exists (
      select from unlinked_identities
       where user_id = ${unlinked.userId} and provider = ${unlinked.provider} and subject = ${unlinked.subject})`)
}

/** Only the other ways of signing in are left. */
export async function deletePassword(transaction: Transaction, userId: number, provider: string): Promise<void> {
  await transaction.query(sql.unsafe`delete from credentials where user_id = ${userId}`)
  await transaction.query(sql.unsafe`delete from identities where user_id = ${userId} and provider = ${provider}`)
}
