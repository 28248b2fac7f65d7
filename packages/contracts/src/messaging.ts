import { z } from 'zod'
import { Id, IdParam, ProductId, RequestKey, UserId } from './ids.ts'
import { Ringgit } from './money.ts'
import { route } from './route.ts'
import { isStorableText } from './text.ts'
import { Instant } from './time.ts'

/** A message's text has at most so many characters, and at least one that can be seen. */
export const MESSAGE_LENGTH_MAX = 2000

/** How many messages one event, or one frame, may speak of. */
export const MESSAGES_AT_ONCE_MAX = 500

/** Somebody in a conversation, as the other one sees them. */
export const Correspondent = z
  .object({
    id: UserId,
    /** `null` for somebody who has deleted their account. */
    username: z.string().nullable(),
    profileImage: z.string().nullable(),
  })
  .meta({ id: 'Correspondent' })
export type Correspondent = z.infer<typeof Correspondent>

/** What a message is about, as far as a conversation shows it. */
export const MessageProduct = z
  .object({
    id: ProductId,
    name: z.string(),
    price: Ringgit,
    imageUrl: z.string().nullable(),
    /** It was taken away: what is said here is what it was then. */
    isRemoved: z.boolean(),
  })
  .meta({ id: 'MessageProduct' })

export const Message = z
  .object({
    id: Id,
    senderId: UserId,
    receiverId: UserId,
    content: z.string(),
    messageType: z.enum(['text', 'FILE', 'ACTION']),
    fileUrl: z.string().nullable(),
    actionType: z.enum(['INITIATE', 'CONFIRM_PAYMENT', 'CONFIRM_DELIVERY', 'REVIEW']).nullable(),
    isRead: z.boolean(),
    isClicked: z.boolean(),
    createdAt: Instant,
    productId: ProductId.nullable(),
    sender: Correspondent,
    receiver: Correspondent,
    /** `null` without one, and as long as nothing is known of it. */
    product: MessageProduct.nullable(),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>

/** All that two people have written to each other, as one of them sees it in a list. */
export const Conversation = z
  .object({
    /** The other one. */
    user: Correspondent,
    lastMessage: Message,
    unreadCount: z.int().min(0),
    /** The caller does not want to be written to by the other one. */
    isBlocked: z.boolean(),
    /** What was spoken of last. */
    product: MessageProduct.nullable(),
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.infer<typeof Conversation>

/** What somebody may write. Blank is nothing, and what is around it is left out. */
export const MessageContent = z
  .string()
  .trim()
  .min(1, 'Please write a message')
  .max(MESSAGE_LENGTH_MAX, `A message has at most ${MESSAGE_LENGTH_MAX} characters`)
  .refine(isStorableText, 'Please write a message')

const Success = z.object({ success: z.literal(true) })

const page = { limit: z.coerce.number().int().min(1).max(MESSAGES_AT_ONCE_MAX).optional() }
/** The lowest id of the page before. */
const olderThan = { cursor: IdParam.optional() }

export const messagingRoutes = {
  listMessages: route({
    method: 'GET',
    path: '/api/messages',
    access: 'signed-in',
    summary: "The caller's own messages: the newest first, or with `after` what came since, in its order",
    query: z.object({ ...page, ...olderThan, after: IdParam.optional() }),
    answers: { 200: z.array(Message) },
  }),
  listConversations: route({
    method: 'GET',
    path: '/api/messages/conversations',
    access: 'signed-in',
    summary: 'With whom the caller has written, the latest first',
    query: z.object({ ...page, ...olderThan }),
    answers: { 200: z.array(Conversation) },
  }),
  /** The newest page in the order in which it was written; `cursor` gives the one before. */
  getConversation: route({
    method: 'GET',
    path: '/api/messages/conversation/:userId',
    access: 'signed-in',
    summary: 'What the caller and somebody else have written to each other; `productId` narrows it to one product',
    params: z.object({ userId: IdParam }),
    query: z.object({ ...page, ...olderThan, productId: IdParam.optional() }),
    answers: { 200: z.array(Message) },
  }),
  countUnread: route({
    method: 'GET',
    path: '/api/messages/unread-count',
    access: 'signed-in',
    summary: 'How many messages the caller has not read',
    answers: { 200: z.object({ count: z.int().min(0) }) },
  }),
  blockUser: route({
    method: 'PUT',
    path: '/api/blocks/:userId',
    access: 'signed-in',
    summary: 'From now on neither of the two can write to the other',
    params: z.object({ userId: IdParam }),
    answers: { 200: Success },
    refusals: ['forbidden', 'user-not-found', 'account-suspended'],
  }),
  unblockUser: route({
    method: 'DELETE',
    path: '/api/blocks/:userId',
    access: 'signed-in',
    summary: 'Takes a block back',
    params: z.object({ userId: IdParam }),
    answers: { 200: Success },
  }),
} as const

/** Commands and questions of sockets, which messaging answers on the bus. Who is asking is what the token said. */
export const messagingRequests = {
  sendMessage: {
    name: 'send-message',
    body: z.object({
      senderId: UserId,
      senderName: z.string(),
      receiverId: UserId,
      content: MessageContent,
      productId: ProductId.nullable(),
      /** The same one gets the same message again. */
      clientMessageId: RequestKey,
      requestId: z.string(),
    }),
    answer: z.object({ message: Message }),
  },
  /** Either one message, or all of somebody. */
  markRead: {
    name: 'mark-read',
    body: z.object({
      readerId: UserId,
      what: z.union([z.object({ messageId: Id }), z.object({ senderId: UserId })]),
      requestId: z.string(),
    }),
    /** Those that were unread until now. */
    answer: z.object({ messageIds: z.array(Id) }),
  },
  getConversation: {
    name: 'get-conversation',
    body: z.object({ readerId: UserId, userId: UserId, productId: ProductId.nullable() }),
    answer: z.object({ messages: z.array(Message) }),
  },
} as const
