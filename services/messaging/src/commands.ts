import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { appendToStreams } from '@wangian/kit/log/event-store.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import {
  blockStream,
  CONVERSATIONS_WINDOW_MS,
  conversationStream,
  decideBlocking,
  decideReading,
  decideSending,
  type Exchange,
  type Limits,
  LONGER_WINDOW_MS,
  MESSAGES_WINDOW_MS,
  NEWCOMER_MS,
  type SendMessage,
} from './domain.ts'
import { isBlocked, listStandings } from './people-store.ts'
import { projectMessaging } from './projections.ts'
import {
  findExchange,
  findMessage,
  findMessageOfCommand,
  findSender,
  findVersion,
  insertText,
  listUnread,
  lock,
  type MessageRow,
} from './store.ts'

/** `messageId` is drawn by `nextMessageId` before the transaction, for drawing it would be a write. */
export interface Sending extends Omit<SendMessage, 'sentAt'> {
  readonly content: string
  /** The sender's name, as the token says it. */
  readonly senderName: string | null
  /** The same one leads to the same message. */
  readonly commandId: string
  readonly nowMs: number
  /** What happens with it, asked for once it is known that it may be sent and was not sent before. */
  readonly together?: () => Promise<Happening>
}

/**
 * Sends a message in a transaction that has not written yet. One at a time for each sender, which makes the limits exact, and for each
 * conversation, which keeps the order.
 * @throws Rejection when it may not be sent
 */
export async function sendMessage(
  transaction: Transaction,
  sending: Sending,
  { limits, metadata }: { readonly limits: Limits; readonly metadata: Omit<EventMetadata, 'commandId'> },
): Promise<MessageRow> {
  const { messageId, senderId, receiverId, commandId, nowMs } = sending
  const stream = conversationStream(senderId, receiverId)
  await lock(transaction, `sender-${senderId}`, stream)
  const known = await findMessageOfCommand(transaction, senderId, commandId)
  if (known !== null) return known
  const exchange = await readExchange(transaction, sending)
  const command: SendMessage = { ...sending, sentAt: new Date(nowMs).toISOString() }
  const events = decideSending(command, exchange, limits)
  const together = await sending.together?.()
  const sent = { stream, events, metadata: { ...metadata, commandId } }
  await append(transaction, together === undefined ? [sent] : [together, sent])
  await insertText(transaction, messageId, sending.content)
  if (!exchange.isSenderKnown && sending.senderName !== null)
    await rememberPerson(transaction, senderId, sending.senderName)
  const message = await findMessage(transaction, messageId)
  invariant(message, 'a message that was sent is there')
  return message
}

export interface Reading {
  readonly readerId: number
  readonly what: { readonly messageId: number } | { readonly senderId: number }
  readonly nowMs: number
}

/**
 * Marks as read what somebody has got, in a transaction that has not written yet.
 * @returns what was unread until now
 * @throws Rejection('message-not-found') for a message that they have not got
 */
export async function markRead(
  transaction: Transaction,
  { readerId, what, nowMs }: Reading,
  metadata: EventMetadata,
): Promise<readonly number[]> {
  const messageId = 'messageId' in what ? what.messageId : null
  const senderId = 'messageId' in what ? await findSender(transaction, readerId, what.messageId) : what.senderId
  if (senderId === null) throw new Rejection('message-not-found')
  const stream = conversationStream(readerId, senderId)
  await lock(transaction, stream)
  const unreadIds = await listUnread(transaction, { readerId, senderId, messageId })
  const events = decideReading({ readerId, senderId, readAt: new Date(nowMs).toISOString() }, unreadIds)
  if (events.length > 0) await append(transaction, [{ stream, events, metadata }])
  return unreadIds
}

export interface Blocking {
  readonly userId: number
  readonly blockedId: number
  readonly isWanted: boolean
  readonly nowMs: number
}

/**
 * Blocks somebody or takes it back, in a transaction that has not written yet.
 * @returns whether anything changed
 * @throws Rejection when there is nobody to block
 */
export async function changeBlock(
  transaction: Transaction,
  { nowMs, ...wanted }: Blocking,
  metadata: EventMetadata,
): Promise<boolean> {
  const { userId, blockedId } = wanted
  const stream = blockStream(userId, blockedId)
  await lock(transaction, stream)
  const events = decideBlocking(
    { ...wanted, at: new Date(nowMs).toISOString() },
    {
      isBlocked: await isBlocked(transaction, userId, blockedId),
      isSomebody: (await listStandings(transaction, [blockedId])).length > 0,
    },
  )
  if (events.length > 0) await append(transaction, [{ stream, events, metadata }])
  return events.length > 0
}

async function readExchange(
  transaction: Transaction,
  sending: Sending,
): Promise<Exchange & { readonly isSenderKnown: boolean }> {
  const { nowMs } = sending
  const since = (windowMs: number) => new Date(nowMs - windowMs).toISOString()
  const { sender, receiver, ...same } = await findExchange(transaction, sending, {
    messages: since(MESSAGES_WINDOW_MS),
    minute: since(LONGER_WINDOW_MS),
    conversations: since(CONVERSATIONS_WINDOW_MS),
  })
  return {
    ...same,
    isSenderKnown: sender !== null,
    // Somebody with a good token of whom identity has not told yet.
    sender: sender?.isClosed ? 'gone' : sender?.isBanned ? 'banned' : 'here',
    receiver: receiver === null ? 'unknown' : receiver.isClosed ? 'gone' : 'here',
    // Whose registration identity has not told yet is as new as can be.
    isNewcomer: sender?.registeredAt == null || Date.parse(sender.registeredAt) > nowMs - NEWCOMER_MS,
  }
}

/** What happens in one stream. */
export interface Happening {
  readonly stream: string
  readonly events: readonly MessagingEvent[]
  readonly metadata: EventMetadata
}

/**
 * Appends to streams that a lock keeps others from, taken before the transaction's first write, and writes what the events mean into the
 * tables.
 */
export async function append(transaction: Transaction, happenings: readonly Happening[]): Promise<void> {
  const appends = await Promise.all(
    happenings.map(async (happening) => ({
      ...happening,
      service: 'messaging' as const,
      expectedVersion: await findVersion(transaction, happening.stream),
    })),
  )
  for (const event of await appendToStreams(transaction, appends)) await projectMessaging(transaction, event)
}
