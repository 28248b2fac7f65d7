import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import { Rejection } from '@wangian/kit/errors.ts'

/** What of the world around a conversation decides whether somebody may write to somebody. */
export interface Exchange {
  readonly sender: 'here' | 'banned' | 'gone'
  readonly receiver: 'here' | 'unknown' | 'gone'
  /** Somebody who has blocked the other one writes to them no more, either. */
  readonly isBlocked: boolean
  /** They have written to each other before. */
  readonly isOpen: boolean
  /** What the sender has sent within the last {@link MESSAGES_WINDOW_MS}. */
  readonly sentLately: number
  /** The same within the last {@link LONGER_WINDOW_MS}. */
  readonly sentInMinute: number
  /** Conversations that the sender has begun within the last {@link CONVERSATIONS_WINDOW_MS}. */
  readonly openedLately: number
  /** Of whom identity told less than {@link NEWCOMER_MS} ago. */
  readonly isNewcomer: boolean
}

export interface SendMessage {
  readonly messageId: number
  readonly senderId: number
  readonly receiverId: number
  readonly productId: number | null
  readonly sentAt: string
  /** Sent in somebody's name by the product itself: that costs nothing of what they may send. */
  readonly isAutomatic: boolean
  /** It goes with a file. */
  readonly isFile?: boolean
  /** The deal whose first card it is. */
  readonly card?: { readonly transactionId: number; readonly actionType: 'INITIATE' }
}

export interface MarkRead {
  readonly readerId: number
  readonly senderId: number
  readonly readAt: string
}

/** What one person may do in a while. */
export interface Limits {
  readonly messages: number
  readonly messagesInMinute: number
  readonly conversations: number
  /** The same for a newcomer. */
  readonly newcomersConversations: number
  /** Deals that begin about one product: each may become events of its listing, whose commands read them all. */
  readonly dealsOfProduct: number
}

export const MESSAGES_WINDOW_MS = 10_000
export const LONGER_WINDOW_MS = 60_000
export const CONVERSATIONS_WINDOW_MS = 60 * 60 * 1000
export const DEALS_WINDOW_MS = 24 * 60 * 60 * 1000
export const NEWCOMER_MS = 7 * 24 * 60 * 60 * 1000
export const productionLimits = limitsFor(1)

export function limitsFor(factor: number): Limits {
  return {
    messages: 10 * factor,
    messagesInMinute: 20 * factor,
    conversations: 20 * factor,
    newcomersConversations: 5 * factor,
    dealsOfProduct: 100 * factor,
  }
}

export interface ChangeBlock {
  readonly userId: number
  readonly blockedId: number
  readonly isWanted: boolean
  readonly at: string
}

/** The stream of what somebody thinks of somebody else. */
export function blockStream(userId: number, blockedId: number): string {
  return `block-${userId}-${blockedId}`
}

/** The stream of two people's conversation, whoever of them is named first. */
export function conversationStream(userId: number, otherId: number): string {
  return `conversation-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`
}

/**
 * The state of a conversation is in tables and not folded: it has no end, and nobody should have to read all of it to add a line.
 * @throws Rejection when it may not be sent
 */
export function decideSending(command: SendMessage, exchange: Exchange, limits: Limits): readonly MessagingEvent[] {
  const { messageId, senderId, receiverId, productId, sentAt, isAutomatic } = command
  if (senderId === receiverId) throw new Rejection('own-message')
  if (exchange.sender === 'banned') throw new Rejection('account-suspended')
  if (exchange.sender === 'gone') throw new Rejection('forbidden')
  if (exchange.receiver === 'unknown') throw new Rejection('user-not-found')
  if (exchange.receiver === 'gone') throw new Rejection('user-gone')
  if (!isAutomatic) {
    if (exchange.isBlocked) throw new Rejection('blocked')
    if (exchange.sentLately >= limits.messages) throw new Rejection('rate-limited')
    if (exchange.sentInMinute >= limits.messagesInMinute) throw new Rejection('rate-limited')
    const conversations = exchange.isNewcomer ? limits.newcomersConversations : limits.conversations
    if (!exchange.isOpen && exchange.openedLately >= conversations) throw new Rejection('rate-limited')
  }
  const { transactionId = null, actionType = null } = command.card ?? {}
  const kind = command.isFile ? 'file' : transactionId === null ? 'text' : 'action'
  const data = { messageId, senderId, receiverId, productId, kind, transactionId, actionType, sentAt } as const
  return [{ type: 'MessageSent', data }]
}

/** @param unreadIds those of the messages in question that the reader has got and not read yet */
export function decideReading(command: MarkRead, unreadIds: readonly number[]): readonly MessagingEvent[] {
  if (unreadIds.length === 0) return []
  return [{ type: 'MessagesRead', data: { ...command, messageIds: [...unreadIds] } }]
}

/** @param known what is so now @throws Rejection when there is nobody to block */
export function decideBlocking(
  { userId, blockedId, isWanted, at }: ChangeBlock,
  known: { readonly isBlocked: boolean; readonly isSomebody: boolean },
): readonly MessagingEvent[] {
  if (known.isBlocked === isWanted) return []
  if (!isWanted) return [{ type: 'UserUnblocked', data: { userId, blockedId, unblockedAt: at } }]
  if (userId === blockedId) throw new Rejection('forbidden')
  if (!known.isSomebody) throw new Rejection('user-not-found')
  return [{ type: 'UserBlocked', data: { userId, blockedId, blockedAt: at } }]
}
