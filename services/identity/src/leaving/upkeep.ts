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

interface UpkeepDependencies {
  readonly pool: DatabasePool
  readonly files: PictureFiles
  readonly log: Logger
}

/** Does {@link keepUp} at once and then every hour, in one process at a time. */
export function startUpkeep(
  options: UpkeepDependencies & {
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
    work: async () => {
      const erased = await keepUp(dependencies, now())
      if (erased > 0) onAppended()
    },
  })
}

/**
 * Erases who has left and who never confirmed their address, and forgets what nobody can use any more. What fails is logged and done the next time.
 * @returns how many accounts were erased
 */
export async function keepUp({ pool, files, log }: UpkeepDependencies, now: Date): Promise<number> {
  let erased = 0
  const tasks = {
    erasure: async () => {
      erased += await eraseClosedAccounts({ pool, now, log })
    },
    unconfirmed: async () => {
      erased += await eraseUnconfirmedAccounts({ pool, now, log })
    },
    tokens: () => deleteExpiredTokens(pool, now.toISOString(), DELETED_AT_ONCE_MAX),
    flows: () => forgetOldFlows(pool, now),
    sessions: () => endIdleSessions(pool, now),
    files: () => removeUnusedFiles(pool, files, log),
  }
  for (const [task, run] of Object.entries(tasks)) {
    try {
      await run()
    } catch (error) {
      log.warn({ err: error, task }, 'a part of the upkeep failed')
    }
  }
  return erased
}

async function endIdleSessions(pool: DatabasePool, now: Date): Promise<void> {
  for (const userId of await listPeopleWithIdleSessions(pool, idleSince(now), DELETED_AT_ONCE_MAX))
    await pool.transaction((transaction) => endStaleSessions(transaction, userId, now))
}
