import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { forgetLeaver, listLeavers, removeSomeOfLeaver } from './favorite-store.ts'

const EVERY_MS = 10_000
const LEAVERS_AT_ONCE_MAX = 100
/** Each may be hundreds of days to count it back on; whoever counts something of the same products waits meanwhile. */
const REMOVED_AT_ONCE_MAX = 10

/** Does {@link removeOfLeavers} again and again, in one process at a time. */
export function startFavoriteRemoval({
  locks,
  pool,
  log,
}: {
  readonly locks: Locks
  readonly pool: DatabasePool
  readonly log?: Logger
}): { stop(): Promise<void> } {
  return startExclusiveJob({
    locks,
    job: 'favorite-removal',
    everyMs: EVERY_MS,
    log,
    work: (signal) => removeOfLeavers(pool, signal),
  })
}

/** Removes what people who have left kept for later, some at a time. */
export async function removeOfLeavers(pool: DatabasePool, signal?: AbortSignal): Promise<void> {
  for (const userId of await listLeavers(pool, LEAVERS_AT_ONCE_MAX)) {
    for (let removed = REMOVED_AT_ONCE_MAX; removed === REMOVED_AT_ONCE_MAX; ) {
      if (signal?.aborted) return
      removed = await pool.transaction((transaction) => removeSomeOfLeaver(transaction, userId, REMOVED_AT_ONCE_MAX))
    }
    await forgetLeaver(pool, userId)
  }
}
