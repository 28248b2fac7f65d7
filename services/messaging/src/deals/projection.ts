import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { noteWordsAbout } from '@wangian/kit/people/erased-words.ts'
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
    case 'OrderStatusChanged': {
      const { orderId, status, admin, changedAt: at, sellerId, buyerId } = event.data
      await setOrderStatus(transaction, orderId, { status, at })
      if (typeof admin?.reason === 'string') await noteWordsAbout(transaction, [sellerId, buyerId])
      return
    }
    case 'ReviewSubmitted': {
      const { reviewId: transactionId, rating, comment, submittedAt: at, sellerId, buyerId } = event.data
      await setRating(transaction, transactionId, rating)
      await setStage(transaction, transactionId, { stage: 'completed', at })
      if (comment !== null) await noteWordsAbout(transaction, [sellerId, buyerId])
      return
    }
    default:
      return event satisfies never
  }
}
