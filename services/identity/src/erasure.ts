import { runCommand } from '@wangian/kit/command.ts'
import { deleteDeadLetters } from '@wangian/kit/inbox.ts'
import type { Logger } from '@wangian/kit/log.ts'
import { deleteMailsOf } from '@wangian/kit/mail-store.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { ERASED_AFTER_MS } from './closing.ts'
import { deletePerson, findEmail, listToErase } from './closing-store.ts'
import { userDecider, userStream } from './domain.ts'
import { projectUser } from './projections.ts'

const ACCOUNTS_PER_PAGE = 100

/**
 * Erases every account that was closed {@link ERASED_AFTER_MS} ago: all that is personal is gone from our tables, and others
 * are told to drop what they have. One that fails does not keep back the others, and is tried again the next time.
 * @returns how many were erased
 */
export async function eraseClosedAccounts(options: {
  readonly pool: DatabasePool
  readonly now: Date
  readonly log: Logger
}): Promise<number> {
  const { pool, now, log } = options
  const closedUntil = new Date(now.getTime() - ERASED_AFTER_MS).toISOString()
  let erased = 0
  for (let afterId = 0; ; ) {
    const userIds = await listToErase(pool, { closedUntil, afterId, limit: ACCOUNTS_PER_PAGE })
    for (const userId of userIds) {
      try {
        await eraseAccount(pool, userId, now)
        erased += 1
      } catch (error) {
        log.error({ err: error, userId }, 'an account could not be erased')
      }
      afterId = userId
    }
    if (userIds.length < ACCOUNTS_PER_PAGE) return erased
  }
}

async function eraseAccount(pool: DatabasePool, userId: number, now: Date): Promise<void> {
  const stream = userStream(userId)
  await runCommand({
    pool,
    decider: userDecider,
    stream,
    command: { type: 'EraseUser', at: now.toISOString() },
    metadata: { actorId: null, correlationId: 'erasure', causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
      const address = await findEmail(transaction, userId)
      await deleteMailsOf(transaction, { personId: userId, address })
      await deleteDeadLetters(transaction, stream)
      // The files of their pictures are removed by what removes all files that belong to nobody.
      await deletePerson(transaction, userId)
    },
  })
}
