import { z } from 'zod'
import { Id, ProductId, UserId } from './ids.ts'
import { Sen } from './money.ts'
import { Instant } from './time.ts'

/** A message's text has at most so many characters, and at least one that can be seen. */
export const MESSAGE_LENGTH_MAX = 2000

/** How many messages one event, or one frame, may speak of. */
export const MESSAGES_AT_ONCE_MAX = 500

const OrderStatus = z.enum(['pending', 'processing', 'shipped', 'delivered', 'cancelled'])

/** Half stars, from none to five. */
const Rating = z.number().min(0).max(5).multipleOf(0.5)

/**
 * What happened between two people. The stream is `conversation-<lower user id>-<higher user id>`, `review-<id>` or `order-<id>`; names
 * are storage formats and are never renamed. What people wrote to each other is in tables of messaging and never in an event.
 */
export const messagingEvents = {
  MessageSent: z.object({
    messageId: Id,
    senderId: UserId,
    receiverId: UserId,
    /** What it is about. */
    productId: ProductId.nullable(),
    kind: z.enum(['text', 'file', 'action']),
    sentAt: Instant,
  }),
  /** Somebody has seen what somebody else sent them. */
  MessagesRead: z.object({
    readerId: UserId,
    senderId: UserId,
    messageIds: z.array(Id).min(1).max(MESSAGES_AT_ONCE_MAX),
    readAt: Instant,
  }),
  /** A buyer says what they think of a purchase that has arrived; once per purchase. */
  ReviewSubmitted: z.object({
    reviewId: Id,
    productId: ProductId,
    productName: z.string(),
    sellerId: UserId,
    buyerId: UserId,
    rating: Rating,
    comment: z.string().nullable(),
    submittedAt: Instant,
  }),
  /** An order was placed (`pending`) or has gone on. */
  OrderStatusChanged: z.object({
    orderId: Id,
    productId: ProductId,
    productName: z.string(),
    sellerId: UserId,
    buyerId: UserId,
    totalSen: Sen,
    status: OrderStatus,
    changedAt: Instant,
  }),
} as const
