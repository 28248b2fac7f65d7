import type { Conversation, Message, MessageFile } from '@wangian/contracts/messaging.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { stepOf } from './deals/domain.ts'
import { isTaken, presentTransaction } from './deals/presenter.ts'
import type { ConversationRow, FileRow, MessageRow } from './store.ts'

const messageTypes = { text: 'text', file: 'FILE', action: 'ACTION' } as const

export const fileTypes = {
  webp: 'image/webp',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
} as const satisfies Record<FileRow['format'], MessageFile['type']>

/** A row as the two people in the conversation may see it. */
export function presentMessage({
  sentAt,
  product,
  kind,
  deal,
  file,
  isSenderNew,
  author,
  ...same
}: MessageRow): Message {
  const { actionType } = same
  const fileUrl = file && `/api/message-files/${file.storageKey}`
  return {
    ...same,
    messageType: messageTypes[kind],
    fileUrl,
    file_url: fileUrl,
    file: file && presentFile(file),
    transaction: deal && presentTransaction(deal),
    isClicked: actionType !== null && deal !== null && isTaken(stepOf(actionType), deal),
    createdAt: sentAt,
    ...(author !== null && { author }),
    product: presentProduct(product),
    areLinksPlain: isSenderNew,
  }
}

export function presentConversation({ lastMessage, product, ...same }: ConversationRow): Conversation {
  return { ...same, lastMessage: presentMessage(lastMessage), product: presentProduct(product) }
}

function presentFile({ name, format, bytes, widthPx: width, heightPx: height }: FileRow): MessageFile {
  return { name, type: fileTypes[format], bytes, width, height }
}

export function presentProduct(row: MessageRow['product']): Message['product'] {
  if (row === null) return null
  const { priceSen, ...same } = row
  return { ...same, price: ringgitFromSen(priceSen) }
}
