import { z } from 'zod'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

const storageKey = 'messageDrafts'

/** What is half written to whom, by the id of the other one. `ownId` wrote it: another person in the same tab sees none of it. */
const Drafts = z.object({ ownId: z.number(), drafts: z.record(z.string(), z.string()) })

/** What somebody has begun to write to somebody else in this tab, or nothing. */
export function keptDraft(ownId: number, otherId: number): string {
  return readDrafts(ownId)[otherId] ?? ''
}

/** Keeps what is half written; nothing is kept of what is blank. */
export function keepDraft(ownId: number, otherId: number, draft: string): void {
  const { [otherId]: _, ...drafts } = readDrafts(ownId)
  if (draft.trim() !== '') drafts[otherId] = draft
  writeStored('sessionStorage', storageKey, JSON.stringify({ ownId, drafts }))
}

function readDrafts(ownId: number): Record<string, string> {
  try {
    const stored = Drafts.safeParse(JSON.parse(readStored('sessionStorage', storageKey) ?? 'null')).data
    return stored?.ownId === ownId ? stored.drafts : {}
  } catch {
    return {}
  }
}
