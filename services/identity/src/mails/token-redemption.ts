import { type DatabasePool, isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { freeAddress } from '../accounts/email-change.ts'
import {
  deleteCredential,
  markEmailConfirmed,
  updateEmail,
  updateNames,
  upsertCredential,
} from '../accounts/person-store.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { deleteIssuedCodes } from '../oauth/flow-state-store.ts'
import { projectUser } from '../projections.ts'
import { isUserWelcome } from '../sessions/session-store.ts'
import { type Account, findAccount, findUsernameOwner } from '../store.ts'
import { findOneTimeToken, type TokenProof, useOneTimeToken } from './one-time-token.ts'
import { deleteUnusedTokens, type OneTimeToken, type SignUpNames } from './one-time-token-store.ts'

export type Redemption<Opened = void> =
  /** `account` as it is now. */
  | { readonly outcome: 'redeemed'; readonly account: Account; readonly opened: Opened }
  /** By its link only, and before it would have expired. */
  | { readonly outcome: 'already-used'; readonly account: Account; readonly token: OneTimeToken }
  | { readonly outcome: 'banned' }
  /** Somebody else confirmed the new address of an email change in the meantime. */
  | { readonly outcome: 'email-taken' }
  /** Unknown, expired, or a wrong code. */
  | { readonly outcome: 'invalid' }

/**
 * Redeems what was mailed to somebody: the address is theirs, and is their address from now on. It opens no session, and
 * a recovery sets no password. Call `onAppended` afterwards.
 */
export function redeemMailedToken(
  pool: DatabasePool,
  proof: TokenProof,
  at: { readonly now: Date; readonly correlationId: string },
): Promise<Redemption> {
  return redeemAndOpen(pool, proof, at, async () => {})
}

/**
 * The same, and `open` begins a session, or issues the code for one, in the transaction that uses the token up: whoever ends all sessions
 * either ends this one or the token.
 */
export async function redeemAndOpen<Opened>(
  pool: DatabasePool,
  proof: TokenProof,
  { now, correlationId }: { readonly now: Date; readonly correlationId: string },
  open: (transaction: Transaction, token: OneTimeToken) => Promise<Opened>,
): Promise<Redemption<Opened>> {
  const token = await findOneTimeToken(pool, proof, now)
  const account = token === null ? null : await findAccount(pool, token.userId)
  if (token === null || account === null) return { outcome: 'invalid' }
  // It was mailed to nobody, and is there because somebody who can confirm theirs has one.
  if (account.isClaimant) return { outcome: 'invalid' }
  // Somebody whose address has changed since does not own what an older mail says.
  if (token.kind !== 'email_change' && token.email !== account.email) return { outcome: 'invalid' }
  if (token.usedAt !== null) return { outcome: 'already-used', account, token }
  if (account.isBanned) return { outcome: 'banned' }
  const apply = async (transaction: Transaction) => {
    await applyMailedToken(transaction, account, token, now)
    return open(transaction, token)
  }
  let opened: Opened
  try {
    if (account.emailConfirmedAt === null) {
      const takesNames = token.names !== null
      opened = await verifyAnd(apply, pool, { userId: account.userId, takesNames, now, correlationId })
    } else opened = await pool.transaction(apply)
  } catch (error) {
    if (error instanceof TokenIsGone) return { outcome: 'invalid' }
    if (error instanceof Rejection && error.code === 'account-suspended') return { outcome: 'banned' }
    // The account was closed.
    if (error instanceof Rejection && error.code === 'not-found') return { outcome: 'invalid' }
    if (isUniqueViolation(error, 'people_email_key')) return { outcome: 'email-taken' }
    // Somebody took the username at this moment; the next time it is known, and the link is as good as before.
    if (isUniqueViolation(error, 'people_by_username')) return { outcome: 'invalid' }
    throw error
  }
  const changed = await findAccount(pool, account.userId)
  return changed === null ? { outcome: 'invalid' } : { outcome: 'redeemed', account: changed, opened }
}

/** Somebody was faster. */
export class TokenIsGone extends Error {
  override readonly name = 'TokenIsGone'
}

/** As the address is confirmed for the first time, the log says so. */
async function verifyAnd<Result>(
  apply: (transaction: Transaction) => Promise<Result>,
  pool: DatabasePool,
  verification: {
    readonly userId: number
    readonly takesNames: boolean
    readonly now: Date
    readonly correlationId: string
  },
): Promise<Result> {
  const { userId, takesNames, now, correlationId } = verification
  const applied: Result[] = []
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: { type: 'VerifyEmail', takesNames, at: now.toISOString() },
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, recorded) => {
      for (const event of recorded) await projectUser(transaction, event)
      applied[0] = await apply(transaction)
    },
  })
  return applied.length > 0 ? (applied[0] as Result) : pool.transaction(apply)
}

/**
 * Uses a token up, and does what follows from it; the log is told by the caller, in the same transaction.
 * @throws TokenIsGone; Rejection('account-suspended') for somebody who is banned or has left
 */
export async function applyMailedToken(
  transaction: Transaction,
  account: Account,
  token: OneTimeToken,
  now: Date,
): Promise<void> {
  const { userId } = account
  // `users` is locked before the person, as by a ban: one that comes at the same moment ends what is opened, or is seen here.
  const isWelcome = await isUserWelcome(transaction, userId)
  await lockPerson(transaction, userId)
  if (!(await useOneTimeToken(transaction, token, now))) throw new TokenIsGone()
  if (!isWelcome) throw new Rejection('account-suspended')
  const at = now.toISOString()
  switch (token.kind) {
    case 'signup':
      await markEmailConfirmed(transaction, userId, at)
      // Of several who registered with this address, the one whose link was opened is its owner. Once it was proven in
      // another way, the password of some form means nothing any more.
      if (account.emailConfirmedAt !== null) return
      if (token.passwordHash !== null) {
        await upsertCredential(transaction, { userId, passwordHash: token.passwordHash, at })
      }
      if (token.names !== null) await takeNames(transaction, userId, token.names, at)
      return
    case 'recovery':
      // Until now anybody may have registered with this address, and would know the password.
      if (account.emailConfirmedAt === null) await deleteCredential(transaction, userId)
      await markEmailConfirmed(transaction, userId, at)
      return deleteUnusedTokens(transaction, userId, ['signup'])
    case 'email_change':
      await freeAddress(transaction, token.email)
      await updateEmail(transaction, { userId, email: token.email, at })
      // They were given to whoever read the mails to the old address.
      await deleteIssuedCodes(transaction, userId)
      return deleteUnusedTokens(transaction, userId, ['recovery', 'signup'])
    default:
      token.kind satisfies never
  }
}

/** Without a username that was given to somebody else meanwhile. */
async function takeNames(
  transaction: Transaction,
  userId: number,
  { username, ...names }: SignUpNames,
  at: string,
): Promise<void> {
  const ownerId = username === null ? null : await findUsernameOwner(transaction, username)
  const isFree = ownerId === null || ownerId === userId
  await updateNames(transaction, { userId, username: isFree ? (username ?? undefined) : undefined, ...names, at })
}
