import { z } from 'zod'
import { defineEvent, type EventOf } from './definition.ts'
import { count, id, instant, sen } from './fields.ts'

/** What the events of a deal say of it, whatever has happened: none of it changes after its start. */
const deal = {
  transactionId: id,
  productId: id,
  productName: z.string(),
  sellerId: id,
  buyerId: id,
  amountSen: sen,
  /** Whose winner buys; `null` for everything but a won lot. */
  auctionId: id.nullable(),
}

const orderStatus = z.enum(['pending', 'processing', 'shipped', 'delivered', 'cancelled'])

/**
 * What happened between two people. The stream is `conversation-<lower user id>-<higher user id>`, `block-<user id>-<blocked id>`,
 * `report-<reporter id>-<kind>-<target id>` or `deal-<transaction id>`; an order and a review have the id of their transaction. What people wrote to each other is in tables of messaging
 * and never in an event.
 */
export const messagingEvents = {
  MessageSent: defineEvent({
    version: 3,
    data: z.object({
      messageId: id,
      senderId: id,
      receiverId: id,
      /** What it is about. */
      productId: id.nullable(),
      kind: z.enum(['text', 'file', 'action']),
      /** The card of which deal it is, and which of its cards; `null` for everything else. */
      transactionId: id.nullable(),
      actionType: z.enum(['INITIATE', 'CONFIRM_PAYMENT', 'CONFIRM_DELIVERY', 'REVIEW']).nullable(),
      /** An administrator who wrote it into the conversation of two others, in place of its sender. */
      authorId: id.optional(),
      sentAt: instant,
    }),
    upcasts: { 1: (data) => ({ ...data, transactionId: null, actionType: null }), 2: (data) => data },
  }),
  /** Somebody has seen what somebody else sent them. */
  MessagesRead: defineEvent({
    data: z.object({ readerId: id, senderId: id, messageIds: z.array(id), readAt: instant }),
  }),
  /** Somebody does not want to be written to by somebody else any more. */
  UserBlocked: defineEvent({ data: z.object({ userId: id, blockedId: id, blockedAt: instant }), isPrivate: true }),
  UserUnblocked: defineEvent({ data: z.object({ userId: id, blockedId: id, unblockedAt: instant }), isPrivate: true }),
  /** Somebody tells administrators of a person, a listing, a message or a review; what they write about it is in messaging's tables only. */
  ReportFiled: defineEvent({
    data: z.object({
      reportId: id,
      reporterId: id,
      kind: z.enum(['person', 'listing', 'message', 'review']),
      /** Of a review, the id of its transaction. */
      targetId: id,
      /** Who is reported, or whose it is. */
      reportedId: id,
      reason: z.enum(['scam', 'counterfeit', 'misleading', 'harassment', 'inappropriate', 'spam', 'other']),
      filedAt: instant,
    }),
  }),
  /** An administrator has decided about a report; why is in messaging's tables only. */
  ReportDecided: defineEvent({
    data: z.object({
      reportId: id,
      reporterId: id,
      reportedId: id,
      kind: z.enum(['person', 'listing', 'message', 'review']),
      targetId: id,
      decision: z.enum(['upheld', 'dismissed']),
      decidedAt: instant,
    }),
  }),
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
  /** A seller offers a buyer to buy; the buyer has a card to confirm it. */
  TransactionStarted: defineEvent({ data: z.object({ ...deal, startedAt: instant }) }),
  /** Whoever had the card of this step has confirmed it, or an administrator in their place. */
  TransactionStepConfirmed: defineEvent({
    data: z.object({ ...deal, step: z.enum(['purchase', 'payment', 'delivery']), confirmedAt: instant }),
  }),
  /** Whoever is waited for was reminded, as is due first (1) or later (2). Of two that were due, only the later one is sent. */
  TransactionReminded: defineEvent({
    data: z.object({
      ...deal,
      step: z.enum(['purchase', 'payment', 'delivery']),
      reminder: count,
      remindedAt: instant,
    }),
  }),
  TransactionCancelled: defineEvent({
    data: z.object({
      ...deal,
      /** `removal`: an administrator has taken the listing away. */
      by: z.enum(['seller', 'buyer', 'admin', 'removal']),
      /** The last step that was confirmed; `null` before the purchase was. */
      after: z.enum(['purchase', 'payment']).nullable(),
      cancelledAt: instant,
    }),
  }),
  /** A purchase was confirmed; the order is `pending`. */
  OrderPlaced: defineEvent({
    data: z.object({
      orderId: id,
      productId: id,
      productName: z.string(),
      sellerId: id,
      buyerId: id,
      totalSen: sen,
      placedAt: instant,
    }),
  }),
  /** An order has gone on. */
  OrderStatusChanged: defineEvent({
    version: 2,
    data: z.object({
      orderId: id,
      productId: id,
      productName: z.string(),
      sellerId: id,
      buyerId: id,
      totalSen: sen,
      status: orderStatus,
      /** The administrator who moved it, from where, and why. */
      admin: z.object({ id, from: orderStatus, reason: z.string().nullable() }).optional(),
      changedAt: instant,
    }),
    upcasts: { 1: (data) => data },
  }),
} as const
export type MessagingEvent = EventOf<typeof messagingEvents>
