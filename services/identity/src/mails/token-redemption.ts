import { type DatabasePool, isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { freeAddress } from '../accounts/email-change.ts'
import { deleteCredential, markEmailConfirmed, updateEmail, upsertCredential } from '../accounts/person-store.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { deleteIssuedCodes } from '../oauth/flow-state-store.ts'
import { projectUser } from '../projections.ts'
import { type Account, findAccount } from '../store.ts'
import { findOneTimeToken, type TokenProof, useOneTimeToken } from './one-time-token.ts'
import { deleteUnusedTokens, type OneTimeToken } from './one-time-token-store.ts'

export type Redemption =
  /** `account` as it is now. */
  | { readonly outcome: 'redeemed'; readonly account: Account; readonly token: OneTimeToken }
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
export async function redeemMailedToken(
  pool: DatabasePool,
  proof: TokenProof,
  { now, correlationId }: { readonly now: Date; readonly correlationId: string },
): Promise<Redemption> {
  const token = await findOneTimeToken(pool, proof, now)
  const account = token === null ? null : await findAccount(pool, token.userId)
  if (token === null || account === null) return { outcome: 'invalid' }
  // It was mailed to nobody, and is there because somebody who can confirm theirs has one.
  if (account.isClaimant) return { outcome: 'invalid' }
  // Somebody whose address has changed since does not own what an older mail says.
  if (token.kind !== 'email_change' && token.email !== account.email) return { outcome: 'invalid' }
  if (token.usedAt !== null) return { outcome: 'already-used', account, token }
  if (account.isBanned) return { outcome: 'banned' }
  const apply = (transaction: Transaction) => applyToken(transaction, account, token, now)
  try {
    if (account.emailConfirmedAt === null) await verifyAnd(apply, pool, account.userId, now, correlationId)
    else await pool.transaction(apply)
  } catch (error) {
    if (error instanceof TokenIsGone) return { outcome: 'invalid' }
    // The account was closed.
    if (error instanceof Rejection && error.code === 'not-found') return { outcome: 'invalid' }
    if (isUniqueViolation(error, 'people_email_key')) return { outcome: 'email-taken' }
    throw error
  }
  const changed = await findAccount(pool, account.userId)
  return changed === null ? { outcome: 'invalid' } : { outcome: 'redeemed', account: changed, token }
}

/** Somebody was faster. */
class TokenIsGone extends Error {
  override readonly name = 'TokenIsGone'
}

/** As the address is confirmed for the first time, the log says so. */
async function verifyAnd(
  apply: (transaction: Transaction) => Promise<void>,
  pool: DatabasePool,
  userId: number,
  now: Date,
  correlationId: string,
): Promise<void> {
  const { events } = await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: { type: 'VerifyEmail', at: now.toISOString() },
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, recorded) => {
      for (const event of recorded) await projectUser(transaction, event)
      await apply(transaction)
    },
  })
  if (events.length === 0) await pool.transaction(apply)
}

async function applyToken(transaction: Transaction, account: Account, token: OneTimeToken, now: Date): Promise<void> {
  const { userId } = account
  await lockPerson(transaction, userId)
  if (!(await useOneTimeToken(transaction, token, now))) throw new TokenIsGone()
  const at = now.toISOString()
  switch (token.kind) {
    case 'signup':
      await markEmailConfirmed(transaction, userId, at)
      // Of several who registered with this address, the one whose link was opened is its owner. Once it was proven in
      // another way, the password of some form means nothing any more.
      if (token.passwordHash !== null && account.emailConfirmedAt === null) {
        await upsertCredential(transaction, { userId, passwordHash: token.passwordHash, at })
      }
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
