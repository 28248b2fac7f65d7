import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

export const tokenKinds = ['signup', 'recovery', 'email_change'] as const
export type TokenKind = (typeof tokenKinds)[number]

/** What a form for a new account said of its person. */
const SignUpNames = z.object({
  username: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
})
export type SignUpNames = z.infer<typeof SignUpNames>

const OneTimeToken = z.object({
  id: z.string(),
  userId: z.number(),
  kind: z.enum(tokenKinds),
  /** In lower case. */
  email: z.string(),
  flowId: z.string().nullable(),
  passwordHash: z.string().nullable(),
  names: SignUpNames.nullable(),
  createdAt: z.string(),
  usedAt: z.string().nullable(),
})
export type OneTimeToken = z.infer<typeof OneTimeToken>

const tokenColumns = sql.fragment`
  id, user_id as "userId", kind, email, flow_id as "flowId", password_hash as "passwordHash", names,
  created_at as "createdAt", used_at as "usedAt"`

export async function insertOneTimeToken(
  executor: Executor,
  token: Omit<OneTimeToken, 'usedAt'> & {
    readonly tokenHash: string
    readonly codeHash: string
    readonly expiresAt: string
  },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into one_time_tokens (id, user_id, kind, email, token_hash, code_hash, flow_id, password_hash, names,
                                 created_at, expires_at)
    values (${token.id}, ${token.userId}, ${token.kind}, ${token.email}, ${token.tokenHash}, ${token.codeHash},
            ${token.flowId}, ${token.passwordHash}, ${token.names === null ? null : JSON.stringify(token.names)}::jsonb, ${token.createdAt}, ${token.expiresAt})`)
}

/** Also finds it when it was used; not when it has expired. */
export function findTokenByHash(
  executor: Executor,
  wanted: { readonly kind: TokenKind; readonly tokenHash: string; readonly at: string },
): Promise<OneTimeToken | null> {
  return executor.maybeOne(sql.type(OneTimeToken)`
    select ${tokenColumns} from one_time_tokens
     where token_hash = ${wanted.tokenHash} and kind = ${wanted.kind} and expires_at > ${wanted.at}`)
}

/** The newest that was mailed to this address and can be used. */
export function findTokenByEmail(
  executor: Executor,
  wanted: { readonly kind: TokenKind; readonly email: string; readonly at: string },
): Promise<OneTimeToken | null> {
  return executor.maybeOne(sql.type(OneTimeToken)`
    select ${tokenColumns} from one_time_tokens
     where email = ${wanted.email} and kind = ${wanted.kind} and expires_at > ${wanted.at} and used_at is null
     order by created_at desc, id
     limit 1`)
}

/** The newest of each kind that a person can use. */
export function listNewestTokens(executor: Executor, userId: number, at: string): Promise<readonly OneTimeToken[]> {
  return executor.any(sql.type(OneTimeToken)`
    select distinct on (kind) ${tokenColumns} from one_time_tokens
     where user_id = ${userId} and expires_at > ${at} and used_at is null
     order by kind, created_at desc, id`)
}

const CodeHashRow = z.object({ codeHash: z.string() })

/** Counts a try before the code is compared. @returns `null` when there were `triesMax` already */
export function takeCodeTry(executor: Executor, tokenId: string, triesMax: number): Promise<string | null> {
  return executor.maybeOneFirst(sql.type(CodeHashRow)`
    update one_time_tokens set code_tries = code_tries + 1
     where id = ${tokenId} and code_tries < ${triesMax}
    returning code_hash as "codeHash"`)
}

/** @returns whether it was still unused: of two who redeem a token at once, one does */
export async function markTokenUsed(executor: Executor, tokenId: string, at: string): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    update one_time_tokens set used_at = ${at} where id = ${tokenId} and used_at is null and expires_at > ${at}`)
  return rowCount === 1
}

/** Those of a person that nobody has used. */
export async function deleteUnusedTokens(
  executor: Executor,
  userId: number,
  kinds: readonly TokenKind[],
): Promise<void> {
  await executor.query(sql.unsafe`
    delete from one_time_tokens
     where user_id = ${userId} and kind = any (${sql.array(kinds, 'text')}) and used_at is null`)
}

/** Of the unused ones of a kind all but the newest `keptMax`. */
export async function deleteSurplusTokens(
  executor: Executor,
  surplus: { readonly userId: number; readonly kind: TokenKind; readonly keptMax: number },
): Promise<void> {
  await executor.query(sql.unsafe`
    delete from one_time_tokens where id in (
      select id from one_time_tokens
       where user_id = ${surplus.userId} and kind = ${surplus.kind} and used_at is null
       order by created_at desc, id
      offset ${surplus.keptMax})`)
}

/** Deletes up to `countMax` of those that expired before `before`. */
export async function deleteExpiredTokens(executor: Executor, before: string, countMax: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from one_time_tokens where id in (
      select id from one_time_tokens where expires_at < ${before} order by expires_at limit ${countMax}
         for update skip locked)`)
}
