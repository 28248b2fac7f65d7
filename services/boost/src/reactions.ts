import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { BulkEventHandlers, EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { peopleHandlers } from '@wangian/kit/people/known-people.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { findPayment, nextCaseId, removeRefundNotes } from './orders/order-store.ts'
import { feature } from './orders/products.ts'
import { runOrderIn } from './orders/run-order.ts'
import { isBillChecked } from './payment/payment-store.ts'
import { askIfPossible, type PaymentProvider } from './payment/provider.ts'

/** A case is for another product of the seller's for so long; then an administrator decides. */
const CASE_OPEN_MS = 30 * 24 * 60 * 60 * 1000

export interface Reacting {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
  /** `null` where no payment is configured. */
  readonly provider: PaymentProvider | null
  readonly log: Logger
  readonly nowMs?: () => number
}

/** Who people are. A note on what was paid back may say whose account it went to, and goes with the person. */
export const personHandlers = {
  ...peopleHandlers,
  UserErased: async (transaction, events) => {
    await peopleHandlers.UserErased(transaction, events)
    await removeRefundNotes(
      transaction,
      events.map(({ data }) => data.userId),
    )
  },
} as const satisfies BulkEventHandlers<'identity'>

/**
 * What was paid is featured, product by product, and a case is opened for each that cannot be. While catalogue is away the event waits; each
 * product has a key of its own, so that one that is featured already is not featured twice.
 */
export function orderReactions({ pool, nats, nowMs = Date.now }: Reacting): EventHandlers<'boost'> {
  const instant = (afterMs = 0) => new Date(nowMs() + afterMs).toISOString()

  return {
    BoostOrderSettled: {
      async prepare({ data, id, metadata: { correlationId } }) {
        const { orderId, packageId, durationHours } = data
        const outcomes = []
        for (const { productId } of data.products) {
          const key = `${orderId}/${productId}`
          const outcome = await feature(nats, { productId, packageId, durationHours, key })
          // Drawn here, for it is a write, and the first one of the transaction must be the append.
          outcomes.push({ productId, outcome, caseId: 'reason' in outcome ? await nextCaseId(pool) : 0 })
        }
        const command = {
          type: 'RecordOutcomes',
          outcomes,
          at: instant(),
          caseExpiresAt: instant(CASE_OPEN_MS),
        } as const
        const cause = { actorId: null, correlationId, causationId: id }
        return async (transaction) => void (await runOrderIn(transaction, orderId, command, cause))
      },
    },

    BoostCaseProductChosen: {
      async prepare({ data, id, metadata: { correlationId } }) {
        const { orderId, caseId, productId, packageId, durationHours } = data
        const key = `${orderId}/case-${caseId}/${productId}`
        const outcome = await feature(nats, { productId, packageId, durationHours, key })
        const command = { type: 'RecordChoice', caseId, productId, outcome, at: instant() } as const
        const cause = { actorId: null, correlationId, causationId: id }
        return async (transaction) => void (await runOrderIn(transaction, orderId, command, cause))
      },
    },
  }
}

/** What the provider is asked and told: how a payment was made, for its receipt, and that a bill is not to be paid any more. No boost waits for it. */
export function providerReactions({ pool, provider, log, nowMs = Date.now }: Reacting): EventHandlers<'boost'> {
  const withdrawBill = {
    async prepare({ data: { orderId } }: { readonly data: { readonly orderId: string } }) {
      const payment = await findPayment(pool, orderId)
      const billId = payment?.billId
      // When it fails, or is over already, the next check of the bill sees to it.
      if (billId && payment.status !== 'paid' && (await isBillChecked(pool, billId)))
        await askIfPossible(log, provider, (asked) => asked.deleteBill(billId))
      return async () => {}
    },
  }

  return {
    BoostOrderSettled: {
      async prepare({ data: { orderId, billId }, id, metadata: { correlationId } }) {
        const channel = await askIfPossible(log, provider, (asked) => asked.findChannel(billId))
        if (channel === null) return async () => {}
        const command = { type: 'RecordChannel', channel, at: new Date(nowMs()).toISOString() } as const
        const cause = { actorId: null, correlationId, causationId: id }
        return async (transaction) => void (await runOrderIn(transaction, orderId, command, cause))
      },
    },

    BoostOrderCancelled: withdrawBill,
    BoostOrderFailed: withdrawBill,
  }
}
