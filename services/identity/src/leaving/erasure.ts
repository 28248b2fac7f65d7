import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { deleteLettersOfStreams } from '@wangian/kit/log/dead-letters.ts'
import { deleteMailsOf } from '@wangian/kit/mail/mail-store.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { projectUser } from '../projections.ts'
import { ERASED_AFTER_MS } from './closing.ts'
import { deletePerson, findEmail, isConfirmed, listToErase, listUnconfirmed } from './closing-store.ts'

const ACCOUNTS_PER_PAGE = 100
export const CONFIRMED_WITHIN_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Erases every account that was closed {@link ERASED_AFTER_MS} ago: all that is personal is gone from our tables, and others
 * are told to drop what they have. One that fails does not keep back the others, and is tried again the next time.
 * @returns how many were erased
 */
export function eraseClosedAccounts(erasure: Erasure): Promise<number> {
  const { pool, now } = erasure
  const closedUntil = new Date(now.getTime() - ERASED_AFTER_MS).toISOString()
  return eraseEach(
    erasure,
    (afterId) => listToErase(pool, { closedUntil, afterId, limit: ACCOUNTS_PER_PAGE }),
    (userId) => eraseAccount(pool, userId, 'EraseUser', now),
  )
}

/**
 * Erases every account that was made {@link CONFIRMED_WITHIN_MS} ago and whose address nobody has confirmed since: its name and its
 * address are free again.
 * @returns how many were erased
 */
export function eraseUnconfirmedAccounts(erasure: Erasure): Promise<number> {
  const { pool, now } = erasure
  const registeredUntil = new Date(now.getTime() - CONFIRMED_WITHIN_MS).toISOString()
  const at = now.toISOString()
  return eraseEach(
    erasure,
    (afterId) => listUnconfirmed(pool, { registeredUntil, at, afterId, limit: ACCOUNTS_PER_PAGE }),
    (userId) => eraseAccount(pool, userId, 'EraseUnconfirmed', now),
  )
}

interface Erasure {
  readonly pool: DatabasePool
  readonly now: Date
  readonly log: Logger
  /** Ends it after the account under way. */
  readonly signal?: AbortSignal | undefined
}

async function eraseEach(
  { log, signal }: Erasure,
  list: (afterId: number) => Promise<readonly number[]>,
  erase: (userId: number) => Promise<boolean>,
): Promise<number> {
  let erased = 0
  for (let afterId = 0; ; ) {
    const userIds = await list(afterId)
    for (const userId of userIds) {
      if (signal?.aborted) return erased
      try {
        if (await erase(userId)) erased += 1
      } catch (error) {
        log.error({ err: error, userId }, 'an account could not be erased')
      }
      afterId = userId
    }
    if (userIds.length < ACCOUNTS_PER_PAGE) return erased
  }
}

/** @returns whether there was something to erase */
async function eraseAccount(
  pool: DatabasePool,
  userId: number,
  type: 'EraseUser' | 'EraseUnconfirmed',
  now: Date,
): Promise<boolean> {
  const stream = userStream(userId)
  const { events: added } = await runCommand({
    pool,
    decider: userDecider,
    stream,
    command: { type, at: now.toISOString() },
    metadata: { actorId: null, correlationId: 'erasure', causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
      invariant(type === 'EraseUser' || !(await isConfirmed(transaction, userId)), `user ${userId} is not confirmed`)
      const address = await findEmail(transaction, userId)
      await deleteMailsOf(transaction, { personId: userId, address })
      await deleteLettersOfStreams(transaction, [stream])
      // The files of their pictures are removed by what removes all files that belong to nobody.
      await deletePerson(transaction, userId)
    },
  })
  return added.length > 0
}
