import { z } from 'zod'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

const Review = z.object({ rating: z.number(), comment: z.string() })
type Review = z.infer<typeof Review>

/** What is half written to whom, by the id of the other one. */
const messages = draftsOf('messageDrafts', z.string())
/** What is half written of purchases, by the ids of the cards that ask for it. */
const reviews = draftsOf('reviewDrafts', Review)

/** What somebody has begun to write to somebody else in this tab, or nothing. */
export function keptDraft(ownId: number, otherId: number): string {
  return messages.read(ownId)[otherId] ?? ''
}

/** Keeps what is half written; nothing is kept of what is blank. */
export function keepDraft(ownId: number, otherId: number, draft: string): void {
  messages.keep(ownId, otherId, draft.trim() === '' ? null : draft)
}

export function keptReview(ownId: number, cardId: number): Review | null {
  return reviews.read(ownId)[cardId] ?? null
}

/** `null` once it is sent. */
export function keepReview(ownId: number, cardId: number, review: Review | null): void {
  reviews.keep(ownId, cardId, review)
}

/** Beyond a reload, in this tab. `ownId` wrote them: another person in the same tab sees none of them. */
function draftsOf<Draft>(storageKey: string, schema: z.ZodType<Draft>) {
  const Stored = z.object({ ownId: z.number(), drafts: z.record(z.string(), schema) })
  function read(ownId: number): Record<string, Draft> {
    try {
      const stored = Stored.safeParse(JSON.parse(readStored('sessionStorage', storageKey) ?? 'null')).data
      return stored?.ownId === ownId ? stored.drafts : {}
    } catch {
      return {}
    }
  }
  return {
    read,
    keep(ownId: number, id: number, draft: Draft | null) {
      const { [id]: _, ...drafts } = read(ownId)
      if (draft !== null) drafts[id] = draft
      writeStored('sessionStorage', storageKey, JSON.stringify({ ownId, drafts }))
    },
  }
}
