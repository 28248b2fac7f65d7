import { useCallback } from 'react'
import { z } from 'zod'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { useUser } from '../session/use-session.ts'

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

/** `ownId` has it open: another person in the same tab sees none of it. */
const Stored = ConversationHandOff.extend({ ownId: z.number() })

const storageKey = 'selectedConversation'

export function handOverConversation(ownId: number, conversation: ConversationHandOff): void {
  writeStored('sessionStorage', storageKey, JSON.stringify({ ...conversation, ownId }))
}

/** Hands over for whoever is signed in; a guest has no conversations. */
export function useHandOver(): (conversation: ConversationHandOff) => void {
  const ownId = useUser()?.id
  return useCallback(
    (conversation) => {
      if (ownId !== undefined) handOverConversation(ownId, conversation)
    },
    [ownId],
  )
}

/** What was handed over last to this person, by this page or another one; `null` when nothing was that can be understood. */
export function handedOverConversation(ownId: number): ConversationHandOff | null {
  try {
    const { ownId: ownerId, ...conversation } = Stored.parse(JSON.parse(readStored('sessionStorage', storageKey) ?? ''))
    return ownerId === ownId ? conversation : null
  } catch {
    return null
  }
}
