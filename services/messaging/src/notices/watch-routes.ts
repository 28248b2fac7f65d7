import { noticeRoutes, WATCHES_MAX } from '@wangian/contracts/notices.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { lock } from '../lock-store.ts'
import { countWatches, findWatch, saveWatch } from './watch-store.ts'

/** What people say of the auctions that they watch. */
export function addWatchRoutes(app: App, { pool }: { readonly pool: DatabasePool }): void {
  handle(app, noticeRoutes.getWatch, async ({ params: { auctionId }, user }) => {
    const isWatching = await findWatch(pool, user.id, auctionId)
    if (isWatching === null) throw new Rejection('auction-not-found')
    return { status: 200, body: { isWatching } }
  })

  async function setWatching(userId: number, auctionId: number, isWatching: boolean) {
    await pool.transaction(async (transaction) => {
      // One at a time for each person, so that the limit holds.
      await lock(transaction, `watches-${userId}`)
      const before = await findWatch(transaction, userId, auctionId)
      if (before === null) throw new Rejection('auction-not-found')
      if (before === isWatching) return
      if (isWatching && (await countWatches(transaction, userId)) >= WATCHES_MAX) throw new Rejection('watches-full')
      await saveWatch(transaction, { userId, auctionId, isWatching, at: new Date().toISOString() })
    })
    return { status: 200, body: { isWatching } } as const
  }
  handle(app, noticeRoutes.watchAuction, ({ params, user }) => setWatching(user.id, params.auctionId, true))
  handle(app, noticeRoutes.unwatchAuction, ({ params, user }) => setWatching(user.id, params.auctionId, false))
}
