import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import type { RecordedEvent } from '@wangian/kit/log/event-store.ts'
import { rebuildProjection } from '@wangian/kit/log/projector.ts'
import { cancelAuction, endAuction, insertAuction, updateLeader, updateTerms } from './store.ts'

/**
 * Writes one event of the log into `auctions`. Owners write the same rows themselves, once per batch and within it; this is for filling
 * the table from the log.
 */
async function projectAuction(transaction: Transaction, event: RecordedEvent<AuctionEvent>): Promise<void> {
  switch (event.type) {
    case 'AuctionOpened':
      return insertAuction(transaction, event.data, event)
    case 'AuctionRevised':
      return updateTerms(transaction, event.data, event)
    case 'BidPlaced':
      return updateLeader(transaction, event.data, event)
    case 'AuctionEnded':
      return endAuction(transaction, event.data, event)
    case 'AuctionCancelled':
      return cancelAuction(transaction, event.data.auctionId, event)
    default:
      return event satisfies never
  }
}

/** Empties `auctions` and fills it from the log. @returns how many events were replayed */
export async function rebuildAuctions(pool: DatabasePool): Promise<number> {
  return rebuildProjection({ service: 'auction', pool, tables: ['auctions'], project: projectAuction })
}
