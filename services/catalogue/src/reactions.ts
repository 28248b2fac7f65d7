import type { auctionEvents } from '@wangian/contracts/events/auction.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import type { PublicPerson } from '@wangian/contracts/identity.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { runCommandIn } from '@wangian/kit/log/command.ts'
import { deleteLettersOfStream } from '@wangian/kit/log/dead-letters.ts'
import type { BulkEventHandlers, EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { countBids, countMessages } from './analytics/figures-store.ts'
import { removeFavorites } from './favorites/favorite-store.ts'
import { type AuctionEnd, listingDecider, listingStream } from './listings/domain.ts'
import { projectAll } from './listings/listing-run.ts'
import { saveConversations } from './listings/selling-store.ts'
import { saveOrder, saveReview } from './shops/order-store.ts'
import {
  clearPerson,
  saveBan,
  saveClosed,
  saveEmailVerified,
  savePerson,
  saveRegistration,
} from './shops/people-store.ts'
import { closeAuction, saveAuctionTerms, saveBids } from './store.ts'

/**
 * People are known as everybody may see them, and whether their listings are shown. Nobody is told of any more who has gone, and the events
 * from before say so, too.
 */
export const identityReactions: EventHandlers<'identity'> = {
  UserRegistered: async (transaction, { data, version }) => {
    await tell(transaction, data, version)
    await saveRegistration(transaction, data)
  },
  EmailVerified: (transaction, { data: { userId }, version }) => saveEmailVerified(transaction, { userId, version }),
  ProfileUpdated: (transaction, { data, version }) => tell(transaction, data, version),
  AccountReopened: async (transaction, { data, version }) => {
    await tell(transaction, data, version)
    await saveClosed(transaction, { userId: data.userId, isClosed: data.person === null, version })
  },
  UserBanned: (transaction, { data: { userId }, version }) => saveBan(transaction, { userId, isBanned: true, version }),
  UserUnbanned: (transaction, { data: { userId }, version }) =>
    saveBan(transaction, { userId, isBanned: false, version }),
  AccountClosed: (transaction, { data, version }) => forget(transaction, data.userId, version),
  UserErased: async (transaction, { data, stream, version }) => {
    await forget(transaction, data.userId, version)
    await deleteLettersOfStream(transaction, stream)
  },
}

async function forget(transaction: Transaction, userId: number, version: number): Promise<void> {
  await clearPerson(transaction, { userId, version })
  await saveClosed(transaction, { userId, isClosed: true, version })
  await removeFavorites(transaction, userId, 'all')
}

async function tell(
  transaction: Transaction,
  { userId, person }: { readonly userId: number; readonly person: PublicPerson | null },
  version: number,
): Promise<void> {
  if (person === null) await clearPerson(transaction, { userId, version })
  else await savePerson(transaction, { userId, version }, person)
}

/** What was sold, and what buyers think of it. */
export const messagingReactions: EventHandlers<'messaging'> = {
  ReviewSubmitted: (transaction, { data }) => saveReview(transaction, data),
  OrderStatusChanged: (transaction, { data, version }) => saveOrder(transaction, data, version),
}

/** Messages about a listing count among what happened to it; cards of a deal are no messages. */
export const messagingBulkReactions: BulkEventHandlers<'messaging'> = {
  MessageSent: async (transaction, events) => {
    const about = events.flatMap(({ data: { productId, ...message } }) =>
      productId === null ? [] : [{ ...message, productId }],
    )
    await countMessages(
      transaction,
      about.filter(({ kind }) => kind !== 'action'),
    )
    await saveConversations(transaction, about)
  },
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

type AuctionEnded = PublishedData<typeof auctionEvents.AuctionEnded>

/** What the end of an auction means for the listing itself. It appends, so it shares no transaction with anything else. */
export const outcomeReactions: EventHandlers<'auction'> = {
  AuctionEnded: async (transaction, { data, id, metadata: { correlationId } }) => {
    await runCommandIn(transaction, {
      decider: listingDecider,
      stream: listingStream(data.productId),
      command: { type: 'SettleAuction', auctionId: data.auctionId, end: auctionEnd(data), at: data.endedAt },
      metadata: { actorId: null, correlationId, causationId: id, commandId: null },
      project: projectAll,
    })
  },
}

function auctionEnd({ outcome, winnerId, amountSen }: AuctionEnded): AuctionEnd {
  if (outcome !== 'won') return { outcome }
  invariant(winnerId !== null && amountSen !== null, 'whoever won has bid')
  return { outcome, winnerId, amountSen }
}

/** What cards and pages say, for what comes by the thousand. */
export const auctionBulkReactions: BulkEventHandlers<'auction'> = {
  BidPlaced: async (transaction, events) => {
    const bids = events.map(({ data }) => data)
    await saveBids(transaction, bids)
    await countBids(transaction, bids)
  },
}
