import type { PublishedEventOf } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { salesHandlers } from '../reactions.ts'

export type MessagingEvent = PublishedEventOf<typeof messagingEvents>

export const at = '2026-11-22T08:00:00.000Z'

/** Handles events of messaging, each twice, as the version-th of its stream. */
export async function receiveSales(
  pool: DatabasePool,
  ...events: readonly { readonly event: MessagingEvent; readonly version?: number }[]
): Promise<void> {
  for (const { event, version = 1 } of events.flatMap((one) => [one, one])) {
    const received = { ...event, version, stream: 'test', at, metadata: {} }
    await react(pool, { bulkHandlers: salesHandlers }, received)
  }
}

export function reviewed(
  review: Partial<Extract<MessagingEvent, { type: 'ReviewSubmitted' }>['data']> & { readonly reviewId: number },
): { readonly event: MessagingEvent } {
  const data = {
    productId: 1,
    productName: 'Santal 33',
    sellerId: 7,
    buyerId: 20,
    rating: 5,
    comment: 'Smells like cedar.',
    submittedAt: at,
    ...review,
  }
  return { event: { type: 'ReviewSubmitted', data } }
}

/** A purchase that was confirmed, or an order that has gone on since. */
export function ordered(
  order: Partial<Extract<MessagingEvent, { type: 'OrderStatusChanged' }>['data']> & { readonly orderId: number },
  version = 1,
): { readonly event: MessagingEvent; readonly version: number } {
  const data = {
    productId: 1,
    productName: 'Santal 33',
    sellerId: 7,
    buyerId: 20,
    totalSen: 68_050,
    status: 'pending' as const,
    changedAt: at,
    ...order,
  }
  const { changedAt, status, ...facts } = data
  if (status === 'pending') return { event: { type: 'OrderPlaced', data: { ...facts, placedAt: changedAt } }, version }
  return { event: { type: 'OrderStatusChanged', data }, version }
}
