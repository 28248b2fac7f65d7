import { readdir } from 'node:fs/promises'
import { sql } from '@wangian/kit/database/postgres.ts'
import { registerAccount } from '../accounts/accounts.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { openSession } from '../sessions/sessions.ts'
import { issueAppToken } from '../sessions/tokens.ts'
import type { Account } from '../store.ts'
import type { TestIdentity } from './test-identity.ts'

export const PASSWORD = 'correct horse'
/** One for all, for a hash takes longer than most of these tests. */
const passwordHash = hashPassword(PASSWORD)

export interface TestUser {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly account: Account
  readonly sessionId: string
  /** An application token of that session. */
  readonly token: string
  /** The same as request headers. */
  readonly headers: { readonly authorization: string }
}

/** Somebody with the password {@link PASSWORD} and the address `<username>@example.com`, who is signed in. */
export async function createUser(
  { database, keys }: Pick<TestIdentity, 'database' | 'keys'>,
  username: string,
  options: { readonly isAdmin?: boolean; readonly isEmailConfirmed?: boolean; readonly now?: Date } = {},
): Promise<TestUser> {
  const { isAdmin = false, isEmailConfirmed = true, now = new Date() } = options
  const email = `${username}@example.com`
  const result = await registerAccount(database.pool, {
    email,
    passwordHash: await passwordHash,
    username,
    firstName: null,
    lastName: null,
    isSeller: true,
    isAdmin,
    isEmailConfirmed,
    now,
    correlationId: 'test',
  })
  if (result.outcome !== 'registered') throw new Error(`${username} could not be registered: ${result.outcome}`)
  const { account } = result
  const session = await signInAgain({ database, keys }, account, now)
  return { id: account.userId, username, email, account, ...session }
}

/** Another session of somebody, as on another device. */
export async function signInAgain(
  { database, keys }: Pick<TestIdentity, 'database' | 'keys'>,
  account: Account,
  now = new Date(),
): Promise<Pick<TestUser, 'sessionId' | 'token' | 'headers'>> {
  const proof = { userId: account.userId, method: 'password', provider: 'email' }
  const { id: sessionId } = await openSession(database.pool, proof, now)
  const holder = { ...account, id: account.userId, needsSecondFactor: false }
  const token = await issueAppToken(keys.application, holder, sessionId, now)
  return { sessionId, token, headers: { authorization: `Bearer ${token}` } }
}

/** All that a call may change, as text: the same before and after means that it left nothing behind. */
export async function stateOf({ database, filesDirectory }: TestIdentity): Promise<string> {
  const { pool } = database
  const tables = await Promise.all([
    pool.any(sql.unsafe`select * from users order by id`),
    pool.any(sql.unsafe`select * from people order by user_id`),
    pool.any(sql.unsafe`select * from credentials order by user_id`),
    pool.any(sql.unsafe`select id, user_id, revoked_at, factor_at from sessions order by id`),
    pool.any(sql.unsafe`select * from factors order by id`),
    pool.any(sql.unsafe`select id, used_at from one_time_tokens order by id`),
    pool.any(sql.unsafe`select * from notification_settings order by user_id`),
    pool.any(sql.unsafe`select * from profile_pictures order by name`),
    pool.any(sql.unsafe`select * from unused_files order by storage_key`),
    pool.any(sql.unsafe`select stream, version from events order by stream, version`),
    pool.any(sql.unsafe`select id from mails order by queued_at`),
  ])
  return JSON.stringify([tables, (await filesIn(filesDirectory)).sort()], null, 1)
}

/** The names of the files in a folder and those below. */
export async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

export interface QueuedMail {
  readonly kind: string
  readonly recipient: string
  readonly text: string
}

/** The mails that wait, in their order. */
export async function queuedMails({ database }: Pick<TestIdentity, 'database'>): Promise<readonly QueuedMail[]> {
  return (await database.pool.any(
    sql.unsafe`select kind, recipient, text from mails order by queued_at`,
  )) as readonly QueuedMail[]
}

/** The token of the link in a mail. */
export function tokenIn(mail: QueuedMail | undefined): string {
  const token = /token_hash=([\w-]+)/.exec(mail?.text ?? '')?.[1]
  if (token === undefined) throw new Error('the mail has no link')
  return token
}
