import { PublicPerson } from '@wangian/contracts/identity.ts'
import { languages } from '@wangian/contracts/languages.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** A person with everything that identity knows of them but the password. */
const Account = z.object({
  userId: z.number(),
  username: z.string(),
  isSeller: z.boolean(),
  isAdmin: z.boolean(),
  isBanned: z.boolean(),
  /** The id that the provider's protocol knows the person by. */
  authId: z.string(),
  email: z.string(),
  /** They registered with an address that is another person's, and can never confirm it. Only administrators may see a difference. */
  isClaimant: z.boolean(),
  emailConfirmedAt: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  address: z.string().nullable(),
  profileImage: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  coverPhoto: z.string().nullable(),
  shopName: z.string().nullable(),
  location: z.string().nullable(),
  bio: z.string().nullable(),
  lastSignInAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  hasPassword: z.boolean(),
  /** What clients of the provider's protocol keep here, by names of their own. Nobody reads a right from it. */
  metadata: z.record(z.string(), z.unknown()),
  /** What they read, and are mailed in; `null` until they say so. */
  language: z.enum(languages).nullable(),
})
export type Account = z.infer<typeof Account>

const accountColumns = sql.fragment`
  u.id as "userId", p.username, u.is_seller as "isSeller", u.is_admin as "isAdmin", u.is_banned as "isBanned",
  p.auth_id as "authId", coalesce(p.claimed_email, p.email) as email, p.claimed_email is not null as "isClaimant", p.email_confirmed_at as "emailConfirmedAt", p.first_name as "firstName",
  p.last_name as "lastName", p.address, p.profile_image as "profileImage", p.avatar_url as "avatarUrl",
  p.cover_photo as "coverPhoto", p.shop_name as "shopName", p.location, p.bio, p.last_sign_in_at as "lastSignInAt",
  p.created_at as "createdAt", p.updated_at as "updatedAt",
  exists (select from credentials c where c.user_id = u.id) as "hasPassword", p.metadata, p.language`

/** Who has closed their account is as good as gone: they sign in nowhere, and no mail goes to them. */
const openAccounts = sql.fragment`users u join people p on p.user_id = u.id and u.closed_at is null`

export function findAccount(executor: Executor, userId: number): Promise<Account | null> {
  return executor.maybeOne(sql.type(Account)`
    select ${accountColumns} from ${openAccounts} where u.id = ${userId}`)
}

export function findAccountByAuthId(executor: Executor, authId: string): Promise<Account | null> {
  return executor.maybeOne(sql.type(Account)`
    select ${accountColumns} from ${openAccounts} where p.auth_id = ${authId}`)
}

/** Whose address it is. @param email in lower case */
export function findAccountByEmail(executor: Executor, email: string): Promise<Account | null> {
  return executor.maybeOne(sql.type(Account)`
    select ${accountColumns} from ${openAccounts} where p.email = ${email}`)
}

/** Who registered with this address, and has not confirmed it or never can. @param email in lower case */
export function findApplicant(executor: Executor, email: string): Promise<Account | null> {
  return executor.maybeOne(sql.type(Account)`
    select ${accountColumns}
      from ${openAccounts}
     where (p.email = ${email} and p.email_confirmed_at is null) or p.claimed_email = ${email}
     order by p.claimed_email nulls first
     limit 1`)
}

/** Also somebody's who has closed their account. @param email in lower case */
export function isEmailTaken(executor: Executor, email: string): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`select exists (select from people where email = ${email})`)
}

/** Who registered with this address although it is another person's. @param email in lower case */
export function findClaimant(executor: Executor, email: string): Promise<Account | null> {
  return executor.maybeOne(sql.type(Account)`
    select ${accountColumns} from ${openAccounts} where p.claimed_email = ${email}`)
}

const PersonRow = PublicPerson.extend({ userId: z.number() })

/** What everybody may know of these people; those who are gone, or going, are missing. */
export async function listPublicPeople(
  executor: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, PublicPerson>> {
  const rows = await executor.any(sql.type(PersonRow)`
    select p.user_id as "userId", p.username,
           coalesce(p.shop_name, nullif(trim(concat_ws(' ', p.first_name, p.last_name)), '') || '''s Shop', p.username)
             as "shopName",
           p.location, p.bio, coalesce(p.avatar_url, p.profile_image) as "profileImage", p.cover_photo as "coverPhoto"
      from people p join users u on u.id = p.user_id
     where p.user_id = any (${sql.array(userIds, 'int8')}) and u.closed_at is null`)
  return new Map(rows.map(({ userId, ...person }) => [userId, person]))
}

const UserIdRow = z.object({ id: z.number() })

/** The user of this name, however it is written. */
export function findUserId(executor: Executor, username: string): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(UserIdRow)`
    select u.id from ${openAccounts} where lower(p.username) = lower(${username})`)
}

const ExistsRow = z.object({ exists: z.boolean() })

/** Also somebody who has closed their account: a name is free again when its owner is erased. */
export function findUsernameOwner(executor: Executor, username: string): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(UserIdRow)`
    select user_id as id from people where lower(username) = lower(${username})`)
}

/** Whether there is an administrator besides the one with this address. */
export function hasAdministrator(executor: Executor, exceptEmail: string): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`
    select exists (
      select from ${openAccounts} where u.is_admin and p.email <> ${exceptEmail})`)
}

/** Must not be part of the transaction that appends: drawing may count as a write, and the append must be the first. */
export function drawUserId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(UserIdRow)`select nextval('user_ids') as id`)
}

/** Only for the projection. */
export async function insertUser(
  transaction: Transaction,
  user: {
    readonly userId: number
    readonly isSeller: boolean
    readonly isAdmin: boolean
    readonly registeredAt: string
  },
): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into users (id, is_seller, is_admin, registered_at)
    values (${user.userId}, ${user.isSeller}, ${user.isAdmin}, ${user.registeredAt})`)
}

/** Only for the projection, like the next ones. */
export async function updateBan(transaction: Transaction, userId: number, bannedAt: string | null): Promise<void> {
  await transaction.query(
    sql.unsafe`update users set is_banned = ${bannedAt !== null}, banned_at = ${bannedAt} where id = ${userId}`,
  )
}

export async function updateIsVerified(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`update users set is_verified = true where id = ${userId}`)
}

export async function updateIsAdmin(transaction: Transaction, userId: number, isAdmin: boolean): Promise<void> {
  await transaction.query(sql.unsafe`update users set is_admin = ${isAdmin} where id = ${userId}`)
}

export async function updateClosedAt(transaction: Transaction, userId: number, at: string | null): Promise<void> {
  await transaction.query(sql.unsafe`update users set closed_at = ${at} where id = ${userId}`)
}

export async function updateErasedAt(transaction: Transaction, userId: number, at: string): Promise<void> {
  await transaction.query(sql.unsafe`update users set erased_at = ${at} where id = ${userId}`)
}

export interface NewPerson {
  readonly userId: number
  readonly username: string
  readonly authId: string
  /** In lower case. */
  readonly email: string
  /** See `Account.isClaimant`; then `email` is their alias. */
  readonly claimedEmail: string | null
  readonly emailConfirmedAt: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly shopName: string | null
  readonly location: string | null
  readonly bio: string | null
  readonly metadata: Account['metadata']
  readonly language: Account['language']
  readonly createdAt: string
}

export async function insertPerson(transaction: Transaction, person: NewPerson): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into people (user_id, username, auth_id, email, claimed_email, email_confirmed_at, first_name, last_name, shop_name,
                        location, bio, metadata, language, created_at, updated_at)
    values (${person.userId}, ${person.username}, ${person.authId}, ${person.email}, ${person.claimedEmail}, ${person.emailConfirmedAt},
            ${person.firstName}, ${person.lastName}, ${person.shopName}, ${person.location}, ${person.bio}, ${JSON.stringify(person.metadata)}::jsonb, ${person.language},
            ${person.createdAt}, ${person.createdAt})`)
}

export async function updateLastSignIn(
  executor: Executor,
  signIn: { readonly userId: number; readonly provider: string; readonly at: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    with person as (
      update people set last_sign_in_at = ${signIn.at}, updated_at = ${signIn.at} where user_id = ${signIn.userId}
    )
    update identities set last_sign_in_at = ${signIn.at}, updated_at = ${signIn.at}
     where user_id = ${signIn.userId} and provider = ${signIn.provider}`)
}

export async function insertCredential(
  transaction: Transaction,
  credential: { readonly userId: number; readonly passwordHash: string; readonly at: string },
): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into credentials (user_id, password_hash, changed_at)
    values (${credential.userId}, ${credential.passwordHash}, ${credential.at})`)
}

const PasswordHashRow = z.object({ passwordHash: z.string() })

/** `null` for people without a password. */
export function findPasswordHash(executor: Executor, userId: number): Promise<string | null> {
  return executor.maybeOneFirst(sql.type(PasswordHashRow)`
    select password_hash as "passwordHash" from credentials where user_id = ${userId}`)
}

const Identity = z.object({
  id: z.string(),
  provider: z.string(),
  subject: z.string(),
  lastSignInAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Identity = z.infer<typeof Identity>

export async function insertIdentity(
  transaction: Transaction,
  identity: {
    readonly id: string
    readonly userId: number
    readonly provider: string
    readonly subject: string
    readonly at: string
  },
): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into identities (id, user_id, provider, subject, created_at, updated_at)
    values (${identity.id}, ${identity.userId}, ${identity.provider}, ${identity.subject}, ${identity.at}, ${identity.at})`)
}

/** The oldest first: the way the person came. A password is never added behind another way in the same instant. */
export function listIdentities(executor: Executor, userId: number): Promise<readonly Identity[]> {
  return executor.any(sql.type(Identity)`
    select id, provider, subject, last_sign_in_at as "lastSignInAt", created_at as "createdAt",
           updated_at as "updatedAt"
      from identities
     where user_id = ${userId}
     order by created_at, provider <> 'email', id`)
}
