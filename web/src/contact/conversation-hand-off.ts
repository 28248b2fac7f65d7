import { writeStored } from '../lib/browser-storage.ts'

/** The conversation that the messages page opens with, handed over through the browser's session storage. */
export interface ConversationHandOff {
  readonly userId: number
  /** `null` for somebody who has left. */
  readonly username: string | null
  readonly profileImage: string | null
  /** `null` when it is about nothing in particular: somebody was contacted from their shop. */
  readonly productId: number | null
  readonly productName: string | null
  /** What the message field starts with. */
  readonly templateMessage: string
  /** Whether it says what must not be left out, such as a price, also to whoever has a message half written. */
  readonly isOffer?: boolean
}

export const handOffKey = 'selectedConversation'

/** `ownId` has it open: another person in the same tab sees none of it. */
export function handOverConversation(ownId: number, conversation: ConversationHandOff): void {
  writeStored('sessionStorage', handOffKey, JSON.stringify({ ...conversation, ownId }))
}
