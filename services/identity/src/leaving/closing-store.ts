import { CountRow, type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { deleteDealPairs } from '../mails/deal-pair-store.ts'

/**
 * Nobody opens a session, asks for a mail or links an identity of theirs until the transaction ends. Whatever changes how somebody gets
 * in, and ends all sessions or all others, begins with this lock; the log and `users` alone come before it. Who ends single sessions does
 * not take it, and locks nothing else: then no two wait for each other.
 */
export async function lockPerson(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`select from people where user_id = ${userId} for update`)
}

/** One at a time, so that the last two administrators cannot leave at once, each counting on the other. */
export async function lockAdministrators(transaction: Transaction): Promise<void> {
  await transaction.query(sql.unsafe`
    select pg_advisory_xact_lock(hashtext('wangian-administrators'), hashtext(current_schema()))`)
}

/** Those who can administer. */
export function countAdministrators(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    select count(*) from users where is_admin and not is_banned and closed_at is null`)
}

/** The password, and whatever was mailed or begun to get in without it. */
export async function deleteWaysIn(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`delete from credentials where user_id = ${userId}`)
  await transaction.query(sql.unsafe`delete from one_time_tokens where user_id = ${userId}`)
  await transaction.query(sql.unsafe`delete from flow_states where user_id = ${userId}`)
}

const UserIdRow = z.object({ id: z.number() })

/** Somebody who has closed their account and is not erased yet, by address or username in lower case. */
export function findClosed(executor: Executor, name: string): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(UserIdRow)`
    select u.id
      from people p join users u on u.id = p.user_id
     where (p.email = ${name} or lower(p.username) = ${name}) and u.closed_at is not null and u.erased_at is null`)
}

const EmailRow = z.object({ email: z.string() })

export function findEmail(executor: Executor, userId: number): Promise<string | null> {
  return executor.maybeOneFirst(sql.type(EmailRow)`select email from people where user_id = ${userId}`)
}

/** Accounts that were closed then or before and are not erased; the ids above `afterId`, in their order. */
export function listToErase(
  executor: Executor,
  wanted: { readonly closedUntil: string; readonly afterId: number; readonly limit: number },
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select id from users
     where closed_at <= ${wanted.closedUntil} and erased_at is null and id > ${wanted.afterId}
     order by id
     limit ${wanted.limit}`)
}

/**
 * Accounts that are as old as that, whose address nobody has confirmed, and to which no mail can be younger that does; likewise
 * in the order of their ids. A ban stays, and keeps the address. Mails for new passwords do not count: whoever registered with an address
 * that is another person's is mailed none, and must not be told from others by when they go.
 */
export function listUnconfirmed(
  executor: Executor,
  wanted: { readonly registeredUntil: string; readonly at: string; readonly afterId: number; readonly limit: number },
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select u.id
      from people p join users u on u.id = p.user_id
     where p.email_confirmed_at is null and p.created_at <= ${wanted.registeredUntil} and u.id > ${wanted.afterId}
       and u.closed_at is null and not u.is_banned and not u.is_admin
       and not exists (select from one_time_tokens t
                        where t.user_id = u.id and t.kind = 'signup' and t.used_at is null and t.expires_at > ${wanted.at})
     order by u.id
     limit ${wanted.limit}`)
}

const ConfirmedRow = z.object({ isConfirmed: z.boolean() })

/** Whoever wants to confirm the address waits until the transaction ends. */
export async function isConfirmed(transaction: Transaction, userId: number): Promise<boolean> {
  const row = await transaction.maybeOneFirst(sql.type(ConfirmedRow)`
    select email_confirmed_at is not null as "isConfirmed" from people where user_id = ${userId} for update`)
  return row ?? false
}

/** With everything that refers to the person: credentials, identities, sessions, tokens, flows, pictures. */
export async function deletePerson(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`delete from people where user_id = ${userId}`)
  await transaction.query(sql.unsafe`delete from revoked_sessions where user_id = ${userId}`)
  await deleteDealPairs(transaction, userId)
}
