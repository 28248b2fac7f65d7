import { z } from 'zod'
import { readStored, writeStored } from '../lib/browser-storage.ts'

const ConversationHandOff = z.object({
  userId: z.number(),
  /** `null` for somebody who has left. */
  username: z.string().nullable(),
  profileImage: z.string().nullable(),
  /** `null` when it is about nothing in particular: somebody was contacted from their shop. */
  productId: z.number().nullable(),
  productName: z.string().nullable(),
  /** What the message field starts with. */
  templateMessage: z.string(),
})
/** The conversation that the messages page opens with, handed over through the browser's session storage. */
export type ConversationHandOff = z.infer<typeof ConversationHandOff>

const storageKey = 'selectedConversation'

export function handOverConversation(conversation: ConversationHandOff | null): void {
  writeStored('sessionStorage', storageKey, conversation && JSON.stringify(conversation))
}

/** What was handed over last, by this page or another one; `null` when nothing was that can be understood. */
export function handedOverConversation(): ConversationHandOff | null {
  const stored = readStored('sessionStorage', storageKey)
  if (stored === null) return null
  try {
    return ConversationHandOff.safeParse(JSON.parse(stored)).data ?? null
  } catch {
    return null
  }
}
