import { z } from 'zod'
import { readStored } from '../lib/browser-storage.ts'
import { type ConversationHandOff, handOffKey } from './conversation-hand-off.ts'

// Apart from what hands over, which every page loads.
export const HandOff = z.object({
  userId: z.number(),
  username: z.string().nullable(),
  profileImage: z.string().nullable(),
  productId: z.number().nullable(),
  productName: z.string().nullable(),
  templateMessage: z.string(),
  isOffer: z.boolean().default(false),
}) satisfies z.ZodType<ConversationHandOff>
const Stored = HandOff.extend({ ownId: z.number() })

/** What was handed over last to this person, by this page or another one; `null` when nothing was that can be understood. */
export function handedOverConversation(ownId: number): ConversationHandOff | null {
  try {
    const { ownId: ownerId, ...conversation } = Stored.parse(JSON.parse(readStored('sessionStorage', handOffKey) ?? ''))
    return ownerId === ownId ? conversation : null
  } catch {
    return null
  }
}
