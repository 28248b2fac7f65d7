import type { auctionEvents } from '@wangian/contracts/events/auction.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { runCommandIn, sharedCommand } from '@wangian/kit/log/command.ts'
import { type BulkEventHandlers, dataOf, type EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { peopleHandlers } from '@wangian/kit/people/known-people.ts'
import { countBids, countMessages } from './analytics/figures-store.ts'
import { countBidsOnSellers, saveSellers } from './bidders/bidder-store.ts'
import { noteLeavers } from './favorites/favorite-store.ts'
import { hasBottle, saveConfirmedDeals } from './listings/bottle-store.ts'
import { reserveBottle } from './listings/bottles.ts'
import { type AuctionEnd, listingDecider, listingStream } from './listings/domain.ts'
import type { SellingDependencies } from './listings/selling-routes.ts'
import { saveConversations } from './listings/selling-store.ts'
import { insertErasedSellers } from './pictures/picture-store.ts'
import { projectListings } from './projections.ts'
import { saveOrders, saveReviews } from './shops/order-store.ts'
import { closeAuctions, saveAuctionTerms, saveBids } from './store.ts'

/**
 * People are known as everybody may see them, and whether their listings are shown. What those who go have kept for later goes with them, and so do the
 * pictures of what they sold.
 */
export const identityHandlers = {
  ...peopleHandlers,
  AccountClosed: async (transaction, events) => {
    await peopleHandlers.AccountClosed(transaction, events)
    // What somebody who has come back keeps since then stays when this is read again.
    await noteLeavers(
      transaction,
      events.map(({ data: { userId, closedAt: until } }) => ({ userId, until })),
    )
  },
  UserErased: async (transaction, events) => {
    await peopleHandlers.UserErased(transaction, events)
    const userIds = events.map(({ data }) => data.userId)
    await insertErasedSellers(transaction, userIds)
    await noteLeavers(
      transaction,
      userIds.map((userId) => ({ userId, until: 'infinity' })),
    )
  },
} as const satisfies BulkEventHandlers<'identity'>

/** What was sold, and what buyers think of it. */
export const salesHandlers: BulkEventHandlers<'messaging'> = {
  OrderPlaced: (transaction, events) =>
    saveOrders(
      transaction,
      events.map(({ data, version }) => ({ ...data, status: 'pending', changedAt: data.placedAt, version })),
    ),
  ReviewSubmitted: (transaction, events) => saveReviews(transaction, events.map(dataOf)),
  OrderStatusChanged: (transaction, events) =>
    saveOrders(
      transaction,
      events.map(({ data, version }) => ({ ...data, version })),
    ),
}

/** Which deals are more than an offer. */
export const dealHandlers: BulkEventHandlers<'messaging'> = {
  TransactionStepConfirmed: (transaction, events) =>
    saveConfirmedDeals(
      transaction,
      events.map(({ data }) => data.transactionId),
    ),
}

/** What becomes of the bottle that a deal has. */
export function bottleReactions(dependencies: SellingDependencies): EventHandlers<'messaging'> {
  return {
    TransactionStepConfirmed: {
      async prepare({ data, id: causationId, metadata: { correlationId } }) {
        const { productId, transactionId, sellerId, buyerId, amountSen, confirmedAt: at } = data
        if (data.step === 'delivery' || (await needsNoBottle(dependencies, transactionId))) return async () => {}
        // It was kept before, unless it was freed before the confirmation came here. Without another one the event waits for an operator.
        if (data.step === 'purchase') {
          const deal = { productId, transactionId, sellerId, buyerId, amountSen }
          await reserveBottle(dependencies, { ...deal, requestId: correlationId })
        }
        return async (transaction) => {
          if (data.step !== 'payment') return
          await runCommandIn(transaction, {
            decider: listingDecider,
            stream: listingStream(productId),
            command: { type: 'SellBottle', transactionId, buyerId, amountSen, at },
            metadata: { actorId: sellerId, correlationId, causationId, commandId: null },
            project: projectListings,
          })
        }
      },
    },
    TransactionCancelled: {
      command({ data, id: causationId, metadata: { correlationId, actorId } }) {
        const { productId, transactionId, auctionId, by, cancelledAt: at } = data
        return sharedCommand({
          decider: listingDecider,
          stream: listingStream(productId),
          command: { type: 'ReleaseBottle', transactionId, auctionId, by, at },
          metadata: { actorId, correlationId, causationId, commandId: null },
          project: projectListings,
        })
      },
    },
  }
}

/** Whether a deal that has no bottle was called off: a step of it that waited for one may be tried again long afterwards. */
async function needsNoBottle({ pool, nats }: SellingDependencies, transactionId: number): Promise<boolean> {
  if (await hasBottle(pool, transactionId)) return false
  const asked = { transactionIds: [transactionId] }
  const { standings } = await request(nats, 'messaging', messagingRequests.getDealStandings, asked)
  return standings[0]?.standing === 'cancelled'
}

/** Messages about a listing count among what happened to it; cards of a deal are no messages, nor are an administrator's notes. */
export const messageHandlers: BulkEventHandlers<'messaging'> = {
  MessageSent: async (transaction, events) => {
    const about = events.flatMap(({ data: { productId, authorId, ...message } }) =>
      productId === null || authorId !== undefined ? [] : [{ ...message, productId }],
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
export const auctionHandlers: BulkEventHandlers<'auction'> = {
  AuctionOpened: (transaction, events) =>
    saveAuctionTerms(
      transaction,
      events.map(({ data }) => ({ ...data, termsAt: data.openedAt })),
    ),
  AuctionRevised: (transaction, events) =>
    saveAuctionTerms(
      transaction,
      events.map(({ data }) => ({ ...data, termsAt: data.revisedAt })),
    ),
  AuctionEnded: (transaction, events) => closeAuctions(transaction, 'ended', events.map(dataOf)),
  AuctionCancelled: (transaction, events) => closeAuctions(transaction, 'cancelled', events.map(dataOf)),
  BidPlaced: async (transaction, events) => {
    const bids = events.map(dataOf)
    await saveBids(transaction, bids)
    await countBids(transaction, bids)
  },
}

/** Who bids on whose auctions, for administrators. Apart from the above, so that it begins with the first bid of all, whenever it came to be. */
export const bidderHandlers: BulkEventHandlers<'auction'> = {
  AuctionOpened: (transaction, events) => saveSellers(transaction, events.map(dataOf)),
  BidPlaced: (transaction, events) => countBidsOnSellers(transaction, events.map(dataOf)),
}

type AuctionEnded = PublishedData<typeof auctionEvents.AuctionEnded>

/** What the end of an auction means for the listing itself. */
export const outcomeReactions: EventHandlers<'auction'> = {
  AuctionEnded: {
    command: ({ data, id, metadata: { correlationId } }) =>
      sharedCommand({
        decider: listingDecider,
        stream: listingStream(data.productId),
        command: { type: 'SettleAuction', auctionId: data.auctionId, end: auctionEnd(data), at: data.endedAt },
        metadata: { actorId: null, correlationId, causationId: id, commandId: null },
        project: projectListings,
      }),
  },
}

function auctionEnd({ outcome, winnerId, leaderId, amountSen }: AuctionEnded): AuctionEnd {
  if (outcome !== 'won') return { outcome, leaderId }
  invariant(winnerId !== null && amountSen !== null, 'whoever won has bid')
  return { outcome, winnerId, amountSen }
}
