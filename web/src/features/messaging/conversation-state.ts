import type { ServerFrame } from '@wangian/contracts/frames.ts'
import type { Message } from '@wangian/contracts/messaging.ts'

/** A deal as its cards know it. */
export type Transaction = NonNullable<Message['transaction']>

/** One conversation as the page shows it. */
export interface ConversationState {
  readonly status: 'loading' | 'ready' | 'failed'
  /** In the order of their ids. */
  readonly messages: readonly Message[]
  /** Leads to what is older; `null` when all is here. */
  readonly nextCursor: string | null
}

export type ConversationNews =
  | { readonly type: 'loaded'; readonly messages: readonly Message[]; readonly nextCursor: string | null }
  | { readonly type: 'loadedOlder'; readonly messages: readonly Message[]; readonly nextCursor: string | null }
  | { readonly type: 'loadFailed' }
  /** What the server answered to a step of a deal: the card, and the one that follows. */
  | { readonly type: 'stepTaken'; readonly messages: readonly Message[] }
  | { readonly type: 'cancelled'; readonly transaction: Transaction }
  | { readonly type: 'fileSent'; readonly message: Message }
  | { readonly type: 'frame'; readonly frame: ServerFrame; readonly otherId: number }

export const emptyConversation: ConversationState = {
  status: 'loading',
  messages: [],
  nextCursor: null,
}

/** The state after some news; news that come twice, or late, change nothing. */
export function reduceConversation(state: ConversationState, news: ConversationNews): ConversationState {
  switch (news.type) {
    case 'loaded': {
      // What was here before may lie behind a gap that this page does not fill, and belongs to the pages that follow it.
      const isGap = news.nextCursor !== null && state.messages.length > 0 && !overlaps(state.messages, news.messages)
      const before = isGap ? state.messages.filter(({ id }) => id > lastIdOf(news.messages)) : state.messages
      const isLonger = !isGap && state.messages.some(({ id }) => id < firstIdOf(news.messages))
      const nextCursor = isLonger ? state.nextCursor : news.nextCursor
      return { ...withMessages({ ...state, messages: before }, news.messages), status: 'ready', nextCursor }
    }
    case 'loadedOlder':
      return { ...withMessages(state, news.messages), nextCursor: news.nextCursor }
    case 'loadFailed':
      return state.status === 'loading' ? { ...state, status: 'failed' } : state
    case 'fileSent':
      return withMessages(state, [news.message])
    case 'stepTaken':
      return withMessages(state, news.messages)
    case 'cancelled': {
      const { transaction } = news
      const cards = state.messages.filter((each) => each.transaction?.id === transaction.id)
      return withMessages(
        state,
        cards.map((card) => ({ ...card, transaction })),
      )
    }
    case 'frame':
      return takeInFrame(state, news.frame, news.otherId)
    default:
      return news satisfies never
  }
}

function takeInFrame(state: ConversationState, frame: ServerFrame, otherId: number): ConversationState {
  switch (frame.type) {
    case 'new_message':
      return frame.message.senderId === otherId ? withMessages(state, [frame.message]) : state
    case 'message_sent':
      return frame.message.receiverId === otherId ? withMessages(state, [frame.message]) : state
    case 'action_confirmed': {
      const { message, next } = frame
      if (message.senderId !== otherId && message.receiverId !== otherId) return state
      return withMessages(state, next ? [message, next] : [message])
    }
    case 'messages_read': {
      const read = new Set(frame.messageIds)
      if (!state.messages.some(({ id, isRead }) => !isRead && read.has(id))) return state
      return {
        ...state,
        messages: state.messages.map((each) => (read.has(each.id) ? { ...each, isRead: true } : each)),
      }
    }
    default:
      return state
  }
}

/** Newer knowledge of a message replaces the older; what was read stays read, and a deal does not go back. */
function withMessages(state: ConversationState, news: readonly Message[]): ConversationState {
  const known = new Map(state.messages.map((message) => [message.id, message]))
  for (const message of news) {
    const before = known.get(message.id)
    known.set(message.id, {
      ...message,
      isRead: message.isRead || before?.isRead === true,
      isClicked: message.isClicked || before?.isClicked === true,
      transaction:
        before?.transaction && isFurther(before.transaction, message.transaction)
          ? before.transaction
          : message.transaction,
    })
  }
  return { ...state, messages: agreeing([...known.values()].sort((one, other) => one.id - other.id)) }
}

/** How far a deal is. What is further is the newer knowledge of it. */
const progress = { WAITING_PAYMENT: 0, WAITING_DELIVERY: 1, WAITING_REVIEW: 2, COMPLETED: 3, CANCELLED: 3 } as const

function isFurther(one: Transaction, other: Transaction | null): boolean {
  return other !== null && progressOf(one) > progressOf(other)
}

/** It is on its way before it has arrived. */
function progressOf({ status, isShipped }: Transaction): number {
  return progress[status] + (isShipped ? 0.5 : 0)
}

/** All cards of a deal say the same of it, whichever of them came last. */
function agreeing(messages: readonly Message[]): readonly Message[] {
  const furthest = new Map<number, Transaction>()
  for (const { transaction } of messages) {
    if (transaction === null) continue
    const known = furthest.get(transaction.id)
    if (known && isFurther(known, transaction)) continue
    furthest.set(transaction.id, transaction)
  }
  return messages.map((message) => {
    const transaction = message.transaction && furthest.get(message.transaction.id)
    return transaction && transaction !== message.transaction ? { ...message, transaction } : message
  })
}

function overlaps(some: readonly Message[], others: readonly Message[]): boolean {
  const ids = new Set(others.map(({ id }) => id))
  return some.some(({ id }) => ids.has(id))
}

const firstIdOf = (messages: readonly Message[]) => messages[0]?.id ?? 0
const lastIdOf = (messages: readonly Message[]) => messages.at(-1)?.id ?? 0
