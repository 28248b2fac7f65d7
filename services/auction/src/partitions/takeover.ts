import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { stateMessage } from '../live/frames.ts'
import { stateFromRow } from '../log/row-store.ts'
import { listChangedLately } from '../store.ts'

/** Longer than a partition can be without an owner, with room for a slow start, and than it takes to notice that the bus is away. */
const CHANGED_WITHIN_MS = 15_000

/**
 * Shows watchers the auctions that changed shortly before these partitions were taken over. Their last owner may have committed a bid, a
 * revision, an end or a cancellation, and died before it could show it; without another bid nobody would ever notice. The same for what an owner
 * could show to nobody.
 * @param options.unheardMs for how long it was without the bus
 */
export async function showTaken(options: {
  readonly pool: DatabasePool
  readonly publishLive: (auctionId: number, message: string) => void
  readonly parts: readonly number[]
  readonly unheardMs?: number
}): Promise<void> {
  const { pool, publishLive, parts, unheardMs = 0 } = options
  for (const row of await listChangedLately(pool, parts, CHANGED_WITHIN_MS + unheardMs)) {
    publishLive(row.auctionId, stateMessage(stateFromRow(row), row.nowMs))
  }
}
