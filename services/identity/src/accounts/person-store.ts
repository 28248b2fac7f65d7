import type { Language } from '@wangian/contracts/languages.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import type { Account } from '../store.ts'

/** The address of somebody is theirs from now on; once confirmed, it keeps its date. */
export async function markEmailConfirmed(executor: Executor, userId: number, at: string): Promise<void> {
  await executor.query(sql.unsafe`
    update people set email_confirmed_at = coalesce(email_confirmed_at, ${at}), updated_at = ${at}
     where user_id = ${userId}`)
}

/** Somebody's new address, which they have proven to be theirs. It is unique: `people_email_key`. */
export async function updateEmail(
  executor: Executor,
  person: { readonly userId: number; readonly email: string; readonly at: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    update people set email = ${person.email}, email_confirmed_at = ${person.at}, updated_at = ${person.at}
     where user_id = ${person.userId}`)
}

/**
 * The address that somebody claims is as good as theirs, to be confirmed, when it is nobody's any more. It is unique: `people_email_key`.
 * @returns whether it was
 */
export async function takeClaimedEmail(executor: Executor, userId: number): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    update people p set email = claimed_email, claimed_email = null
     where user_id = ${userId} and claimed_email is not null
       and not exists (select from people o where o.email = p.claimed_email)`)
  return rowCount === 1
}

/** The opposite: of an address that they have not confirmed. Without effect where somebody claims it already, as one person can. */
export async function claimOwnEmail(executor: Executor, userId: number, alias: string): Promise<void> {
  await executor.query(sql.unsafe`
    update people p set email = ${alias}, claimed_email = email
     where user_id = ${userId} and email_confirmed_at is null and claimed_email is null
       and not exists (select from people o where o.claimed_email = p.email)`)
}

/** What somebody reads, and is mailed in, from now on. */
export async function updateLanguage(
  executor: Executor,
  person: { readonly userId: number; readonly language: Language; readonly at: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    update people set language = ${person.language}, updated_at = ${person.at} where user_id = ${person.userId}`)
}

/** What is `undefined` stays. A username is unique: `people_by_username`. */
export async function updateNames(
  executor: Executor,
  person: {
    readonly userId: number
    readonly username: string | undefined
    readonly firstName: string | null | undefined
    readonly lastName: string | null | undefined
    readonly metadata: Account['metadata'] | undefined
    readonly at: string
  },
): Promise<void> {
  const { userId, username, firstName, lastName, metadata, at } = person
  await executor.query(sql.unsafe`
    update people
       set username = coalesce(${username ?? null}, username),
           first_name = case when ${firstName !== undefined} then ${firstName ?? null} else first_name end,
           last_name = case when ${lastName !== undefined} then ${lastName ?? null} else last_name end,
           metadata = coalesce(${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb, metadata),
           updated_at = ${at}
     where user_id = ${userId}`)
}

/** @returns whether the person had none before */
export async function upsertCredential(
  transaction: Transaction,
  credential: { readonly userId: number; readonly passwordHash: string; readonly at: string },
): Promise<boolean> {
  const { userId, passwordHash, at } = credential
  return transaction.oneFirst(sql.type(IsFirstRow)`
    insert into credentials (user_id, password_hash, changed_at) values (${userId}, ${passwordHash}, ${at})
    on conflict (user_id) do update set password_hash = excluded.password_hash, changed_at = excluded.changed_at
    returning xmax = 0 as "isFirst"`)
}

const IsFirstRow = z.object({ isFirst: z.boolean() })
const PasswordHashRow = z.object({ passwordHash: z.string() })

/** Whether this is still the hash. Others who want to change it wait until the transaction ends. */
export async function hasPasswordHash(transaction: Transaction, userId: number, hash: string): Promise<boolean> {
  const current = await transaction.maybeOneFirst(sql.type(PasswordHashRow)`
    select password_hash as "passwordHash" from credentials where user_id = ${userId} for update`)
  return current === hash
}

/** Nobody can sign in with a password then. */
export async function deleteCredential(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`delete from credentials where user_id = ${userId}`)
}

/** Why an administrator did something to somebody; `at` is that of its event. Of two at the same instant the later one is kept. */
export async function saveModerationReason(
  executor: Executor,
  moderation: { readonly userId: number; readonly reason: string; readonly at: string },
): Promise<void> {
  const { userId, reason, at } = moderation
  await executor.query(sql.unsafe`
    insert into moderation_reasons (user_id, at, reason) values (${userId}, ${at}, ${reason})
    on conflict (user_id, at) do update set reason = excluded.reason`)
}

const IsAdministratorRow = z.object({ isAdministrator: z.boolean() })

/** Whether somebody may administer now. */
export function isAdministrator(executor: Executor, userId: number): Promise<boolean> {
  return executor.oneFirst(sql.type(IsAdministratorRow)`
    select exists (select from users where id = ${userId} and is_admin and not is_banned and closed_at is null)
        as "isAdministrator"`)
}
