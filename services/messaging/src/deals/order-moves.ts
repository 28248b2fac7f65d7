import type { messagingRequests, OrderStatus } from '@wangian/contracts/messaging.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import type { z } from 'zod'
import { insertErasedReaders } from '../conversations/erased-text-store.ts'
import { isAnyErased } from '../people-store.ts'
import { continueDeal } from './commands.ts'
import { findDeal } from './deal-store.ts'

/** What the two read of a move. */
const notes: Readonly<Record<OrderStatus, (productName: string) => string>> = {
  pending: (name) => `The order of ${name} is pending.`,
  processing: (name) => `The payment for ${name} is confirmed.`,
  shipped: (name) => `${name} is shipped.`,
  delivered: (name) => `${name} is delivered.`,
  cancelled: (name) => `The transaction about ${name} is cancelled.`,
}

/**
 * Moves an order for an administrator, with a note to the two.
 * @throws Rejection('order-not-found'); Rejection('order-move') when the move is not offered
 */
export async function moveOrder(
  pool: DatabasePool,
  { orderId, status, actorId, actorName, reason, requestId }: z.infer<typeof messagingRequests.moveOrder.body>,
  nowMs: number,
): Promise<void> {
  const deal = await findDeal(pool, orderId)
  if (deal === null) throw new Rejection('order-not-found')
  const content = [notes[status](deal.productName), ...(reason === null ? [] : [`Reason: ${reason}`])].join(' ')
  const note = { authorId: actorId, content }
  const command = { type: 'MoveOrder', status, actorId, reason, at: new Date(nowMs).toISOString() } as const
  const metadata = { actorId, correlationId: requestId, causationId: null }
  await pool.transaction(async (transaction) => {
    await continueDeal(transaction, { transactionId: orderId, parties: deal, command, note }, metadata)
    await rememberPerson(transaction, actorId, actorName)
    // Nobody is left to read the note: it goes as what the two wrote has gone.
    if ((await isAnyErased(transaction, [deal.sellerId])) && (await isAnyErased(transaction, [deal.buyerId])))
      await insertErasedReaders(transaction, [deal.sellerId])
  })
}
