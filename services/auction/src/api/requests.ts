import type { NatsConnection } from '@nats-io/transport-node'
import { auctionRequests, BIDDERS_MAX } from '@wangian/contracts/auction.ts'
import { createRequestServer } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool, Executor } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { isoFromMs } from '../domain.ts'
import { findAuctionOfProduct, isBeingOpened, isReserved, listBidders } from '../store.ts'
import { withdrawAuction } from './withdrawal.ts'

/**
 * Answers what catalogue must know before a listing is changed or taken away. Any instance can: what it reads is as new as the log,
 * and a command goes to the owner wherever it is.
 */
export function serveAuctionsOfProducts(options: { nats: NatsConnection; pool: DatabasePool; log: Logger }): {
  stop(): Promise<void>
} {
  const { nats, pool, log } = options
  const requests = createRequestServer(nats, 'auction', log)
  requests.answer(auctionRequests.findOpenAuction, async ({ productId }) => {
    // In this order: one that comes between the first two is then seen as open, and one that ends between the last two as won.
    const opening = await isBeingOpened(pool, productId)
    const row = await findAuctionOfProduct(pool, productId)
    const isOpen = row?.status === 'open'
    return {
      auction: isOpen
        ? {
            auctionId: row.auctionId,
            bidCount: row.bidCount,
            endsAt: isoFromMs(row.endsAtMs),
            buyNowSen: row.buyNowSen,
          }
        : null,
      isReserved: await isReserved(pool, productId),
      isBeingOpened: opening && !isOpen,
    }
  })
  requests.answer(auctionRequests.withdrawAuction, async (removal) => ({
    wasOpen: await withdrawAuction({ executor: pool, nats }, removal),
  }))
  requests.answer(auctionRequests.listBidders, async ({ productId }) => ({
    userIds: [...(await whoLoses(pool, productId))],
  }))
  return requests
}

async function whoLoses(executor: Executor, productId: number): Promise<readonly number[]> {
  const auction = await findAuctionOfProduct(executor, productId)
  if (auction?.status === 'cancelled') return listBidders(executor, auction.auctionId, BIDDERS_MAX)
  const isLost = auction?.winnerId != null && (await isReserved(executor, productId))
  return isLost && auction?.winnerId != null ? [auction.winnerId] : []
}
