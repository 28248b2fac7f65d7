import type { RevocationReason, SessionsRevoked } from '@wangian/contracts/revocations.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { deleteUnusedTokens } from '../mails/one-time-token-store.ts'
import { deleteIssuedCodes } from '../oauth/flow-state-store.ts'
import {
  deleteSessions,
  insertRevocations,
  markSessionsRevoked,
  notifyOnCommit,
  type SessionChoice,
} from './revocation-store.ts'

/** A notification holds 8,000 bytes at most. */
const SESSIONS_PER_NOTIFICATION = 100

/**
 * Ends sessions: the one way in which they end before their time, whoever ends them. Their refresh tokens are worth nothing
 * from the commit on, and with the commit every service is told, so that their application tokens and sockets are, too.
 * With neither `sessionIds` nor `exceptId` all of the user's end. When all or all others end, so do a change of address that nobody has
 * confirmed yet and codes that nobody has exchanged yet. In a transaction that appends to the log it must come
 * after the append, i.e. in `project`.
 */
export async function endSessions(
  transaction: Transaction,
  ended: SessionChoice & { readonly reason: RevocationReason },
): Promise<void> {
  const { userId, reason } = ended
  if (ended.sessionIds === undefined) await lockPerson(transaction, userId)
  // A thief who tries again must be recognised again, and a banned person told so.
  const isKept = reason === 'token-reused' || reason === 'banned'
  const end = isKept ? markSessionsRevoked : deleteSessions
  const sessionIds = await end(transaction, ended)
  if (ended.sessionIds === undefined) {
    // Whoever began it may be the one who is to be shut out.
    await deleteIssuedCodes(transaction, userId)
    await deleteUnusedTokens(transaction, userId, ['email_change'])
  }
  if (sessionIds.length === 0) return
  await insertRevocations(transaction, { userId, sessionIds, reason })
  for (let start = 0; start < sessionIds.length; start += SESSIONS_PER_NOTIFICATION) {
    const message: SessionsRevoked = {
      userId,
      sessionIds: sessionIds.slice(start, start + SESSIONS_PER_NOTIFICATION),
      reason,
    }
    await notifyOnCommit(transaction, JSON.stringify(message))
  }
}
