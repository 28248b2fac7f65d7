import type { Conversation, Message } from '@wangian/contracts/messaging.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { ConversationRow, MessageRow } from './store.ts'

/** A row as the two people in the conversation may see it. */
export function presentMessage({ sentAt, product, ...same }: MessageRow): Message {
  return {
    ...same,
    messageType: 'text',
    fileUrl: null,
    actionType: null,
    transaction: null,
    isClicked: false,
    createdAt: sentAt,
    product: presentProduct(product),
  }
}

export function presentConversation({ lastMessage, product, ...same }: ConversationRow): Conversation {
  return { ...same, lastMessage: presentMessage(lastMessage), product: presentProduct(product) }
}

function presentProduct(row: MessageRow['product']): Message['product'] {
  if (row === null) return null
  const { priceSen, ...same } = row
  return { ...same, price: ringgitFromSen(priceSen) }
}
