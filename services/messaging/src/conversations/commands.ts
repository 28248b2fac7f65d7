import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import { MESSAGES_AT_ONCE_MAX } from '@wangian/contracts/messaging.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { appendToStreams } from '@wangian/kit/log/event-store.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import { lock } from '../lock-store.ts'
import { isBlocked, listStandings } from '../people-store.ts'
import { newMessage, projectMessaging } from '../projections.ts'
import {
  blockStream,
  conversationStream,
  decideBlocking,
  decideReading,
  decideSending,
  type Exchange,
  type Limits,
  NEWCOMER_MS,
  type SendMessage,
} from './domain.ts'
import {
  type ExchangeRow,
  findSender,
  insertMessages,
  listExchanges,
  listUnread,
  listVersions,
  lockToSend,
  type NewMessage,
} from './sending-store.ts'

type Metadata = Omit<EventMetadata, 'commandId'>

export interface Sending extends Omit<SendMessage, 'messageId' | 'sentAt'> {
  readonly content: string
  /** The sender's name, as the token says it. */
  readonly senderName: string | null
  /** The same one leads to the same message. */
  readonly commandId: string
  readonly nowMs: number
  readonly metadata: Metadata
  /** What happens with it, asked for once it is known that it may be sent and was not sent before. */
  readonly together?: () => Promise<Happening>
}

/**
 * Sends a message in a transaction that has not written yet.
 * @returns its id
 * @throws Rejection when it may not be sent
 */
export async function sendMessage(transaction: Transaction, sending: Sending, limits: Limits): Promise<number> {
  const [outcome] = await sendMessages(transaction, [sending], limits)
  invariant(outcome !== undefined, 'what is sent has an outcome')
  if (outcome instanceof Rejection) throw outcome
  return outcome
}

/**
 * Sends messages in a transaction that has not written yet: of each sender one at most, which makes the limits exact, and in each conversation one
 * at most, so that none depends on another.
 * @returns of each its id, or why it may not be sent
 */
export async function sendMessages(
  transaction: Transaction,
  sendings: readonly Sending[],
  limits: Limits,
): Promise<readonly (number | Rejection)[]> {
  const questions = sendings.map((sending) => ({
    ...sending,
    stream: conversationStream(sending.senderId, sending.receiverId),
  }))
  await lockToSend(transaction, ...questions.map(({ stream }) => stream))
  const exchanges = await listExchanges(transaction, questions)
  let messageId = exchanges[0]?.nextMessageId ?? 1
  const outcomes: (number | Rejection)[] = []
  const happenings: Happening[] = []
  const texts = new Map<number, string>()
  const strangers: Sending[] = []
  for (const [index, { stream, ...sending }] of questions.entries()) {
    const exchange = exchanges[index]
    invariant(exchange !== undefined, 'each question has an answer')
    if (exchange.knownId !== null) {
      outcomes.push(exchange.knownId)
      continue
    }
    try {
      const command = { ...sending, messageId, sentAt: new Date(sending.nowMs).toISOString() }
      const events = decideSending(command, exchangeOf(exchange, sending.nowMs), limits)
      const together = await sending.together?.()
      if (together !== undefined) happenings.push(together)
      const metadata = { ...sending.metadata, commandId: sending.commandId }
      happenings.push({ stream, version: exchange.version, events, metadata })
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      outcomes.push(error)
      continue
    }
    if (exchange.sender === null) strangers.push(sending)
    texts.set(messageId, sending.content)
    outcomes.push(messageId)
    messageId += 1
  }
  await append(transaction, happenings, texts)
  for (const { senderId, senderName } of strangers)
    if (senderName !== null) await rememberPerson(transaction, senderId, senderName)
  return outcomes
}

export interface Reading {
  readonly readerId: number
  readonly what: { readonly messageId: number } | { readonly senderId: number }
  readonly nowMs: number
}

/**
 * Marks as read what somebody has got, the {@link MESSAGES_AT_ONCE_MAX} oldest at most, in a transaction that has not written yet.
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
  const unreadIds = await listUnread(transaction, { readerId, senderId, messageId, limit: MESSAGES_AT_ONCE_MAX })
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

function exchangeOf({ sender, receiver, ...same }: ExchangeRow, nowMs: number): Exchange {
  return {
    ...same,
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
  /** Of the stream before, where it is known. */
  readonly version?: number
  readonly events: readonly MessagingEvent[]
  readonly metadata: EventMetadata
}

/**
 * Appends to streams that a lock keeps others from, taken before the transaction's first write, and writes what the events mean into the
 * tables.
 * @param texts what is written in the messages that are sent, by their ids
 */
export async function append(
  transaction: Transaction,
  happenings: readonly Happening[],
  texts: ReadonlyMap<number, string> = new Map(),
): Promise<void> {
  if (happenings.length === 0) return
  const unknown = happenings.filter(({ version }) => version === undefined).map(({ stream }) => stream)
  const versions = unknown.length === 0 ? [] : await listVersions(transaction, unknown)
  const appends = happenings.map(({ version, ...happening }) => ({
    ...happening,
    service: 'messaging' as const,
    expectedVersion: version ?? versions[unknown.indexOf(happening.stream)] ?? 0,
  }))
  const messages: NewMessage[] = []
  for (const event of await appendToStreams(transaction, appends)) {
    if (event.type !== 'MessageSent') await projectMessaging(transaction, event)
    else messages.push({ ...newMessage(event), content: texts.get(event.data.messageId) ?? null })
  }
  if (messages.length > 0) await insertMessages(transaction, messages)
}
