import type { BoostEvent } from '@wangian/contracts/events/boost.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { noteWordsAbout } from '@wangian/kit/people/erased-words.ts'
import {
  insertCase,
  insertOrder,
  setBill,
  setBoosted,
  setChannel,
  setChoice,
  setRefunded,
  setStatus,
} from './orders/order-store.ts'

/** Writes one event of the log into the tables that orders and cases are read from. */
export async function projectOrder(transaction: Transaction, event: BoostEvent): Promise<void> {
  switch (event.type) {
    case 'BoostOrderPlaced':
      return insertOrder(transaction, event.data)
    case 'BoostBillMade':
      return setBill(transaction, event.data)
    case 'BoostOrderSettled': {
      const { orderId, paidAt, settledAt: at, transactionId } = event.data
      return setStatus(transaction, orderId, { status: 'paid', at, paidAt, metadata: { transactionId } })
    }
    case 'BoostOrderFailed': {
      const { orderId, failedAt: at, reason } = event.data
      return setStatus(transaction, orderId, { status: 'failed', at, metadata: { reason } })
    }
    case 'BoostOrderCancelled':
      return setStatus(transaction, event.data.orderId, { status: 'cancelled', at: event.data.cancelledAt })
    case 'BoostPaymentChannelFound':
      return setChannel(transaction, event.data)
    case 'ProductBoosted':
      return setBoosted(transaction, event.data)
    case 'BoostCaseOpened':
      return insertCase(transaction, event.data)
    case 'BoostCaseProductChosen':
      return setChoice(transaction, event.data.caseId, { state: 'chosen', productId: event.data.productId })
    case 'BoostCaseReopened':
      return setChoice(transaction, event.data.caseId, { state: 'open', productId: null })
    case 'BoostCaseRefunded':
      await setRefunded(transaction, event.data)
      if (event.data.note !== '') await noteWordsAbout(transaction, [event.data.userId])
      return
    case 'PaymentAlertClosed':
      // Alerts are no projection; see `payment/alerts.ts`.
      return
    default:
      return event satisfies never
  }
}

/** What orders, payments and cases are read from. */
export const ordersProjection: OwnProjection<'boost'> = {
  name: 'orders',
  tables: [{ name: 'payments' }, { name: 'ordered_products' }, { name: 'boost_cases' }],
  replay: () => ({ project: projectOrder }),
}
