import type { ServerFrame } from '@wangian/contracts/frames.ts'
import type { Conversation, Message } from '@wangian/contracts/messaging.ts'

/** The conversations after a frame, the latest first. What came twice counts once. */
export function withFrame(
  conversations: readonly Conversation[],
  frame: ServerFrame,
  ownId: number,
): readonly Conversation[] {
  switch (frame.type) {
    case 'new_message':
    case 'message_sent':
      return withMessage(conversations, frame.message, ownId)
    case 'action_confirmed':
      return frame.next ? withMessage(conversations, frame.next, ownId) : conversations
    case 'messages_read': {
      const otherId = frame.readerId === ownId ? frame.senderId : frame.readerId
      return conversations.map((each) => (each.user.id === otherId ? withRead(each, frame, ownId) : each))
    }
    default:
      return conversations
  }
}

/** A page that was loaded, with what is known beyond it. */
export function withPage(
  conversations: readonly Conversation[],
  page: readonly Conversation[],
): readonly Conversation[] {
  const loaded = new Map(page.map((each) => [each.user.id, each]))
  const others = conversations.filter(({ user }) => !loaded.has(user.id))
  return [...loaded.values(), ...others].sort((one, other) => other.lastMessage.id - one.lastMessage.id)
}

function withMessage(conversations: readonly Conversation[], message: Message, ownId: number): readonly Conversation[] {
  const user = message.senderId === ownId ? message.receiver : message.sender
  const known = conversations.find((each) => each.user.id === user.id)
  if (known !== undefined && known.lastMessage.id >= message.id) return conversations
  const isUnread = message.receiverId === ownId && !message.isRead
  const next: Conversation = {
    user,
    lastMessage: message,
    unreadCount: (known?.unreadCount ?? 0) + (isUnread ? 1 : 0),
    isBlocked: known?.isBlocked ?? false,
    product: message.product ?? known?.product ?? null,
  }
  return [next, ...conversations.filter((each) => each !== known)]
}

function withRead(
  conversation: Conversation,
  { readerId, messageIds }: Extract<ServerFrame, { type: 'messages_read' }>,
  ownId: number,
): Conversation {
  const { lastMessage, unreadCount } = conversation
  return {
    ...conversation,
    unreadCount: readerId === ownId ? Math.max(0, unreadCount - messageIds.length) : unreadCount,
    lastMessage: messageIds.includes(lastMessage.id) ? { ...lastMessage, isRead: true } : lastMessage,
  }
}
