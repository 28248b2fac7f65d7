import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { queueMail } from '@wangian/kit/mail/mail.ts'
import { deleteMailsOf } from '@wangian/kit/mail/mail-store.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { hasPasswordHash, isAdministrator } from '../accounts/person-store.ts'
import { accountClosedMail } from '../mails/closing-mail.ts'
import { projectUser } from '../projections.ts'
import { endSessions } from '../sessions/revocation.ts'
import { type Account, findAccount } from '../store.ts'
import { countAdministrators, deleteWaysIn, findClosed, lockAdministrators, lockPerson } from './closing-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** So long a closed account can be brought back. JetStream keeps what was told of it for 7 days more: 14 in all, as we promise. */
export const ERASED_AFTER_MS = 7 * DAY_MS

export interface Closing {
  readonly account: Account
  /** What the password that was given was checked against; `null` for somebody without a password. */
  readonly passwordHash: string | null
  readonly now: Date
  readonly correlationId: string
}

/**
 * Closes an account at its owner's word: signed out everywhere, no way in any more, not to be seen by anybody, and erased
 * after {@link ERASED_AFTER_MS}. Call `onAppended` afterwards, which also sends the mail.
 * @throws Rejection('last-administrator'); Rejection('wrong-password') when there is another password by now
 */
export async function closeAccount(pool: DatabasePool, closing: Closing): Promise<void> {
  const { account, passwordHash, now, correlationId } = closing
  const { userId, email } = account
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: { type: 'CloseAccount', at: now.toISOString() },
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, events) => {
      await lockAdministrators(transaction)
      // Now, and not as the account was read: they may have been appointed in between.
      const isAdmin = await isAdministrator(transaction, userId)
      for (const event of events) await projectUser(transaction, event)
      if (isAdmin && (await countAdministrators(transaction)) === 0) throw new Rejection('last-administrator')
      await lockPerson(transaction, userId)
      if (passwordHash !== null && !(await hasPasswordHash(transaction, userId, passwordHash))) {
        throw new Rejection('wrong-password')
      }
      await endSessions(transaction, { userId, reason: 'closed' })
      await deleteWaysIn(transaction, userId)
      await deleteMailsOf(transaction, { personId: userId, address: email })
      await queueMail(transaction, accountClosedMail(account, new Date(now.getTime() + ERASED_AFTER_MS)))
    },
  })
}

/**
 * Brings a closed account back, as support does when asked in time. The person sets a new password by mail.
 * @param name the address or the username
 * @returns whether there was a closed account of that name
 */
export async function reopenAccount(pool: DatabasePool, name: string, now: Date): Promise<boolean> {
  const userId = await findClosed(pool, name.trim().toLowerCase())
  if (userId === null) return false
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: { type: 'ReopenAccount', at: now.toISOString() },
    metadata: { actorId: null, correlationId: 'support', causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
    },
  })
  invariant((await findAccount(pool, userId)) !== null, `user ${userId} is back`)
  return true
}
