import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { PictureFiles } from '@wangian/kit/files/picture-files.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { removeUnusedFiles } from '../accounts/profile-pictures.ts'
import { deleteExpiredTokens } from '../mails/one-time-token-store.ts'
import { forgetOldFlows } from '../oauth/flow-state.ts'
import { endStaleSessions, idleSince } from '../sessions/sessions.ts'
import { eraseClosedAccounts, eraseUnconfirmedAccounts } from './erasure.ts'
import { listPeopleWithIdleSessions } from './upkeep-store.ts'

const INTERVAL_MS = 60 * 60 * 1000
const DELETED_AT_ONCE_MAX = 1_000
const PEOPLE_PER_PAGE = 100

interface UpkeepDependencies {
  readonly pool: DatabasePool
  readonly files: PictureFiles
  readonly log: Logger
  /** Ends it after the account or the file under way; what is left is done the next time. */
  readonly signal?: AbortSignal
}

/** Does {@link keepUp} at once and then every hour, in one process at a time. */
export function startUpkeep(
  options: Omit<UpkeepDependencies, 'signal'> & {
    readonly locks: Locks
    readonly now?: () => Date
    readonly intervalMs?: number
    /** Called when somebody was erased. */
    readonly onAppended: () => void
  },
): { stop(): Promise<void> } {
  const { locks, now = () => new Date(), intervalMs = INTERVAL_MS, onAppended, ...dependencies } = options
  return startExclusiveJob({
    locks,
    job: 'upkeep',
    everyMs: intervalMs,
    log: options.log,
    work: async (signal) => {
      const erased = await keepUp({ ...dependencies, signal }, now())
      if (erased > 0) onAppended()
    },
  })
}

/**
 * Erases who has left and who never confirmed their address, and forgets what nobody can use any more. What fails is logged and done the next time.
 * @returns how many accounts were erased
 */
export async function keepUp(dependencies: UpkeepDependencies, now: Date): Promise<number> {
  const { pool, files, log, signal } = dependencies
  let erased = 0
  const tasks = {
    erasure: async () => {
      erased += await eraseClosedAccounts({ pool, now, log, signal })
    },
    unconfirmed: async () => {
      erased += await eraseUnconfirmedAccounts({ pool, now, log, signal })
    },
    tokens: () => deleteExpiredTokens(pool, now.toISOString(), DELETED_AT_ONCE_MAX),
    flows: () => forgetOldFlows(pool, now),
    sessions: () => endIdleSessions(dependencies, now),
    files: () => removeUnusedFiles(pool, files, log, signal),
  }
  for (const [task, run] of Object.entries(tasks)) {
    if (signal?.aborted) break
    try {
      await run()
    } catch (error) {
      log.warn({ err: error, task }, 'a part of the upkeep failed')
    }
  }
  return erased
}

/** Of one person after the other: whose sessions cannot be ended now does not keep back the others. */
async function endIdleSessions({ pool, log, signal }: UpkeepDependencies, now: Date): Promise<void> {
  const idle = { refreshedBefore: idleSince(now), limit: PEOPLE_PER_PAGE }
  for (let afterId = 0; ; ) {
    const userIds = await listPeopleWithIdleSessions(pool, { ...idle, afterId })
    for (const userId of userIds) {
      if (signal?.aborted) return
      try {
        await pool.transaction((transaction) => endStaleSessions(transaction, userId, now))
      } catch (error) {
        log.error({ err: error, userId }, 'idle sessions could not be ended')
      }
      afterId = userId
    }
    if (userIds.length < PEOPLE_PER_PAGE) return
  }
}
