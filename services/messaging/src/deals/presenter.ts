import type { MessageTransaction, Order, TransactionStatus, WaitingCard } from '@wangian/contracts/messaging.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { z } from 'zod'
import type { DealRow } from '../conversations/message-store.ts'
import type { OrderRow, WaitingRow } from './deal-store.ts'
import { actionOf, isCancellable, type Stage, type Step, steps } from './domain.ts'

const statusOf = {
  purchase: 'WAITING_PAYMENT',
  payment: 'WAITING_PAYMENT',
  delivery: 'WAITING_DELIVERY',
  review: 'WAITING_REVIEW',
  completed: 'COMPLETED',
  cancelled: 'CANCELLED',
} as const satisfies Record<Stage, TransactionStatus>

export function presentTransaction({
  id,
  stage,
  amountSen,
  orderStatus,
  rating,
}: Omit<DealRow, 'cancelledAfter'>): z.infer<typeof MessageTransaction> {
  return {
    id,
    status: statusOf[stage],
    amount: ringgitFromSen(amountSen),
    isCancellable: isCancellable(stage),
    isShipped: orderStatus === 'shipped',
    rating,
  }
}

/** Whether the step of a card was taken. */
export function isTaken(step: Step, { stage, cancelledAfter }: Pick<DealRow, 'stage' | 'cancelledAfter'>): boolean {
  if (stage === 'completed') return true
  if (stage !== 'cancelled') return steps.indexOf(step) < steps.indexOf(stage)
  return cancelledAfter !== null && steps.indexOf(step) <= steps.indexOf(cancelledAfter)
}

export function presentOrder(row: OrderRow): Order {
  const { id, productId, productName: name, imageUrl, isRemoved, stage, cardId, buyer, seller } = row
  const total = ringgitFromSen(row.amountSen)
  return {
    id,
    transactionId: id,
    userId: buyer.id,
    total,
    status: row.status,
    createdAt: row.orderedAt,
    updatedAt: row.updatedAt,
    paidAt: row.paidAt,
    deliveredAt: row.deliveredAt,
    items: [{ productId, name, imageUrl, isRemoved, quantity: 1, price: total }],
    buyer,
    seller,
    transactionStatus: statusOf[stage],
    isCancellable: isCancellable(stage),
    rating: row.rating,
    waiting:
      stage === 'completed' || stage === 'cancelled' || cardId === null
        ? null
        : {
            for: stage === 'payment' ? 'seller' : 'buyer',
            actionType: actionOf[stage],
            messageId: cardId,
            since: row.waitingSince,
          },
  }
}

export function presentWaiting({ stage, amountSen, waitingSince, product, ...same }: WaitingRow): WaitingCard {
  const { priceSen, ...about } = product
  return {
    ...same,
    actionType: actionOf[stage],
    amount: ringgitFromSen(amountSen),
    since: waitingSince,
    product: { ...about, price: ringgitFromSen(priceSen) },
  }
}
