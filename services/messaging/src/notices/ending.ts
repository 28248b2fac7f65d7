import { ENDING_NOTICE_MS } from '@wangian/contracts/notices.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { lockNotices } from './notice-store.ts'
import type { Teller } from './teller.ts'
import { takeEnding } from './watch-store.ts'

const AUCTIONS_AT_ONCE_MAX = 100

/** Tells whoever watches an auction that it is about to end, once for each end. What was due while nobody was there is told as long as it goes on. */
export async function tellOfEnding(pool: DatabasePool, teller: Teller, nowMs: number): Promise<void> {
  const now = new Date(nowMs).toISOString()
  const until = new Date(nowMs + ENDING_NOTICE_MS).toISOString()
  for (let taken = AUCTIONS_AT_ONCE_MAX; taken === AUCTIONS_AT_ONCE_MAX; ) {
    taken = await pool.transaction(async (transaction) => {
      // A page of the log holds auctions before it tells of them, and takes others after it: nothing is waited for under this lock.
      await lockNotices(transaction)
      const ending = await takeEnding(transaction, { now, until, limit: AUCTIONS_AT_ONCE_MAX })
      await teller.announce(
        transaction,
        ending.map(({ auctionId, productId }) => ({
          topic: 'auction',
          topicId: auctionId,
          audience: 'early-watchers',
          kind: 'auction-ending',
          otherId: null,
          productId,
          price: null,
          at: now,
          exceptIds: [],
        })),
      )
      return ending.length
    })
  }
}
