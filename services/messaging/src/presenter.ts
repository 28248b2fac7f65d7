import type { Conversation, Message } from '@wangian/contracts/messaging.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { stepOf } from './deals/domain.ts'
import { isTaken, presentTransaction } from './deals/presenter.ts'
import type { ConversationRow, MessageRow } from './store.ts'

const messageTypes = { text: 'text', file: 'FILE', action: 'ACTION' } as const

/** A row as the two people in the conversation may see it. */
export function presentMessage({ sentAt, product, kind, deal, ...same }: MessageRow): Message {
  const { actionType } = same
  return {
    ...same,
    messageType: messageTypes[kind],
    fileUrl: null,
    transaction: deal && presentTransaction(deal),
    isClicked: actionType !== null && deal !== null && isTaken(stepOf(actionType), deal),
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
