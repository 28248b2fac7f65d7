import { z } from 'zod'
import { unsentKey } from '../../contact/unsent-key.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

/** Of more than so many the newest are kept. */
const TEXTS_MAX = 20
const FILES_MAX = 20

const Addressed = z.object({ clientMessageId: z.string(), senderId: z.number(), receiverId: z.number() })

const Unsent = z.object({
  texts: z.array(Addressed.extend({ content: z.string(), productId: z.number().nullable(), isFailed: z.boolean() })),
  /** What is kept of a file is its name. */
  files: z.array(Addressed.extend({ name: z.string() })),
})
export type Unsent = z.infer<typeof Unsent>

/** What this tab has sent and does not know to be stored, the newest last; another page of it may have sent it, or somebody else. */
export function readUnsent(): Unsent {
  try {
    return Unsent.parse(JSON.parse(keptUnsent() ?? ''))
  } catch {
    return { texts: [], files: [] }
  }
}

const listeners = new Set<() => void>()

/** Tells of every change of what is kept; `keptUnsent` is another text then. */
export function subscribeUnsent(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** As it is kept. */
export function keptUnsent(): string | null {
  return readStored('sessionStorage', unsentKey)
}

/** Keeps what is not stored beyond a reload, where the browser has room for it. */
export function keepUnsent(changed: Partial<Unsent>): void {
  const { texts, files } = { ...readUnsent(), ...changed }
  const isEmpty = texts.length + files.length === 0
  const kept = { texts: texts.slice(-TEXTS_MAX), files: files.slice(-FILES_MAX) }
  writeStored('sessionStorage', unsentKey, isEmpty ? null : JSON.stringify(kept))
  for (const listener of listeners) listener()
}
