import { z } from 'zod'
import { defineEvent, type EventOf } from './definition.ts'
import { id, instant, sen } from './fields.ts'

/**
 * What happened between two people. The stream is `conversation-<lower user id>-<higher user id>`,
 * `block-<user id>-<blocked id>`, `review-<id>` or `order-<id>`. What people wrote to each other is in tables of messaging and never in an
 * event.
 */
export const messagingEvents = {
  MessageSent: defineEvent({
    data: z.object({
      messageId: id,
      senderId: id,
      receiverId: id,
      /** What it is about. */
      productId: id.nullable(),
      kind: z.enum(['text', 'file', 'action']),
      sentAt: instant,
    }),
  }),
  /** Somebody has seen what somebody else sent them. */
  MessagesRead: defineEvent({
    data: z.object({ readerId: id, senderId: id, messageIds: z.array(id), readAt: instant }),
  }),
  /** Somebody does not want to be written to by somebody else any more. */
  UserBlocked: defineEvent({ data: z.object({ userId: id, blockedId: id, blockedAt: instant }), isPrivate: true }),
  UserUnblocked: defineEvent({ data: z.object({ userId: id, blockedId: id, unblockedAt: instant }), isPrivate: true }),
  /** A buyer says what they think of a purchase that has arrived; once per purchase. */
  ReviewSubmitted: defineEvent({
    data: z.object({
      reviewId: id,
      productId: id,
      productName: z.string(),
      sellerId: id,
      buyerId: id,
      /** Half stars, from none to five. */
      rating: z.number(),
      comment: z.string().nullable(),
      submittedAt: instant,
    }),
  }),
  /** An order was placed (`pending`) or has gone on. */
  OrderStatusChanged: defineEvent({
    data: z.object({
      orderId: id,
      productId: id,
      productName: z.string(),
      sellerId: id,
      buyerId: id,
      totalSen: sen,
      status: z.enum(['pending', 'processing', 'shipped', 'delivered', 'cancelled']),
      changedAt: instant,
    }),
  }),
} as const
export type MessagingEvent = EventOf<typeof messagingEvents>
