import type { ProductImage } from '@wangian/contracts/catalogue.ts'
import { useEffect, useState } from 'react'
import { type Draft, readDraft } from './draft-store.ts'
import { forgetLeftFiles, readFiles } from './picture-vault.ts'
import { keptPictures, type ListingPicture } from './pictures.ts'

/** What a form begins with. */
export interface Beginning {
  readonly draft: Draft | null
  readonly pictures: readonly ListingPicture[]
  /** Pictures of the draft whose files are gone. */
  readonly lostCount: number
}

/** What was left of a form under this key, with the files of its pictures; `null` until it is read. */
export function useDraft(key: string, images: readonly ProductImage[]): Beginning | null {
  const [read, setRead] = useState<{ key: string; beginning: Beginning } | null>(null)
  useEffect(() => {
    let isOver = false
    void readBeginning(key, images).then((beginning) => isOver || setRead({ key, beginning }))
    return () => {
      isOver = true
    }
  }, [key, images])
  return read?.key === key ? read.beginning : null
}

async function readBeginning(key: string, images: readonly ProductImage[]): Promise<Beginning> {
  const nowMs = Date.now()
  void forgetLeftFiles((each) => readDraft(each, nowMs) !== null)
  const draft = readDraft(key, nowMs)
  if (draft === null) return freshBeginning(images)
  if (draft.pictures === null) return { ...freshBeginning(images), draft }
  return { draft, ...restorePictures(draft.pictures, draft, images, await readFiles(key)) }
}

/** With nothing left. */
export function freshBeginning(images: readonly ProductImage[]): Beginning {
  return { draft: null, pictures: keptPictures(images), lostCount: 0 }
}

/** Of a listing that people have bid on since it was left: all that can still be done is to add to its description, and what else was changed is not even shown. */
export function frozenBeginning({ draft }: Beginning, images: readonly ProductImage[]): Beginning {
  const addition = draft?.values['addition']
  if (!draft || !addition) return freshBeginning(images)
  const progress = { ...draft.progress, images: {} }
  return { ...freshBeginning(images), draft: { ...draft, values: { addition }, pictures: null, progress } }
}

/** The pictures of a draft, as far as the server still has them or their files are kept; and those that came since. */
export function restorePictures(
  stored: NonNullable<Draft['pictures']>,
  { knownImageIds, progress }: Pick<Draft, 'knownImageIds' | 'progress'>,
  images: readonly ProductImage[],
  files: ReadonlyMap<string, File>,
): Omit<Beginning, 'draft'> {
  const now = keptPictures(images)
  const restored = stored.flatMap((picture): (ListingPicture | null)[] => {
    const { key } = picture
    if (picture.kind === 'kept') return now.filter((each) => each.key === key)
    const file = files.get(key)
    if (file) return [{ kind: 'file', key, file }]
    // What was uploaded already needs its file no more: its name is the key.
    const image = progress.images[key]
    return [image?.isUploaded ? { kind: 'kept', key, imageId: image.imageId, imageUrl: key } : null]
  })
  const known = new Set([...knownImageIds, ...Object.values(progress.images).map(({ imageId }) => imageId)])
  const since = now.filter((each) => each.kind === 'kept' && !known.has(each.imageId))
  const pictures = restored.filter((picture) => picture !== null)
  return { pictures: [...pictures, ...since], lostCount: restored.length - pictures.length }
}
