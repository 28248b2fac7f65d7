import type { serverFrames } from '@wangian/contracts/frames.ts'
import { encodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { type BulkEventHandlers, dataOf } from '@wangian/kit/log/event-handlers.ts'
import { z } from 'zod'
import { actionOf, type DealFacts, nextStep } from '../deals/domain.ts'
import { countUnreadOf } from './conversation-store.ts'
import { findCard, findLastCard, findMessages, type MessageRow } from './message-store.ts'
import { presentMessage } from './presenter.ts'
import type { SentRows } from './sent-rows.ts'

/** What is older than this when it comes, nobody is waiting for any more: people have loaded their pages since. */
const NEWS_AGE_MAX_MS = 10 * 60 * 1000

/** Of a message that was sent with an id of its own. */
const OwnId = z.uuid()

type Frame = { [Type in keyof typeof serverFrames]: z.input<(typeof serverFrames)[Type]> }[keyof typeof serverFrames]

/**
 * Shows what has happened to the sockets of those whom it concerns. It follows the service's own log, so nothing is shown that is not
 * committed, and nothing that is committed is forgotten when a process dies in between. What is shown twice is known by its ids.
 */
export function liveHandlers(nats: NatsConnection, sentRows: SentRows): BulkEventHandlers<'messaging'> {
  const show = (userId: number, commandId: string | null, frames: readonly Frame[]) =>
    nats.publish(
      userLiveSubject(userId),
      encodeUserLive({ commandId, frames: frames.map((frame) => JSON.stringify(frame)) }),
    )
  /** To both, and to all their sockets: a card of the deal has changed. */
  const showCard = (
    { sellerId, buyerId }: Pick<DealFacts, 'sellerId' | 'buyerId'>,
    cards: { readonly card: MessageRow | null; readonly next?: MessageRow | null },
  ) => {
    if (cards.card === null) return
    const message = presentMessage(cards.card)
    const frame: Frame = { type: 'action_confirmed', message, ...(cards.next && { next: presentMessage(cards.next) }) }
    for (const userId of [sellerId, buyerId]) show(userId, null, [frame])
  }
  return {
    TransactionStepConfirmed: eachOf(async (transaction, { data }) => {
      const following = nextStep(data.step)
      showCard(data, {
        card: await findCard(transaction, data.transactionId, actionOf[data.step]),
        next: following && (await findCard(transaction, data.transactionId, actionOf[following])),
      })
    }),
    TransactionCancelled: eachOf(async (transaction, { data }) =>
      showCard(data, { card: await findLastCard(transaction, data.transactionId) }),
    ),
    OrderStatusChanged: eachOf(async (transaction, { data }) => {
      // Every other move is a step of the deal, and shown as such.
      if (data.status === 'shipped') showCard(data, { card: await findLastCard(transaction, data.orderId) })
    }),
    ReviewSubmitted: eachOf(async (transaction, { data }) =>
      showCard(data, { card: await findCard(transaction, data.reviewId, actionOf.review) }),
    ),
    MessageSent: async (transaction, events) => {
      const sent = events.filter(isNews)
      const messageIds = sent.map(({ data }) => data.messageId)
      const known = new Map((await sentRows.take(messageIds)).map((row) => [row.id, row]))
      const unknown = messageIds.filter((messageId) => !known.has(messageId))
      const rows = [...known.values(), ...(await findMessages(transaction, unknown))]
      const counts = await countUnreadOf(
        transaction,
        sent.map(({ data }) => data.receiverId),
      )
      const messages = new Map(rows.map((row) => [row.id, presentMessage(row)]))
      for (const { data, metadata } of sent) {
        const message = messages.get(data.messageId)
        if (message === undefined) continue
        show(data.receiverId, null, [
          { type: 'new_message', message },
          { type: 'unread_count', count: counts.get(data.receiverId) ?? 0 },
        ])
        const { commandId } = metadata
        const isOwnId = OwnId.safeParse(commandId).success
        show(data.senderId, commandId, [
          { type: 'message_sent', message, ...(isOwnId && commandId !== null && { clientMessageId: commandId }) },
        ])
      }
    },
    MessagesRead: async (transaction, events) => {
      const reads = events.filter(isNews).map(dataOf)
      const counts = await countUnreadOf(
        transaction,
        reads.map(({ readerId }) => readerId),
      )
      for (const { readerId, senderId, messageIds } of reads) {
        const read: Frame = { type: 'messages_read', readerId, senderId, messageIds }
        show(readerId, null, [read, { type: 'unread_count', count: counts.get(readerId) ?? 0 }])
        show(senderId, null, [read])
      }
    },
  }
}

/** Whether somebody may be waiting for it. */
export function isNews({ at }: { readonly at: string }): boolean {
  return Date.now() - Date.parse(at) <= NEWS_AGE_MAX_MS
}

/** One after the other, without what is no news any more. */
function eachOf<Event extends { readonly at: string }>(
  handle: (transaction: Transaction, event: Event) => Promise<void>,
): (transaction: Transaction, events: readonly Event[]) => Promise<void> {
  return async (transaction, events) => {
    for (const event of events.filter(isNews)) await handle(transaction, event)
  }
}
