import { randomUUID } from 'node:crypto'
import { type DatabasePool, isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { type UserCommand, userDecider, userStream } from '../accounts/domain.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { mailFactorAdded, mailFactorRemoved } from '../mails/factor-mails.ts'
import { deleteUnusedTokens } from '../mails/one-time-token-store.ts'
import { projectUser } from '../projections.ts'
import { ProviderRefusal } from '../provider/provider-errors.ts'
import { getLiveSession, sessionNotFound } from '../provider/provider-sessions.ts'
import { endSessions } from '../sessions/revocation.ts'
import { listLowSessions, lowerSessions, raiseSession, type Session } from '../sessions/session-store.ts'
import type { Account } from '../store.ts'
import type { FactorKey } from './factor-key.ts'
import {
  deleteChallenge,
  deleteFactor,
  deleteFactorsOf,
  deleteOldChallenges,
  deleteUnverifiedFactors,
  type Factor,
  findChallengeEnd,
  findTotpFactor,
  hasVerifiedFactor,
  insertChallenge,
  insertFactor,
  listFactors,
  listVerifiedApps,
  markFactorUsed,
  type TotpFactor,
} from './factor-store.ts'
import { findStep, newSecret } from './totp.ts'

const FACTORS_MAX = 10
const CHALLENGE_TTL_MS = 5 * 60 * 1000
const DELETED_AT_ONCE_MAX = 100

/** Who asks, in which session. */
export interface FactorRequest {
  readonly account: Account
  readonly session: Session
  readonly now: Date
  readonly correlationId: string
  /** Where the links of mails lead. */
  readonly publicUrl: string
}

/**
 * Makes an authenticator app known. It counts once it has shown a right code.
 * @throws ProviderRefusal as all here, in the words of the protocol
 */
export async function enrollApp(
  pool: DatabasePool,
  factorKey: FactorKey,
  { account, session, now, friendlyName }: FactorRequest & { readonly friendlyName: string },
): Promise<{ readonly id: string; readonly secret: Buffer }> {
  const { userId } = account
  const id = randomUUID()
  const secret = newSecret()
  const encrypted = factorKey.encrypt(secret, id)
  await pool.transaction(async (transaction) => {
    await lockPerson(transaction, userId)
    const { factorAt } = await getLiveSession(transaction, session)
    const factors = await listFactors(transaction, userId)
    if (factorAt === null && factors.some(({ verifiedAt }) => verifiedAt !== null)) throw lowToEnroll()
    if (factors.length >= FACTORS_MAX) {
      const words = 'Maximum number of verified factors reached, unenroll to continue'
      throw new ProviderRefusal(403, 'too_many_enrolled_mfa_factors', words)
    }
    const factor = { id, userId, kind: 'totp', friendlyName, verifiedAt: null } as const
    await insertNamedFactor(transaction, { ...factor, secret: encrypted, at: now.toISOString() })
  })
  return { id, secret }
}

/** @throws ProviderRefusal when another factor of the person has this name */
export async function insertNamedFactor(
  transaction: Transaction,
  factor: Parameters<typeof insertFactor>[1],
): Promise<void> {
  try {
    await insertFactor(transaction, factor)
  } catch (error) {
    if (!isUniqueViolation(error, 'factors_by_name')) throw error
    const words = `A factor with the friendly name "${factor.friendlyName}" for this user already exists`
    throw new ProviderRefusal(422, 'mfa_factor_name_conflict', words)
  }
}

/** Asks for a code of an app: within five minutes it can be answered once. */
export async function beginChallenge(
  pool: DatabasePool,
  { account, now, factorId }: FactorRequest & { readonly factorId: string },
): Promise<{ readonly id: string; readonly expiresAt: Date }> {
  if ((await findTotpFactor(pool, { id: factorId, userId: account.userId })) === null) throw factorNotFound()
  const id = randomUUID()
  const expiresAt = new Date(now.getTime() + CHALLENGE_TTL_MS)
  await insertChallenge(pool, { id, factorId, expiresAt: expiresAt.toISOString() })
  await deleteOldChallenges(pool, now.toISOString(), DELETED_AT_ONCE_MAX)
  return { id, expiresAt }
}

export interface Verification extends FactorRequest {
  readonly factorId: string
  readonly challengeId: string
  /** Six digits. */
  readonly code: string
}

/**
 * Takes a code that an app shows, or another one of the person's once the app counts, and raises the session with it. Each code is good once. The first
 * one of an app makes it count; the first app of a person is told to everybody, so call `onAppended` afterwards.
 */
export async function verifyApp(pool: DatabasePool, factorKey: FactorKey, verification: Verification) {
  const { account, factorId, now } = verification
  const { userId } = account
  const factor = await findTotpFactor(pool, { id: factorId, userId })
  if (factor === null) throw factorNotFound()
  const show = (transaction: Transaction) => showCode(transaction, factorKey, verification)
  if (factor.isVerified) return pool.transaction(show)
  const command = { type: 'AddSecondFactor', at: now.toISOString() } as const
  return tellAnd(pool, verification, command, show)
}

async function showCode(
  transaction: Transaction,
  factorKey: FactorKey,
  { account, session, factorId: id, challengeId, code, now, publicUrl }: Verification,
): Promise<Session> {
  const { userId } = account
  await lockPerson(transaction, userId)
  const factor = await findTotpFactor(transaction, { id, userId })
  if (factor === null) throw factorNotFound()
  const isFirst = !(await hasVerifiedFactor(transaction, userId))
  if (!factor.isVerified && session.factorAt === null && !isFirst) throw lowToEnroll()
  const endsAt = await findChallengeEnd(transaction, { id: challengeId, factorId: id })
  if (endsAt === null) throw factorNotFound('MFA factor with the provided challenge ID not found')
  if (Date.parse(endsAt) <= now.getTime()) {
    const advice = 'verify against another challenge or create a new challenge.'
    throw new ProviderRefusal(422, 'mfa_challenge_expired', `MFA challenge ${challengeId} has expired, ${advice}`)
  }
  const apps = factor.isVerified ? await listVerifiedApps(transaction, userId) : [factor]
  const shown = findShown(apps, factorKey, code, now)
  if (shown === null) throw wrongAppCode()
  await markFactorUsed(transaction, { ...shown, at: now.toISOString() })
  await deleteChallenge(transaction, challengeId)
  await deleteUnverifiedFactors(transaction, userId)
  const raised = await raise(transaction, { session, factorId: shown.id, method: 'totp', now })
  // Whoever began it may be the one who is shut out from now on.
  if (!factor.isVerified) {
    await deleteUnusedTokens(transaction, userId, ['email_change'])
    await mailFactorAdded(transaction, account, { isFirst, publicUrl })
  }
  return raised
}

/**
 * Which of these apps shows the code, and of which step it is. Nobody types whose code it is: a client that had to try one app after the other would use
 * up the tries of somebody who has mistyped.
 */
function findShown(apps: readonly TotpFactor[], factorKey: FactorKey, code: string, now: Date) {
  for (const { id, secret, usedStep } of apps) {
    const step = findStep(factorKey.decrypt(secret, id), code, { now, usedStep })
    if (step !== null) return { id, step }
  }
  return null
}

/** The session has shown a factor; the others that have not are worth nothing any more. */
export async function raise(
  transaction: Transaction,
  shown: { readonly session: Session; readonly factorId: string; readonly method: string; readonly now: Date },
): Promise<Session> {
  const { session, factorId, method, now } = shown
  const { id, userId } = session
  const raised = await raiseSession(transaction, { id, factorId, method, at: now.toISOString() })
  if (raised === null) throw sessionNotFound()
  const sessionIds = await listLowSessions(transaction, { userId, exceptId: id })
  await endSessions(transaction, { userId, sessionIds, reason: 'signed-out' })
  return raised
}

/**
 * Takes a factor off. With the last app all others go, too, and everybody is told, so call `onAppended` afterwards.
 * @param isRequired whether the person may not be without: then their sessions end
 */
export async function unenroll(
  pool: DatabasePool,
  request: FactorRequest & { readonly factorId: string; readonly isRequired: boolean },
): Promise<void> {
  const { account, session, factorId, isRequired, now, publicUrl } = request
  const { userId } = account
  const factors = await listFactors(pool, userId)
  const factor = factors.find(({ id }) => id === factorId)
  if (factor === undefined) throw factorNotFound()
  requireRaised(factor, session)
  const isLast = isLastApp(factor, factors)
  const remove = async (transaction: Transaction) => {
    await lockPerson(transaction, userId)
    requireRaised(factor, await getLiveSession(transaction, session))
    // Of two apps that are taken off at once, the second is the last one after all.
    if (isLastApp(factor, await listFactors(transaction, userId)) !== isLast) throw new Rejection('conflict')
    if (isLast) await deleteFactorsOf(transaction, userId)
    else await deleteFactor(transaction, factorId)
    await lowerSessions(transaction, isLast ? { userId } : { userId, factorId })
    if (isLast && isRequired) await endSessions(transaction, { userId, reason: 'signed-out' })
    if (factor.verifiedAt === null) return
    await mailFactorRemoved(transaction, account, { isLast, publicUrl })
  }
  const command = { type: 'RemoveSecondFactor', by: 'self', actorId: userId, at: now.toISOString() } as const
  if (isLast) await tellAnd(pool, request, command, remove)
  else await pool.transaction(remove)
}

function isLastApp(factor: Factor, factors: readonly Factor[]): boolean {
  const isApp = ({ kind, verifiedAt }: Factor) => kind === 'totp' && verifiedAt !== null
  return isApp(factor) && !factors.some((other) => other.id !== factor.id && isApp(other))
}

/** Does something with the event that says so, or without one when the log knows it already. */
async function tellAnd<Result>(
  pool: DatabasePool,
  { account: { userId }, correlationId }: FactorRequest,
  command: UserCommand,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  let done: { readonly result: Result } | null = null
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command,
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
      done = { result: await work(transaction) }
    },
  })
  done ??= { result: await pool.transaction(work) }
  return done.result
}

export function factorNotFound(words = 'Factor not found'): ProviderRefusal {
  return new ProviderRefusal(404, 'mfa_factor_not_found', words)
}

export function wrongAppCode(): ProviderRefusal {
  return new ProviderRefusal(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
}

function requireRaised(factor: Factor, { factorAt }: Session): void {
  if (factor.verifiedAt === null || factorAt !== null) return
  throw new ProviderRefusal(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
}

function lowToEnroll(): ProviderRefusal {
  return new ProviderRefusal(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
}
