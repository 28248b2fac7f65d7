import { randomInt, randomUUID } from 'node:crypto'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { mailRecoveryCodeUsed } from '../mails/factor-mails.ts'
import { ProviderRefusal } from '../provider/provider-errors.ts'
import { getLiveSession } from '../provider/provider-sessions.ts'
import type { Session } from '../sessions/session-store.ts'
import type { FactorKey } from './factor-key.ts'
import {
  countRecoveryCodes,
  deleteFactor,
  type Factor,
  listFactors,
  replaceRecoveryCodes,
  useRecoveryCode,
} from './factor-store.ts'
import { type FactorRequest, factorNotFound, insertNamedFactor, raise } from './factors.ts'

export const RECOVERY_CODES = 10
const CODE_LENGTH = 16
/** Without those that are taken for one another. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz'
const METHOD = 'mfa/recovery_code'

export interface RecoveryCodes {
  readonly factor: Factor
  /** In small letters, without dashes; shown once, for only their hashes are kept. */
  readonly codes: readonly string[]
}

/** A code as it is kept, of what somebody typed; `null` for what cannot be one. */
export function readRecoveryCode(typed: string): string | null {
  const code = typed.replaceAll(/[\s-]/g, '').toLowerCase()
  return code.length === CODE_LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null
}

/** The first codes of somebody who has an authenticator app. @throws ProviderRefusal as all here */
export function generateCodes(
  pool: DatabasePool,
  factorKey: FactorKey,
  request: FactorRequest & { readonly friendlyName: string },
): Promise<RecoveryCodes> {
  const { account, friendlyName, now } = request
  const { userId } = account
  return pool.transaction(async (transaction) => {
    await lockPerson(transaction, userId)
    requireRaised(await getLiveSession(transaction, request.session))
    const factors = await listFactors(transaction, userId)
    if (!factors.some(({ kind, verifiedAt }) => kind === 'totp' && verifiedAt !== null)) {
      const words = 'Recovery codes cannot be the only factor'
      throw new ProviderRefusal(422, 'mfa_recovery_codes_sole_factor', words)
    }
    if (codesIn(factors) !== undefined) {
      throw new ProviderRefusal(422, 'mfa_verified_factor_exists', 'Recovery codes already exist, regenerate them')
    }
    const at = now.toISOString()
    const factor = { id: randomUUID(), kind: 'recovery_code', friendlyName, verifiedAt: at } as const
    await insertNamedFactor(transaction, { ...factor, userId, secret: null, at })
    const codes = await newCodes(transaction, factorKey, factor.id)
    return { factor: { ...factor, createdAt: at, updatedAt: at }, codes }
  })
}

/** New codes in the place of the old ones. */
export function regenerateCodes(
  pool: DatabasePool,
  factorKey: FactorKey,
  { account, session }: FactorRequest,
): Promise<RecoveryCodes> {
  return pool.transaction(async (transaction) => {
    await lockPerson(transaction, account.userId)
    requireRaised(await getLiveSession(transaction, session))
    const factor = requireCodes(await listFactors(transaction, account.userId))
    return { factor, codes: await newCodes(transaction, factorKey, factor.id) }
  })
}

/** How many there are and are left. */
export async function codesStatus(pool: DatabasePool, userId: number) {
  const { id } = requireCodes(await listFactors(pool, userId))
  return { id, ...(await countRecoveryCodes(pool, id)) }
}

/** @returns the id of what is gone */
export function removeCodes(pool: DatabasePool, { account, session }: FactorRequest): Promise<string> {
  return pool.transaction(async (transaction) => {
    await lockPerson(transaction, account.userId)
    requireRaised(await getLiveSession(transaction, session))
    const { id } = requireCodes(await listFactors(transaction, account.userId))
    await deleteFactor(transaction, id)
    return id
  })
}

/** Takes a code, once, and raises the session with it. @param code from `readRecoveryCode` */
export function verifyCode(
  pool: DatabasePool,
  factorKey: FactorKey,
  { account, session, code, now, publicUrl }: FactorRequest & { readonly code: string },
): Promise<Session> {
  return pool.transaction(async (transaction) => {
    await lockPerson(transaction, account.userId)
    const factor = codesIn(await listFactors(transaction, account.userId))
    if (factor === undefined) throw wrongRecoveryCode()
    const { id: factorId } = factor
    const used = { factorId, codeHash: factorKey.hash(code, factorId), at: now.toISOString() }
    if (!(await useRecoveryCode(transaction, used))) throw wrongRecoveryCode()
    const { remaining: left } = await countRecoveryCodes(transaction, factorId)
    await mailRecoveryCodeUsed(transaction, account, { left, publicUrl })
    return raise(transaction, { session, factorId, method: METHOD, now })
  })
}

export function wrongRecoveryCode(): ProviderRefusal {
  return new ProviderRefusal(422, 'mfa_verification_failed', 'Invalid recovery code entered')
}

async function newCodes(transaction: Transaction, factorKey: FactorKey, factorId: string): Promise<readonly string[]> {
  const letter = () => LETTERS[randomInt(LETTERS.length)]
  const codes = Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: CODE_LENGTH }, letter).join(''))
  const codeHashes = codes.map((code) => factorKey.hash(code, factorId))
  await replaceRecoveryCodes(transaction, { factorId, codeHashes })
  return codes
}

function requireRaised({ factorAt }: Session): void {
  if (factorAt === null) throw new ProviderRefusal(403, 'insufficient_aal', 'AAL2 required to manage recovery codes')
}

function codesIn(factors: readonly Factor[]): Factor | undefined {
  return factors.find(({ kind }) => kind === 'recovery_code')
}

function requireCodes(factors: readonly Factor[]): Factor {
  const factor = codesIn(factors)
  if (factor === undefined) throw factorNotFound('Recovery codes not found')
  return factor
}
