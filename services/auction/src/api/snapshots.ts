import type { NatsConnection } from '@nats-io/transport-node'
import { auctionRequests } from '@wangian/contracts/auction.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { createGate } from '@wangian/kit/gate.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { isoFromMs } from '../domain.ts'
import { liveView } from '../live/frames.ts'
import { stateFromRow } from '../log/row-store.ts'
import { findAuction } from '../store.ts'
import { newestBids } from './routes.ts'

/** Snapshots that are read at once: pages have the rest of the pool, and bids that of Postgres. */
const RUNNING_MAX = 4
/** Beyond this many the next would not be answered in time. */
const WAITING_MAX = 500

/** Answers what a socket gets when it joins a room. Any instance can: it reads what is committed. */
export function serveSnapshots(options: { nats: NatsConnection; pool: DatabasePool; log: Logger }): {
  stop(): Promise<void>
} {
  const { nats, pool, log } = options
  const gate = createGate({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX })
  return serveRequests(
    nats,
    'auction',
    auctionRequests.getSnapshot,
    ({ auctionId }) =>
      gate.run(async () => {
        const row = await findAuction(pool, auctionId)
        if (row === null) return { snapshot: null }
        const auction = liveView(stateFromRow(row), row.nowMs)
        const bids = await newestBids(pool, row)
        return { snapshot: { auctionId, auction, bids, seq: row.bidCount, serverTime: isoFromMs(row.nowMs) } }
      }),
    { log },
  )
}
