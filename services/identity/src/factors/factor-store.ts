import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const Factor = z.object({
  id: z.string(),
  kind: z.enum(['totp', 'recovery_code']),
  friendlyName: z.string(),
  verifiedAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
/** An authenticator app, or all recovery codes of somebody together. */
export type Factor = z.infer<typeof Factor>

/** In the order in which they were added. */
export function listFactors(executor: Executor, userId: number): Promise<readonly Factor[]> {
  return executor.any(sql.type(Factor)`
    select id, kind, friendly_name as "friendlyName", verified_at as "verifiedAt", created_at as "createdAt",
           updated_at as "updatedAt"
      from factors where user_id = ${userId} order by created_at, id`)
}

const ExistsRow = z.object({ exists: z.boolean() })

/** Whether a password is not enough: recovery codes never are without an app. */
export function hasVerifiedFactor(executor: Executor, userId: number): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`
    select exists (select from factors where user_id = ${userId} and verified_at is not null)`)
}

const TotpFactor = z.object({ id: z.string(), secret: z.string(), usedStep: z.number(), isVerified: z.boolean() })
/** An authenticator app; its `secret` is encrypted. */
export type TotpFactor = z.infer<typeof TotpFactor>

const totpColumns = sql.fragment`id, secret, used_step as "usedStep", verified_at is not null as "isVerified"`

/** Somebody's authenticator app. */
export function findTotpFactor(
  executor: Executor,
  { id, userId }: { readonly id: string; readonly userId: number },
): Promise<TotpFactor | null> {
  return executor.maybeOne(sql.type(TotpFactor)`
    select ${totpColumns} from factors where id = ${id} and user_id = ${userId} and kind = 'totp'`)
}

/** The apps of somebody that count. */
export function listVerifiedApps(executor: Executor, userId: number): Promise<readonly TotpFactor[]> {
  return executor.any(sql.type(TotpFactor)`
    select ${totpColumns} from factors where user_id = ${userId} and kind = 'totp' and verified_at is not null`)
}

export async function insertFactor(
  transaction: Transaction,
  factor: Omit<Factor, 'createdAt' | 'updatedAt'> & {
    readonly userId: number
    readonly secret: string | null
    readonly at: string
  },
): Promise<void> {
  const { id, userId, kind, friendlyName, secret, verifiedAt, at } = factor
  await transaction.query(sql.unsafe`
    insert into factors (id, user_id, kind, friendly_name, secret, verified_at, created_at, updated_at)
    values (${id}, ${userId}, ${kind}, ${friendlyName}, ${secret}, ${verifiedAt}, ${at}, ${at})`)
}

/** A code of this step was shown. */
export async function markFactorUsed(
  transaction: Transaction,
  used: { readonly id: string; readonly step: number; readonly at: string },
): Promise<void> {
  await transaction.query(sql.unsafe`
    update factors
       set used_step = ${used.step}, verified_at = coalesce(verified_at, ${used.at}), updated_at = ${used.at}
     where id = ${used.id}`)
}

export async function deleteFactor(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.unsafe`delete from factors where id = ${id}`)
}

export async function deleteFactorsOf(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`delete from factors where user_id = ${userId}`)
}

export async function deleteUnverifiedFactors(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`delete from factors where user_id = ${userId} and verified_at is null`)
}

export async function insertChallenge(
  executor: Executor,
  challenge: { readonly id: string; readonly factorId: string; readonly expiresAt: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into factor_challenges (id, factor_id, expires_at)
    values (${challenge.id}, ${challenge.factorId}, ${challenge.expiresAt})`)
}

const ChallengeRow = z.object({ expiresAt: z.string() })

/** When a challenge ends, which nobody has met yet. */
export function findChallengeEnd(
  executor: Executor,
  { id, factorId }: { readonly id: string; readonly factorId: string },
): Promise<string | null> {
  return executor.maybeOneFirst(sql.type(ChallengeRow)`
    select expires_at as "expiresAt" from factor_challenges where id = ${id} and factor_id = ${factorId}`)
}

export async function deleteChallenge(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.unsafe`delete from factor_challenges where id = ${id}`)
}

/** Forgets up to `countMax` challenges that ended before. */
export async function deleteOldChallenges(executor: Executor, before: string, countMax: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from factor_challenges where id in (
      select id from factor_challenges where expires_at < ${before} limit ${countMax} for update skip locked)`)
}

/** In the place of those that there were. */
export async function replaceRecoveryCodes(
  transaction: Transaction,
  { factorId, codeHashes }: { readonly factorId: string; readonly codeHashes: readonly string[] },
): Promise<void> {
  await transaction.query(sql.unsafe`delete from recovery_codes where factor_id = ${factorId}`)
  await transaction.query(sql.unsafe`
    insert into recovery_codes (factor_id, code_hash)
    select ${factorId}, code_hash from unnest(${sql.array(codeHashes, 'text')}) as code (code_hash)`)
}

/** @returns whether it was there to be used */
export async function useRecoveryCode(
  transaction: Transaction,
  used: { readonly factorId: string; readonly codeHash: string; readonly at: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update recovery_codes set used_at = ${used.at}
     where factor_id = ${used.factorId} and code_hash = ${used.codeHash} and used_at is null`)
  return rowCount === 1
}

const CountsRow = z.object({ total: z.number(), remaining: z.number() })

export function countRecoveryCodes(executor: Executor, factorId: string): Promise<z.infer<typeof CountsRow>> {
  return executor.one(sql.type(CountsRow)`
    select count(*) as total, count(*) filter (where used_at is null) as remaining
      from recovery_codes where factor_id = ${factorId}`)
}
