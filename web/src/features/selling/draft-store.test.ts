import { beforeEach, describe, expect, it } from 'vitest'
import { nowMs } from '../../testing/fixtures.ts'
import { clearDraft, type Draft, draftKeyOf, noProgress, readDraft, writeDraft } from './draft-store.ts'

const requestKey = '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10'
const draft: Draft = {
  savedAtMs: nowMs,
  values: { name: 'Oud Wood', end: { day: '1', month: '2', year: '2027', hour: '0', minute: '0', second: '0' } },
  pictures: [
    { kind: 'kept', key: 'image-4', imageId: 4, imageUrl: 'first-one' },
    { kind: 'file', key: 'a-file' },
  ],
  knownImageIds: [4],
  progress: {
    ...noProgress(() => requestKey),
    productId: 7,
    images: { 'a-file': { imageId: 5, place: 1, isUploaded: false } },
  },
  isUnderWay: true,
}
const key = draftKeyOf(3, 'new-fixed')

beforeEach(() => localStorage.clear())

describe('a draft', () => {
  it('comes back as it was left', () => {
    expect(readDraft(key, nowMs)).toBeNull()
    writeDraft(key, draft)
    expect(readDraft(key, nowMs)).toMatchObject(draft)
  })

  it('is there for its owner and its form only', () => {
    writeDraft(key, draft)
    expect(readDraft(draftKeyOf(4, 'new-fixed'), nowMs)).toBeNull()
    expect(readDraft(draftKeyOf(3, 'new-auction'), nowMs)).toBeNull()
    expect(readDraft(draftKeyOf(33, 'new-fixed'), nowMs)).toBeNull()
  })

  it('is given up after thirty days', () => {
    writeDraft(key, draft)
    const days = (count: number) => nowMs + count * 86_400_000
    expect(readDraft(key, days(30))).not.toBeNull()
    expect(readDraft(key, days(31))).toBeNull()
  })

  it.each(['', 'no json', '{}', '{"version":2}', JSON.stringify({ ...draft, version: 1, values: 7 })])(
    'that cannot be read is none: %s',
    (stored) => {
      localStorage.setItem(key, stored)
      expect(readDraft(key, nowMs)).toBeNull()
    },
  )

  it('is forgotten, but not when another tab has begun another one', () => {
    writeDraft(key, draft)
    expect(clearDraft(key, '6a1d2f0e-9d4b-4a53-8a5e-2b4c7f1a0e11', nowMs)).toBe(false)
    expect(readDraft(key, nowMs)).not.toBeNull()
    expect(clearDraft(key, requestKey, nowMs)).toBe(true)
    expect(readDraft(key, nowMs)).toBeNull()
    expect(clearDraft(key, requestKey, nowMs)).toBe(true)
  })
})
