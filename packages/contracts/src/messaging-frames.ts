import { z } from 'zod'
import { Id, ProductId, RequestKey, UserId } from './ids.ts'
import { ActionType, MESSAGES_AT_ONCE_MAX, Message } from './messaging.ts'

/** What a socket may send on the messaging channel. All of it needs an account. */
export const messagingClientFrames = {
  send_message: z.object({
    type: z.literal('send_message'),
    receiverId: UserId,
    /** Anything: what is no text of a message is refused as a message, not as a frame. */
    content: z.unknown().optional(),
    productId: ProductId.nullish(),
    /** The sender's own id of the message: sent again with the same one, it is still one message. */
    clientMessageId: RequestKey.optional(),
    /** Compared with the token; a mismatch is refused. */
    senderId: UserId.optional(),
  }),
  /** One message, or all of somebody. */
  mark_read: z
    .object({ type: z.literal('mark_read'), messageId: Id.optional(), senderId: UserId.optional() })
    .refine(({ messageId, senderId }) => messageId !== undefined || senderId !== undefined, {
      error: 'A messageId or a senderId is needed',
      path: ['messageId'],
    }),
  /** A seller offers the receiver to buy; every other card is made by the server. */
  send_action_message: z.object({
    type: z.literal('send_action_message'),
    receiverId: UserId,
    productId: ProductId,
    actionType: ActionType,
    /** In ringgit, where the price may be agreed on. */
    amount: z.unknown().optional(),
    /** As of a message. */
    clientMessageId: RequestKey.optional(),
  }),
  get_conversation: z.object({
    type: z.literal('get_conversation'),
    userId: UserId,
    productId: ProductId.nullish(),
  }),
} as const

/** What the server sends on the messaging channel, to all sockets of a person. */
export const messagingServerFrames = {
  /** To the sender: it is stored. */
  message_sent: z.object({
    type: z.literal('message_sent'),
    message: Message,
    clientMessageId: RequestKey.optional(),
  }),
  /** To the receiver. */
  new_message: z.object({ type: z.literal('new_message'), message: Message }),
  /** To both: these are read now. */
  messages_read: z.object({
    type: z.literal('messages_read'),
    readerId: UserId,
    senderId: UserId,
    messageIds: z.array(Id).max(MESSAGES_AT_ONCE_MAX),
  }),
  /** To both: the step of this card was taken, or its deal was called off. `next` is the card that follows. */
  action_confirmed: z.object({
    type: z.literal('action_confirmed'),
    message: Message,
    next: Message.nullish(),
  }),
  conversation: z.object({
    type: z.literal('conversation'),
    userId: UserId,
    productId: ProductId.nullable(),
    messages: z.array(Message),
  }),
  unread_count: z.object({ type: z.literal('unread_count'), count: z.int().min(0) }),
} as const
