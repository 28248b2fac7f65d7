import 'fake-indexeddb/auto'
import { renderHook, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { draftKeyOf, dropDraftsOf, editForm, noProgress, writeDraft } from './draft-store.ts'
import { keepFile, readFiles } from './picture-vault.ts'
import { restorePictures, useDraft } from './use-draft.ts'

const images = [
  { id: 11, imageUrl: 'first-one', imageOrder: 0 },
  { id: 12, imageUrl: 'second-one', imageOrder: 1 },
  { id: 14, imageUrl: 'new-since', imageOrder: 2 },
]
const file = new File(['oud'], 'oud.jpg', { type: 'image/jpeg' })
const progress = {
  ...noProgress(() => '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10'),
  images: {
    uploaded: { imageId: 21, place: 1, isUploaded: true },
    announced: { imageId: 22, place: 2, isUploaded: false },
  },
}
const kept = (imageId: number) => ({ kind: 'kept', key: `image-${imageId}`, imageId, imageUrl: 'as-it-was' }) as const
const chosen = (key: string) => ({ kind: 'file', key }) as const

describe('the files of a draft', () => {
  const draftOf = (form: string, savedAtMs = Date.now()) => {
    const key = draftKeyOf(3, form)
    const pictures = [chosen('a')]
    writeDraft(key, { savedAtMs, values: {}, pictures, knownImageIds: [], progress: noProgress(), isUnderWay: false })
    return key
  }
  afterEach(() => localStorage.clear())

  it('go with it, though its own form is never opened again', async () => {
    const [old, gone, left] = [draftOf(editForm(7), 0), draftOf(editForm(8)), draftOf(editForm(9))]
    for (const key of [old, gone, left]) await keepFile(key, 'a', file)
    dropDraftsOf(3, 8)
    renderHook(() => useDraft(draftKeyOf(3, 'new-fixed'), []))
    await waitFor(async () => {
      const kept = await Promise.all([old, gone, left].map(async (key) => (await readFiles(key)).size))
      expect(kept).toEqual([0, 0, 1])
    })
  })
})

describe('the pictures of a draft', () => {
  it('come back in their order, with the files that are kept', () => {
    const stored = [chosen('a'), kept(12), kept(11)]
    const { pictures, lostCount } = restorePictures(
      stored,
      { knownImageIds: [11, 12, 14], progress },
      images,
      new Map([['a', file]]),
    )
    expect(pictures).toMatchObject([
      { kind: 'file', file },
      { imageId: 12, imageUrl: 'second-one' },
      { imageId: 11, imageUrl: 'first-one' },
    ])
    expect(lostCount).toBe(0)
  })

  it('are those of the server where it knows better: gone ones go, new ones come', () => {
    const { pictures } = restorePictures(
      [kept(12), kept(13)],
      { knownImageIds: [11, 12, 13], progress },
      images,
      new Map(),
    )
    expect(pictures.map(({ key }) => key)).toEqual(['image-12', 'image-14'])
  })

  it('are counted when their files are gone, but not when they were uploaded already', () => {
    const stored = [chosen('uploaded'), chosen('announced'), chosen('a')]
    const here = [...images, { id: 21, imageUrl: 'uploaded', imageOrder: 3 }]
    const draft = { knownImageIds: [11, 12, 14], progress }
    expect(restorePictures(stored, draft, here, new Map())).toEqual({
      pictures: [{ kind: 'kept', key: 'uploaded', imageId: 21, imageUrl: 'uploaded' }],
      lostCount: 2,
    })
  })
})
