import { z } from 'zod'
import { defineEvent, type EventOf } from './definition.ts'
import { count, id, instant, sen } from './fields.ts'

/** What the events of an order say of it, whatever has happened: none of it changes after it was placed. */
const order = {
  /** A UUID. */
  orderId: z.string(),
  /** Grows from order to order. */
  paymentId: id,
  userId: id,
  packageId: id,
  packageName: z.string(),
  packageType: z.enum(['standard', 'premium']),
  durationHours: count,
  amountSen: sen,
  /** With the part of the amount that is for each; the parts together are the amount. */
  products: z.array(z.object({ productId: id, name: z.string(), amountSen: sen })),
}

/** What the events of a case say of it. */
const ofCase = { caseId: id, orderId: z.string(), userId: id, packageId: id, durationHours: count }

/** What became of an order for a boost, from its placing to the last of its products. The stream is `boost-order-<order id>`. */
export const boostEvents = {
  /** A seller orders a boost. The order waits for its payment until `expiresAt`. */
  BoostOrderPlaced: defineEvent({
    data: z.object({ ...order, requestKey: z.string().nullable(), placedAt: instant, expiresAt: instant }),
    privateFields: ['requestKey'],
  }),
  /** The payment provider has a bill for it. */
  BoostBillMade: defineEvent({
    data: z.object({ orderId: z.string(), billId: z.string(), url: z.string(), madeAt: instant }),
    isPrivate: true,
  }),
  /** The payment has come; once per order, whatever the order was before. */
  BoostOrderSettled: defineEvent({
    data: z.object({
      ...order,
      billId: z.string(),
      /** Of the provider, when it was told. */
      transactionId: z.string().nullable(),
      /** By the provider's clock. */
      paidAt: instant,
      settledAt: instant,
    }),
  }),
  /** `declined`: the provider says that the payment failed. `unpaid`: nobody has paid in time. `no-bill`: the provider made no bill. */
  BoostOrderFailed: defineEvent({
    data: z.object({ ...order, reason: z.enum(['declined', 'unpaid', 'no-bill']), failedAt: instant }),
  }),
  /** Its seller has given it up. */
  BoostOrderCancelled: defineEvent({ data: z.object({ ...order, cancelledAt: instant }) }),
  /** How it was paid, in the provider's word. */
  BoostPaymentChannelFound: defineEvent({
    data: z.object({ orderId: z.string(), channel: z.string(), foundAt: instant }),
    isPrivate: true,
  }),
  /** Catalogue features a product for an order, or for one of its cases. */
  ProductBoosted: defineEvent({
    data: z.object({
      orderId: z.string(),
      userId: id,
      packageId: id,
      /** `null` for what was ordered itself. */
      caseId: id.nullable(),
      productId: id,
      boostedUntil: instant,
      boostedAt: instant,
    }),
  }),
  /** A product that is paid for cannot be featured any more. Its seller may choose another one until `expiresAt`. */
  BoostCaseOpened: defineEvent({
    data: z.object({
      ...ofCase,
      productId: id,
      productName: z.string(),
      amountSen: sen,
      /** The code with which catalogue refused it. */
      reason: z.string(),
      openedAt: instant,
      expiresAt: instant,
    }),
  }),
  /** The seller has chosen another product. */
  BoostCaseProductChosen: defineEvent({ data: z.object({ ...ofCase, productId: id, chosenAt: instant }) }),
  /** What was chosen cannot be featured either. */
  BoostCaseReopened: defineEvent({
    data: z.object({ ...ofCase, productId: id, reason: z.string(), reopenedAt: instant }),
  }),
  /** An administrator has paid the share back by hand, and says how. */
  BoostCaseRefunded: defineEvent({
    data: z.object({
      ...ofCase,
      productId: id,
      productName: z.string(),
      amountSen: sen,
      note: z.string(),
      refundedAt: instant,
    }),
    privateFields: ['note'],
  }),
  /** An administrator has dealt with a payment that fits no order, and says how. The stream is `payment-alert-<alert id>`. */
  PaymentAlertClosed: defineEvent({ data: z.object({ alertId: id, reason: z.string(), closedAt: instant }) }),
} as const
export type BoostEvent = EventOf<typeof boostEvents>
/** What happens to orders. */
export type BoostOrderEvent = Exclude<BoostEvent, { readonly type: 'PaymentAlertClosed' }>
