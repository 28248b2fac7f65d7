import type { BulkEventHandlers, EventHandlers } from '@wangian/kit/consumer.ts'
import { closeAuction, saveAuctionTerms, saveBids, saveSeller } from './store.ts'

/** Sellers are known by name. */
export const identityReactions: EventHandlers<'identity'> = {
  UserRegistered: async (transaction, { data: { userId, person } }) => {
    if (person !== null) await saveSeller(transaction, userId, person.username)
  },
}

/**
 * What cards and pages say of a product's auction. Each event writes its own columns and none needs another before it,
 * so events may come twice and in any order.
 */
export const auctionReactions: EventHandlers<'auction'> = {
  AuctionOpened: (transaction, { data }) => saveAuctionTerms(transaction, data, data.openedAt),
  AuctionRevised: (transaction, { data }) => saveAuctionTerms(transaction, data, data.revisedAt),
  AuctionEnded: (transaction, { data }) => closeAuction(transaction, data.auctionId, 'ended'),
  AuctionCancelled: (transaction, { data }) => closeAuction(transaction, data.auctionId, 'cancelled'),
}

/** The same for what comes by the thousand. */
export const auctionBulkReactions: BulkEventHandlers<'auction'> = {
  BidPlaced: (transaction, events) =>
    saveBids(
      transaction,
      events.map(({ data }) => data),
    ),
}
