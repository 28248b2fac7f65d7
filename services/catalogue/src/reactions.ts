import type { PublicPerson } from '@wangian/contracts/identity.ts'
import type { BulkEventHandlers, EventHandlers } from '@wangian/kit/consumer.ts'
import { deleteDeadLetters } from '@wangian/kit/inbox.ts'
import type { Transaction } from '@wangian/kit/postgres.ts'
import { clearSeller, closeAuction, saveAuctionTerms, saveBan, saveBids, saveClosed, saveSeller } from './store.ts'

/**
 * Sellers are known by name and picture, and whether their listings are shown. Nobody is told of any more who has gone, and the events from
 * before say so, too.
 */
export const identityReactions: EventHandlers<'identity'> = {
  UserRegistered: (transaction, { data }) => tell(transaction, data),
  ProfileUpdated: (transaction, { data }) => tell(transaction, data),
  AccountReopened: async (transaction, { data }) => {
    await tell(transaction, data)
    await saveClosed(transaction, data.userId, data.person === null)
  },
  UserBanned: (transaction, { data: { userId }, version }) => saveBan(transaction, { userId, isBanned: true, version }),
  UserUnbanned: (transaction, { data: { userId }, version }) =>
    saveBan(transaction, { userId, isBanned: false, version }),
  AccountClosed: (transaction, { data }) => forget(transaction, data.userId),
  UserErased: async (transaction, { data, stream }) => {
    await forget(transaction, data.userId)
    await deleteDeadLetters(transaction, stream)
  },
}

async function forget(transaction: Transaction, userId: number): Promise<void> {
  await clearSeller(transaction, userId)
  await saveClosed(transaction, userId, true)
}

async function tell(
  transaction: Transaction,
  { userId, person }: { readonly userId: number; readonly person: PublicPerson | null },
): Promise<void> {
  if (person === null) await clearSeller(transaction, userId)
  else await saveSeller(transaction, userId, person)
}

/**
 * What cards and pages say of a product's auction. Each event writes its own columns and none needs another before it,
 * so events may come twice and in any order.
 */
export const auctionReactions: EventHandlers<'auction'> = {
  AuctionOpened: (transaction, { data }) => saveAuctionTerms(transaction, data, data.openedAt),
  AuctionRevised: (transaction, { data }) => saveAuctionTerms(transaction, data, data.revisedAt),
  AuctionEnded: (transaction, { data }) => closeAuction(transaction, data.auctionId, { closedAs: 'ended', ...data }),
  AuctionCancelled: (transaction, { data }) => closeAuction(transaction, data.auctionId, { closedAs: 'cancelled' }),
}

/** The same for what comes by the thousand. */
export const auctionBulkReactions: BulkEventHandlers<'auction'> = {
  BidPlaced: (transaction, events) =>
    saveBids(
      transaction,
      events.map(({ data }) => data),
    ),
}
