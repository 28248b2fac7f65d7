import type { Conversation, Message, MessageFile } from '@wangian/contracts/messaging.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { stepOf } from '../deals/domain.ts'
import { isTaken, presentTransaction } from '../deals/presenter.ts'
import type { ConversationRow } from './conversation-store.ts'
import type { FileRow, MessageRow } from './message-store.ts'

const messageTypes = { text: 'text', file: 'FILE', action: 'ACTION' } as const

export const fileTypes = {
  webp: 'image/webp',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
} as const satisfies Record<FileRow['format'], MessageFile['type']>

/** A row as the two people in the conversation may see it. */
export function presentMessage(row: MessageRow): Message {
  const { actionType, deal, file, author } = row
  const fileUrl = file && `/api/message-files/${file.storageKey}`
  // Each field by its name: to copy what is left of a row takes longer, and lists have many.
  return {
    id: row.id,
    senderId: row.senderId,
    receiverId: row.receiverId,
    content: row.content,
    messageType: messageTypes[row.kind],
    fileUrl,
    file_url: fileUrl,
    file: file && presentFile(file),
    actionType,
    transaction: deal && presentTransaction(deal),
    isRead: row.isRead,
    isClicked: actionType !== null && deal !== null && isTaken(stepOf(actionType), deal),
    createdAt: row.sentAt,
    productId: row.productId,
    sender: row.sender,
    receiver: row.receiver,
    ...(author !== null && { author }),
    product: presentProduct(row.product),
    areLinksPlain: row.isSenderNew,
  }
}

export function presentConversation({
  user,
  lastMessage,
  unreadCount,
  isBlocked,
  product,
}: ConversationRow): Conversation {
  return { user, lastMessage: presentMessage(lastMessage), unreadCount, isBlocked, product: presentProduct(product) }
}

function presentFile({ name, format, bytes, widthPx: width, heightPx: height }: FileRow): MessageFile {
  return { name, type: fileTypes[format], bytes, width, height }
}

export function presentProduct(row: MessageRow['product']): Message['product'] {
  if (row === null) return null
  const { id, name, priceSen, imageUrl, isRemoved } = row
  return { id, name, price: ringgitFromSen(priceSen), imageUrl, isRemoved }
}
