import type { NoticeKind } from '@wangian/contracts/notices.ts'
import { type BulkEventHandlers, dataOf } from '@wangian/kit/log/event-handlers.ts'
import { listUnreadCounts } from '../conversations/conversation-store.ts'
import { actorOf } from '../deals/domain.ts'
import type { Subject, Telling } from './notice-store.ts'
import type { Teller } from './teller.ts'

/** What people are told of what was written to them, and of their deals. What they have done themselves they know. */
export function messageNotices(teller: Teller): BulkEventHandlers<'messaging'> {
  return {
    async MessageSent(transaction, events) {
      // Cards, notes and what is written by itself come with something else that is told.
      const written = events
        .filter(({ data, metadata }) => {
          return data.kind !== 'action' && data.authorId === undefined && metadata.causationId === null
        })
        .map(dataOf)
      const sides = written.map(({ receiverId: userId, senderId: otherId }) => ({ userId, otherId }))
      const unread = await listUnreadCounts(transaction, sides)
      await teller.tell(
        transaction,
        written.flatMap(({ receiverId: userId, senderId, productId, sentAt: at }, index): Telling[] => {
          // It may have been read since.
          if (!unread[index]) return []
          const subject = { userId, topic: 'conversation', topicId: senderId } as const
          return [{ ...subject, kind: 'message', otherId: senderId, productId, at }]
        }),
      )
    },

    async MessagesRead(transaction, events) {
      const sides = events.map(({ data: { readerId, senderId } }) => ({ userId: readerId, otherId: senderId }))
      const unread = await listUnreadCounts(transaction, sides)
      const read = sides.filter((_, index) => unread[index] === 0)
      await teller.settle(
        transaction,
        read.map(({ userId, otherId }) => ({ userId, topic: 'conversation', topicId: otherId })),
      )
    },

    TransactionStarted: (transaction, events) =>
      teller.tell(
        transaction,
        events.map(({ data }) => aboutDeal(data, data.buyerId, 'deal-offered', data.startedAt)),
      ),

    async TransactionStepConfirmed(transaction, events) {
      await teller.tell(
        transaction,
        events.flatMap(({ data, metadata: { actorId } }) =>
          [data.sellerId, data.buyerId]
            .filter((userId) => userId !== actorId)
            .map((userId) => aboutDeal(data, userId, confirmedKinds[data.step], data.confirmedAt)),
        ),
      )
      await teller.settle(
        transaction,
        events.flatMap(({ data, metadata: { actorId } }) => ownDeal(data.transactionId, actorId)),
      )
    },

    TransactionReminded: (transaction, events) =>
      teller.tell(
        transaction,
        events.map(({ data }) => aboutDeal(data, actorOf(data.step, data), 'deal-reminder', data.remindedAt)),
      ),

    async TransactionCancelled(transaction, events) {
      await teller.tell(
        transaction,
        events.flatMap(({ data }) => [
          ...(data.by === 'seller' ? [] : [aboutDeal(data, data.sellerId, 'deal-cancelled', data.cancelledAt)]),
          ...(data.by === 'buyer' ? [] : [aboutDeal(data, data.buyerId, 'deal-cancelled', data.cancelledAt)]),
        ]),
      )
      await teller.settle(
        transaction,
        events.flatMap(({ data }) => {
          const actorId = data.by === 'seller' ? data.sellerId : data.by === 'buyer' ? data.buyerId : null
          return ownDeal(data.transactionId, actorId)
        }),
      )
    },

    OrderStatusChanged: (transaction, events) =>
      teller.tell(
        transaction,
        events
          .map(dataOf)
          // Every other move is a step of the deal, and told as such.
          .filter(({ status }) => status === 'shipped')
          .flatMap((order) => {
            const deal = { ...order, transactionId: order.orderId }
            return [order.sellerId, order.buyerId].map((userId) =>
              aboutDeal(deal, userId, 'deal-shipped', order.changedAt),
            )
          }),
      ),

    async ReviewSubmitted(transaction, events) {
      const reviews = events.map(({ data }) => ({ ...data, transactionId: data.reviewId }))
      await teller.tell(
        transaction,
        reviews.map((review) => aboutDeal(review, review.sellerId, 'review', review.submittedAt)),
      )
      await teller.settle(
        transaction,
        reviews.flatMap(({ transactionId, buyerId }) => ownDeal(transactionId, buyerId)),
      )
    },
  }
}

const confirmedKinds = {
  purchase: 'deal-purchased',
  payment: 'deal-paid',
  delivery: 'deal-delivered',
} as const satisfies Record<string, NoticeKind>

interface Deal {
  readonly transactionId: number
  readonly productId: number
  readonly sellerId: number
  readonly buyerId: number
}

function aboutDeal(deal: Deal, userId: number, kind: NoticeKind, at: string): Telling {
  const { transactionId: topicId, productId, sellerId, buyerId } = deal
  const otherId = userId === sellerId ? buyerId : sellerId
  return { userId, topic: 'deal', topicId, kind, otherId, productId, at }
}

/** What somebody was told of a deal is done with when they have gone on with it. */
function ownDeal(transactionId: number, actorId: number | null): Subject[] {
  return actorId === null ? [] : [{ userId: actorId, topic: 'deal', topicId: transactionId }]
}
