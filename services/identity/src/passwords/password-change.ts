import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { upsertCredential } from '../accounts/person-store.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { deleteUnusedTokens } from '../mails/one-time-token-store.ts'
import { mailPasswordChanged, mailPasswordSet } from '../mails/provider-mails.ts'
import type { Recipient } from '../mails/text-mail.ts'
import { projectUser } from '../projections.ts'
import { endSessions } from '../sessions/revocation.ts'

export interface PasswordChange {
  readonly account: Recipient
  /** From `hashPassword`. */
  readonly passwordHash: string
  /** The session that stays: that of the person who asks. Without one all end. */
  readonly keptSessionId?: string
  readonly now: Date
  readonly correlationId: string
  /** Whoever asks has read a mail to their address. */
  readonly provesAddress?: boolean
  /** What else belongs to it, e.g. using up the token that allowed it; throwing undoes all. */
  readonly within?: (transaction: Transaction) => Promise<void>
}

/**
 * Sets somebody's password in one transaction with all that follows from it: other sessions end, mails that would set
 * another one are worth nothing, and the person is told by mail. Call `onAppended` afterwards.
 */
export async function changePassword(
  { pool, publicUrl }: { readonly pool: DatabasePool; readonly publicUrl: string },
  change: PasswordChange,
): Promise<void> {
  const { account, passwordHash, keptSessionId, provesAddress = false, now, correlationId, within } = change
  const { userId } = account
  const at = now.toISOString()
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: provesAddress ? { type: 'ResetPassword', at } : { type: 'RevokeSessions', reason: 'password-changed', at },
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
      await lockPerson(transaction, userId)
      await within?.(transaction)
      const isFirst = await upsertCredential(transaction, { userId, passwordHash, at })
      const kept = keptSessionId === undefined ? {} : { exceptId: keptSessionId }
      await endSessions(transaction, { userId, ...kept, reason: 'password-changed' })
      await deleteUnusedTokens(transaction, userId, ['recovery'])
      const mail = isFirst ? mailPasswordSet : mailPasswordChanged
      await mail(transaction, account, publicUrl)
    },
  })
}
