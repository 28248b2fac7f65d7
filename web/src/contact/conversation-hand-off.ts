import { writeStored } from '../lib/browser-storage.ts'

/** The conversation that the messages page opens with, handed over through the browser's session storage. */
export interface ConversationHandOff {
  readonly userId: number
  readonly username: string
  readonly profileImage: string | null
  readonly productId: number
  readonly productName: string
  /** What the message field starts with. */
  readonly templateMessage: string
}

const storageKey = 'selectedConversation'

export function handOverConversation(conversation: ConversationHandOff): void {
  writeStored('sessionStorage', storageKey, JSON.stringify(conversation))
}
