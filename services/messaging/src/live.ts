import type { serverFrames } from '@wangian/contracts/frames.ts'
import { encodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { z } from 'zod'
import { actionOf, type DealFacts, nextStep } from './deals/domain.ts'
import { presentMessage } from './presenter.ts'
import { countUnread, findCard, findLastCard, findMessage, type MessageRow } from './store.ts'

/** What is older than this when it comes, nobody is waiting for any more: people have loaded their pages since. */
const NEWS_AGE_MAX_MS = 10 * 60 * 1000

type Frame = { [Type in keyof typeof serverFrames]: z.input<(typeof serverFrames)[Type]> }[keyof typeof serverFrames]

/**
 * Shows what has happened to the sockets of those whom it concerns. It follows the service's own log, so nothing is shown that is not
 * committed, and nothing that is committed is forgotten when a process dies in between.
 */
export function liveReactions(nats: NatsConnection): EventHandlers<'messaging'> {
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
    TransactionStepConfirmed: async (transaction, { data, at }) => {
      if (isOld(at)) return
      const following = nextStep(data.step)
      showCard(data, {
        card: await findCard(transaction, data.transactionId, actionOf[data.step]),
        next: following && (await findCard(transaction, data.transactionId, actionOf[following])),
      })
    },
    TransactionCancelled: async (transaction, { data, at }) => {
      if (!isOld(at)) showCard(data, { card: await findLastCard(transaction, data.transactionId) })
    },
    ReviewSubmitted: async (transaction, { data, at }) => {
      if (isOld(at)) return
      const card = await findCard(transaction, data.reviewId, actionOf.review)
      showCard(data, { card })
    },
    MessageSent: async (transaction, { data, at, metadata: { commandId } }) => {
      if (isOld(at)) return
      const row = await findMessage(transaction, data.messageId)
      if (row === null) return
      const message = presentMessage(row)
      const count = await countUnread(transaction, data.receiverId)
      show(data.receiverId, null, [
        { type: 'new_message', message },
        { type: 'unread_count', count },
      ])
      const isOwnId = z.uuid().safeParse(commandId).success
      show(data.senderId, commandId, [
        { type: 'message_sent', message, ...(isOwnId && commandId !== null && { clientMessageId: commandId }) },
      ])
    },
    MessagesRead: async (transaction, { data: { readerId, senderId, messageIds }, at }) => {
      if (isOld(at)) return
      const count = await countUnread(transaction, readerId)
      const read: Frame = { type: 'messages_read', readerId, senderId, messageIds }
      show(readerId, null, [read, { type: 'unread_count', count }])
      show(senderId, null, [read])
    },
  }
}

function isOld(at: string): boolean {
  return Date.now() - Date.parse(at) > NEWS_AGE_MAX_MS
}
