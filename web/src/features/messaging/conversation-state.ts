import type { ServerFrame } from '@wangian/contracts/frames.ts'
import type { Message } from '@wangian/contracts/messaging.ts'

/** What was written here and is not known to be stored yet. */
export interface Outgoing {
  readonly clientMessageId: string
  readonly content: string
  readonly productId: number | null
  readonly isFailed: boolean
}

/** One conversation as the page shows it. */
export interface ConversationState {
  readonly status: 'loading' | 'ready' | 'failed'
  /** In the order of their ids. */
  readonly messages: readonly Message[]
  readonly outgoing: readonly Outgoing[]
  /** Leads to what is older; `null` when all is here. */
  readonly nextCursor: string | null
}

export type ConversationNews =
  | { readonly type: 'loaded'; readonly messages: readonly Message[]; readonly nextCursor: string | null }
  | { readonly type: 'loadedOlder'; readonly messages: readonly Message[]; readonly nextCursor: string | null }
  | { readonly type: 'loadFailed' }
  | { readonly type: 'queued'; readonly outgoing: Omit<Outgoing, 'isFailed'> }
  | { readonly type: 'notSent'; readonly clientMessageId: string }
  | { readonly type: 'frame'; readonly frame: ServerFrame; readonly otherId: number }

export const emptyConversation: ConversationState = {
  status: 'loading',
  messages: [],
  outgoing: [],
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
    case 'queued': {
      const others = state.outgoing.filter(({ clientMessageId }) => clientMessageId !== news.outgoing.clientMessageId)
      return { ...state, outgoing: [...others, { ...news.outgoing, isFailed: false }] }
    }
    case 'notSent':
      return {
        ...state,
        outgoing: state.outgoing.map((each) =>
          each.clientMessageId === news.clientMessageId ? { ...each, isFailed: true } : each,
        ),
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
    case 'message_sent': {
      if (frame.message.receiverId !== otherId) return state
      const outgoing = state.outgoing.filter(({ clientMessageId }) => clientMessageId !== frame.clientMessageId)
      return { ...withMessages(state, [frame.message]), outgoing }
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

/** Newer knowledge of a message replaces the older; what was read stays read. */
function withMessages(state: ConversationState, news: readonly Message[]): ConversationState {
  const known = new Map(state.messages.map((message) => [message.id, message]))
  for (const message of news) {
    known.set(message.id, { ...message, isRead: message.isRead || known.get(message.id)?.isRead === true })
  }
  return { ...state, messages: [...known.values()].sort((one, other) => one.id - other.id) }
}

function overlaps(some: readonly Message[], others: readonly Message[]): boolean {
  const ids = new Set(others.map(({ id }) => id))
  return some.some(({ id }) => ids.has(id))
}

const firstIdOf = (messages: readonly Message[]) => messages[0]?.id ?? 0
const lastIdOf = (messages: readonly Message[]) => messages.at(-1)?.id ?? 0
