import { z } from 'zod'
import { readStored, writeStored } from '../../lib/browser-storage.ts'
import type { AuctionBody, ProductBody } from './listing-rules.ts'

const DRAFT_AGE_MAX_MS = 30 * 24 * 60 * 60 * 1000
const version = 1

const Moment = z.object({
  day: z.string(),
  month: z.string(),
  year: z.string(),
  hour: z.string(),
  minute: z.string(),
  second: z.string(),
})

const StoredProgress = z.object({
  /** Goes with the product that is made, so that a second try makes no second one. Also the id of the draft. */
  requestKey: z.uuid(),
  productId: z.number().nullable(),
  /** What the server holds of the product as far as we know. */
  savedProduct: z.custom<ProductBody>((value) => typeof value === 'object' && value !== null).nullable(),
  auctionId: z.number().nullable(),
  savedAuction: z.custom<AuctionBody>((value) => typeof value === 'object' && value !== null).nullable(),
  /** By the key of a picture; `place` is the one that it was registered for. */
  images: z.record(z.string(), z.object({ imageId: z.number(), place: z.number(), isUploaded: z.boolean() })),
})
/** How far a listing has come. */
export type Progress = z.infer<typeof StoredProgress>

const StoredPicture = z.union([
  z.object({ kind: z.literal('file'), key: z.string() }),
  z.object({ kind: z.literal('kept'), key: z.string(), imageId: z.number(), imageUrl: z.string() }),
])

const Draft = z.object({
  version: z.literal(version),
  savedAtMs: z.number(),
  /** Only the fields that somebody has changed. */
  values: z.record(z.string(), z.union([z.string(), Moment])),
  /** `null` when nobody has touched them. */
  pictures: z.array(StoredPicture).nullable(),
  /** The pictures that the server had when the form was opened. */
  knownImageIds: z.array(z.number()),
  progress: StoredProgress,
  /** Whether its listing was under way. */
  isUnderWay: z.boolean(),
})
/** A form as it was left. The files of its pictures are in the picture vault. */
export type Draft = Omit<z.infer<typeof Draft>, 'version'>

export const editForm = (productId: number) => `edit-${productId}`
export const relistForm = (productId: number) => `relist-${productId}`

/** Which draft: everybody has their own of every form. */
export function draftKeyOf(userId: number, form: string): string {
  return `wangian-draft:${userId}:${form}`
}

/** `null` when there is none, or none that can be used. */
export function readDraft(key: string, nowMs: number): Draft | null {
  const stored = readStored('localStorage', key)
  if (stored === null) return null
  try {
    const draft = Draft.parse(JSON.parse(stored))
    return nowMs - draft.savedAtMs > DRAFT_AGE_MAX_MS ? null : draft
  } catch {
    return null
  }
}

export function writeDraft(key: string, draft: Draft): void {
  writeStored('localStorage', key, JSON.stringify({ ...draft, version }))
}

/** Forgets a draft, unless another tab has begun another one in its place. @returns whether it is gone */
export function clearDraft(key: string, requestKey: string, nowMs: number): boolean {
  const stored = readDraft(key, nowMs)
  if (stored && stored.progress.requestKey !== requestKey) return false
  writeStored('localStorage', key, null)
  return true
}

/** Forgets what was left of the forms of a listing that is gone. */
export function dropDraftsOf(userId: number, productId: number): void {
  for (const form of [editForm(productId), relistForm(productId)]) {
    writeStored('localStorage', draftKeyOf(userId, form), null)
  }
}

/** Of a form in which nothing has been done yet. */
export function noProgress(newKey: () => string = () => crypto.randomUUID()): Progress {
  return { requestKey: newKey(), productId: null, savedProduct: null, auctionId: null, savedAuction: null, images: {} }
}
