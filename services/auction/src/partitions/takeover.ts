import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { stateMessage } from '../live/frames.ts'
import { stateFromRow } from '../log/row-store.ts'
import { listChangedLately } from '../store.ts'

/** Longer than a partition can be without an owner, with room for a slow start. */
const CHANGED_WITHIN_MS = 15_000

/**
 * Shows watchers the auctions that changed shortly before these partitions were taken over. Their last owner may have committed a bid, a
 * revision, an end or a cancellation, and died before it could show it; without another bid nobody would ever notice.
 */
export async function showTaken(options: {
  readonly pool: DatabasePool
  readonly publishLive: (auctionId: number, message: string) => void
  readonly parts: readonly number[]
}): Promise<void> {
  const { pool, publishLive, parts } = options
  for (const row of await listChangedLately(pool, parts, CHANGED_WITHIN_MS)) {
    publishLive(row.auctionId, stateMessage(stateFromRow(row), row.nowMs))
  }
}
