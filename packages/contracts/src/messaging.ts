import { z } from 'zod'
import { Id, IdParam, ProductId, RequestKey, UserId } from './ids.ts'
import { Ringgit, Sen } from './money.ts'
import { imageRequest } from './pictures.ts'
import { route } from './route.ts'
import { isAnythingSeen, isStorableText } from './text.ts'
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

/** What a card asks of its receiver, in the order of a deal. */
export const ActionType = z.enum(['INITIATE', 'CONFIRM_PAYMENT', 'CONFIRM_DELIVERY', 'REVIEW'])
export type ActionType = z.infer<typeof ActionType>

/** How far a deal is. The names are those of its cards' receivers: who has not confirmed the purchase has not paid, either. */
export const TransactionStatus = z.enum([
  'WAITING_PAYMENT',
  'WAITING_DELIVERY',
  'WAITING_REVIEW',
  'COMPLETED',
  'CANCELLED',
])
export type TransactionStatus = z.infer<typeof TransactionStatus>

export const OrderStatus = z.enum(['pending', 'processing', 'shipped', 'delivered', 'cancelled'])
export type OrderStatus = z.infer<typeof OrderStatus>

/** A deal as its cards show it. */
export const MessageTransaction = z
  .object({
    id: Id,
    status: TransactionStatus,
    amount: Ringgit,
    /** The seller and the buyer may still call it off. */
    isCancellable: z.boolean(),
    /** It is on its way, and has not arrived. */
    isShipped: z.boolean(),
    /** What the buyer gave, once they have reviewed it. */
    rating: z.number().min(0).max(5).nullable(),
  })
  .meta({ id: 'MessageTransaction' })

/** A file in a conversation may weigh at most this much, in bytes. */
export const MESSAGE_FILE_BYTES_MAX = 5 * 1024 * 1024
/** What the file picker offers; what a file is counts, not what it is called. */
export const MESSAGE_FILE_TYPES = ['.jpg', '.jpeg', '.png', '.gif', '.webp', '.pdf', '.doc', '.docx'] as const

export const messageFileMessages = {
  tooLarge: 'File too large: Please select a file smaller than 5MB',
  wrongType: 'Invalid file type: Please select a JPEG, PNG, GIF, WebP, PDF, DOC or DOCX file',
  noConversation: 'You must select a conversation before uploading files.',
  quota: 'You have sent 200 MB of files, which is as much as we keep for one person.',
} as const

/** The form in which a file is sent, for `upload` of a route. */
export const messageFileUpload = {
  field: 'file',
  bytesMax: MESSAGE_FILE_BYTES_MAX,
  tooLarge: messageFileMessages.tooLarge,
} as const

/** A file that was sent, for the two people in the conversation alone. */
export const MessageFile = z
  .object({
    /** What the sender calls it. */
    name: z.string(),
    type: z.enum([
      'image/webp',
      'application/pdf',
      'application/msword',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ]),
    bytes: z.int().positive(),
    /** Of a picture, in pixels. */
    width: z.int().positive().nullable(),
    height: z.int().positive().nullable(),
  })
  .meta({ id: 'MessageFile' })
export type MessageFile = z.infer<typeof MessageFile>

export const Message = z
  .object({
    id: Id,
    senderId: UserId,
    receiverId: UserId,
    content: z.string(),
    messageType: z.enum(['text', 'FILE', 'ACTION']),
    fileUrl: z.string().nullable(),
    /** The same once more, for those who read it by this name. */
    file_url: z.string().nullable(),
    file: MessageFile.nullable(),
    actionType: ActionType.nullable(),
    /** Of a card. */
    transaction: MessageTransaction.nullable(),
    isRead: z.boolean(),
    /** A card whose step was taken. */
    isClicked: z.boolean(),
    createdAt: Instant,
    productId: ProductId.nullable(),
    sender: Correspondent,
    receiver: Correspondent,
    /** An administrator, who wrote it into the conversation of the two; it stands on the sender's side. */
    author: Correspondent.optional(),
    /** `null` without one, and as long as nothing is known of it. */
    product: MessageProduct.nullable(),
    /** The sender was too new when it was sent: its links are shown as text that leads nowhere. */
    areLinksPlain: z.boolean(),
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

/** What somebody has bought or sold, from the moment in which the purchase was confirmed. */
export const Order = z
  .object({
    /** Of the order, and of its transaction. */
    id: Id,
    transactionId: Id,
    /** Who bought. */
    userId: UserId,
    total: Ringgit,
    status: OrderStatus,
    createdAt: Instant,
    /** When it became what `status` says. */
    updatedAt: Instant,
    paidAt: Instant.nullable(),
    deliveredAt: Instant.nullable(),
    items: z.array(
      z.object({
        productId: ProductId,
        name: z.string(),
        imageUrl: z.string().nullable(),
        isRemoved: z.boolean(),
        quantity: z.int().positive(),
        price: Ringgit,
      }),
    ),
    buyer: Correspondent,
    seller: Correspondent,
    transactionStatus: TransactionStatus,
    isCancellable: z.boolean(),
    /** What the buyer gave, once they have reviewed it. */
    rating: z.number().min(0).max(5).nullable(),
    /** Who is waited for, and on which card; `null` when nobody is. */
    waiting: z
      .object({ for: z.enum(['buyer', 'seller']), actionType: ActionType, messageId: Id, since: Instant })
      .nullable(),
  })
  .meta({ id: 'Order' })
export type Order = z.infer<typeof Order>

/** A card that waits for whoever asks. */
export const WaitingCard = z
  .object({
    messageId: Id,
    transactionId: Id,
    actionType: ActionType,
    amount: Ringgit,
    since: Instant,
    /** The other one. */
    user: Correspondent,
    product: MessageProduct,
  })
  .meta({ id: 'WaitingCard' })
export type WaitingCard = z.infer<typeof WaitingCard>

export const REVIEW_COMMENT_LENGTH_MAX = 1000

/** What a buyer says of a purchase: half stars from none to five. */
export const ReviewForm = z.object({
  rating: z.number('Please choose a rating').min(0).max(5).multipleOf(0.5, 'Please choose whole or half stars'),
  comment: z
    .string()
    .trim()
    .max(REVIEW_COMMENT_LENGTH_MAX, `A review has at most ${REVIEW_COMMENT_LENGTH_MAX} characters`)
    .refine(isStorableText, 'Please write a review')
    // Words in which nothing can be seen are none.
    .overwrite((text) => (isAnythingSeen(text) ? text : ''))
    .nullish(),
  /** Compared with the transaction. */
  productId: ProductId.optional(),
  sellerId: UserId.optional(),
})

/** What somebody may write. Blank is nothing, and what is around it is left out. */
export const MessageContent = z
  .string()
  .trim()
  .min(1, 'Please write a message')
  .max(MESSAGE_LENGTH_MAX, `A message has at most ${MESSAGE_LENGTH_MAX} characters`)
  .refine((text) => isStorableText(text) && isAnythingSeen(text), 'Please write a message')

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
    refusals: ['unavailable'],
  }),
  listConversations: route({
    method: 'GET',
    path: '/api/messages/conversations',
    access: 'signed-in',
    summary: 'With whom the caller has written, the latest first',
    query: z.object({ ...page, ...olderThan }),
    answers: { 200: z.array(Conversation) },
    refusals: ['unavailable'],
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
    refusals: ['unavailable'],
  }),
  countUnread: route({
    method: 'GET',
    path: '/api/messages/unread-count',
    access: 'signed-in',
    summary: 'How many messages the caller has not read',
    answers: { 200: z.object({ count: z.int().min(0) }) },
  }),
  /** A form: `file`, `receiverId`, and optionally `productId` and `clientMessageId`, which leads to the same message again. */
  uploadFile: route({
    method: 'POST',
    path: '/api/messages/upload-file',
    access: 'signed-in',
    summary: 'Sends a picture or a document to somebody',
    upload: messageFileUpload,
    answers: { 200: Success.extend({ message: Message }) },
    refusals: [
      'own-message',
      'user-not-found',
      'user-gone',
      'blocked',
      'product-not-found',
      'account-suspended',
      'too-large',
      'unsupported-type',
      'rate-limited',
      'unavailable',
    ],
  }),
  /** A picture may be asked for in the widths of other pictures (`w`); a document in parts (`Range`). */
  getMessageFile: route({
    method: 'GET',
    path: '/api/message-files/:name',
    access: 'signed-in',
    summary: 'A file that was sent, for the two people in the conversation',
    ...imageRequest,
    answers: { 200: z.file() },
    refusals: ['not-found'],
  }),
  /** The same call again has the same answer. */
  confirmAction: route({
    method: 'POST',
    path: '/api/messages/action/confirm',
    access: 'signed-in',
    summary: 'Takes the step that a card asks its receiver for; `next` is the card that follows',
    body: z.object({ messageId: Id }),
    answers: { 200: Success.extend({ message: Message, next: Message.nullable() }) },
    refusals: [
      'message-not-found',
      'action-not-allowed',
      'deal-cancelled',
      'deal-out-of-order',
      'product-not-found',
      'product-sold',
      'product-reserved',
      'auction-has-bids',
      'conflict',
      'account-suspended',
      'user-gone',
      'unavailable',
    ],
  }),
  submitReview: route({
    method: 'POST',
    path: '/api/messages/submit-review/:messageId',
    access: 'signed-in',
    summary: 'Says what the receiver of a review card thinks of the purchase, once',
    params: z.object({ messageId: IdParam }),
    body: ReviewForm,
    answers: { 200: Success.extend({ message: Message }) },
    refusals: ['message-not-found', 'action-not-allowed', 'review-exists', 'forbidden', 'account-suspended'],
  }),
  /** The same call again has the same answer. */
  cancelTransaction: route({
    method: 'POST',
    path: '/api/messages/transactions/:transactionId/cancel',
    access: 'signed-in',
    summary: 'Calls a deal off, by either of the two, until its payment is confirmed',
    params: z.object({ transactionId: IdParam }),
    answers: { 200: Success.extend({ transaction: MessageTransaction }) },
    refusals: ['transaction-not-found', 'deal-paid', 'account-suspended'],
  }),
  listOrders: route({
    method: 'GET',
    path: '/api/orders/user',
    access: 'signed-in',
    summary: 'What the caller has bought, the latest first',
    query: z.object({ ...page, ...olderThan }),
    answers: { 200: z.array(Order) },
  }),
  listSales: route({
    method: 'GET',
    path: '/api/orders/sales',
    access: 'signed-in',
    summary: 'What the caller has sold, the latest first',
    query: z.object({ ...page, ...olderThan }),
    answers: { 200: z.array(Order) },
  }),
  listWaiting: route({
    method: 'GET',
    path: '/api/orders/waiting',
    access: 'signed-in',
    summary: 'The cards that wait for the caller, the longest waiting first',
    query: z.object(page),
    answers: { 200: z.array(WaitingCard) },
  }),
  getOrder: route({
    method: 'GET',
    path: '/api/orders/:orderId',
    access: 'signed-in',
    summary: 'One order, for whoever bought or sold it',
    params: z.object({ orderId: IdParam }),
    answers: { 200: Order },
    refusals: ['order-not-found'],
  }),
  blockUser: route({
    method: 'PUT',
    path: '/api/blocks/:userId',
    access: 'signed-in',
    summary: 'From now on neither of the two can write to the other',
    params: z.object({ userId: IdParam }),
    answers: { 200: Success },
    refusals: ['forbidden', 'user-not-found', 'account-suspended', 'rate-limited'],
  }),
  unblockUser: route({
    method: 'DELETE',
    path: '/api/blocks/:userId',
    access: 'signed-in',
    summary: 'Takes a block back',
    params: z.object({ userId: IdParam }),
    answers: { 200: Success },
    refusals: ['rate-limited'],
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
    /** Those that were unread until now; of very many the {@link MESSAGES_AT_ONCE_MAX} oldest. */
    answer: z.object({ messageIds: z.array(Id) }),
  },
  /**
   * Moves an order for an administrator, and the deal behind it, with a note in the conversation of the two. The asker has seen to it that the actor is
   * one. Refused with `order-not-found`, and with `order-move` when this move is not offered (any more).
   */
  moveOrder: {
    name: 'move-order',
    body: z.object({
      orderId: Id,
      status: OrderStatus,
      actorId: UserId,
      actorName: z.string(),
      reason: z.string().trim().min(1).max(500).nullable(),
      requestId: z.string(),
    }),
    answer: z.object({}),
  },
  /** Why administrators decided about these reports as they did. Reasons speak of people: they are asked for when they are shown, and go with them. */
  listDecisionReasons: {
    name: 'list-decision-reasons',
    body: z.object({ reportIds: z.array(Id).max(500) }),
    answer: z.object({ reasons: z.array(z.object({ reportId: Id, reason: z.string() })) }),
  },
  /** A seller offers to sell. Refused as the frame `send_action_message` is. */
  startDeal: {
    name: 'start-deal',
    body: z.object({
      sellerId: UserId,
      sellerName: z.string(),
      buyerId: UserId,
      productId: ProductId,
      /** What was agreed on, where it may be; otherwise what is listed or was won counts. */
      amountSen: Sen.min(1).nullable(),
      clientMessageId: RequestKey,
      requestId: z.string(),
    }),
    answer: z.object({ message: Message }),
  },
  /** What became of deals that hold a bottle: `open` has not confirmed the purchase, `unknown` is none of ours. */
  getDealStandings: {
    name: 'get-deal-standings',
    body: z.object({ transactionIds: z.array(Id).max(MESSAGES_AT_ONCE_MAX) }),
    answer: z.object({
      standings: z.array(
        z.object({ transactionId: Id, standing: z.enum(['open', 'confirmed', 'paid', 'cancelled', 'unknown']) }),
      ),
    }),
  },
  getConversation: {
    name: 'get-conversation',
    body: z.object({ readerId: UserId, userId: UserId, productId: ProductId.nullable() }),
    answer: z.object({ messages: z.array(Message) }),
  },
} as const
