import type { EventHandlers } from '@wangian/kit/consumer.ts'
import { closeAuction, saveAuctionTerms, saveBid, saveSeller } from './store.ts'

/** Sellers are known by name. */
export const identityReactions: EventHandlers<'identity'> = {
  UserRegistered: (transaction, { data }) => saveSeller(transaction, data.userId, data.username),
}

/**
 * What cards and pages say of a product's auction. Each event writes its own columns and none needs another before it,
 * so events may come twice and in any order.
 */
export const auctionReactions: EventHandlers<'auction'> = {
  AuctionOpened: (transaction, { data }) => saveAuctionTerms(transaction, data, data.openedAt),
  AuctionRevised: (transaction, { data }) => saveAuctionTerms(transaction, data, data.revisedAt),
  BidPlaced: (transaction, { data }) => saveBid(transaction, data),
  AuctionEnded: (transaction, { data }) => closeAuction(transaction, data.auctionId, 'ended'),
  AuctionCancelled: (transaction, { data }) => closeAuction(transaction, data.auctionId, 'cancelled'),
}
