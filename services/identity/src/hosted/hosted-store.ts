import { type Executor, isUniqueViolation, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** @returns whether it was not known before */
export async function insertHostedSession(
  transaction: Transaction,
  session: { readonly id: string; readonly userId: number; readonly at: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    insert into hosted_sessions (id, user_id, first_seen_at) values (${session.id}, ${session.userId}, ${session.at})
    on conflict (id) do nothing`)
  return rowCount === 1
}

const ExistsRow = z.object({ exists: z.boolean() })

export function isSessionKnown(executor: Executor, id: string): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`select exists (select from hosted_sessions where id = ${id})`)
}

/** Forgets sessions that nobody can have any more. */
export async function deleteOldHostedSessions(executor: Executor, userId: number, before: string): Promise<void> {
  await executor.query(sql.unsafe`
    delete from hosted_sessions h
     where user_id = ${userId} and first_seen_at < ${before}
       and not exists (select from sessions s where s.id = h.id)`)
}

/** So that nobody takes it for one that was given up. */
export async function touchSession(
  executor: Executor,
  session: { readonly id: string; readonly at: string; readonly factorAt: string | null },
): Promise<void> {
  await executor.query(sql.unsafe`
    update sessions set refreshed_at = ${session.at}, factor_at = ${session.factorAt} where id = ${session.id}`)
}

/** Follows the hosted provider, which has verified it. @returns false when somebody else has the address here */
export async function updateEmail(
  executor: Executor,
  change: { readonly userId: number; readonly email: string; readonly at: string },
): Promise<boolean> {
  try {
    await executor.query(sql.unsafe`
      update people set email = ${change.email}, updated_at = ${change.at} where user_id = ${change.userId}`)
    return true
  } catch (error) {
    if (isUniqueViolation(error, 'people_email_key')) return false
    throw error
  }
}
