import { z } from 'zod'
import type { ConversationHandOff } from '../../contact/conversation-hand-off.ts'
import { HandOff } from '../../contact/handed-over-conversation.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

const storageKey = 'begunConversations'
/** Of more than so many the latest are kept. */
const BEGUN_MAX = 20

/** `ownId` has opened them: another person in the same tab sees none of them. */
const Begun = z.object({ ownId: z.number(), conversations: z.array(HandOff) })

/** What somebody has opened in this tab, the latest first: of a conversation that nothing was sent in yet, only this tab knows. */
export function begunConversations(ownId: number): readonly ConversationHandOff[] {
  try {
    const stored = Begun.safeParse(JSON.parse(readStored('sessionStorage', storageKey) ?? 'null')).data
    return stored?.ownId === ownId ? stored.conversations : []
  } catch {
    return []
  }
}

/** Keeps with whom a conversation is and what it is about; what is half written in it is kept apart. */
export function keepBegun(ownId: number, conversation: ConversationHandOff): void {
  const others = begunConversations(ownId).filter(({ userId }) => userId !== conversation.userId)
  const conversations = [{ ...conversation, templateMessage: '', isOffer: false }, ...others].slice(0, BEGUN_MAX)
  writeStored('sessionStorage', storageKey, JSON.stringify({ ownId, conversations }))
}
