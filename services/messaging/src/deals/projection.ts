import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { insertDeal, setOrderStatus, setRating, setReminders, setStage } from './deal-store.ts'
import { nextStep } from './domain.ts'

export type DealEvent = Exclude<
  MessagingEvent,
  { type: 'MessageSent' | 'MessagesRead' | 'UserBlocked' | 'UserUnblocked' | 'ReportFiled' | 'ReportDecided' }
>

/** Writes one event of a deal into the table that cards and orders are read from. */
export async function projectDeal(transaction: Transaction, event: DealEvent): Promise<void> {
  switch (event.type) {
    case 'TransactionStarted':
      return insertDeal(transaction, event.data)
    case 'TransactionStepConfirmed': {
      const { transactionId, step, confirmedAt: at } = event.data
      return setStage(transaction, transactionId, { stage: nextStep(step) ?? 'completed', at })
    }
    case 'TransactionReminded':
      return setReminders(transaction, event.data.transactionId, event.data.reminder)
    case 'TransactionCancelled': {
      const { transactionId, after: cancelledAfter, cancelledAt: at } = event.data
      return setStage(transaction, transactionId, { stage: 'cancelled', at, cancelledAfter })
    }
    case 'OrderPlaced':
      return setOrderStatus(transaction, event.data.orderId, { status: 'pending', at: event.data.placedAt })
    case 'OrderStatusChanged':
      return setOrderStatus(transaction, event.data.orderId, { status: event.data.status, at: event.data.changedAt })
    case 'ReviewSubmitted': {
      const { reviewId: transactionId, rating, submittedAt: at } = event.data
      await setRating(transaction, transactionId, rating)
      return setStage(transaction, transactionId, { stage: 'completed', at })
    }
    default:
      return event satisfies never
  }
}
