import { zodResolver } from '@hookform/resolvers/zod'
import { plainMessage } from '@wangian/contracts/messages.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { serverNow } from '../../lib/server-clock.ts'
import { clearDraft, noProgress, type Progress, writeDraft } from './draft-store.ts'
import { type Listing, listingRules } from './listing-rules.ts'
import { changedValues, type ListingKind, type ListingValues } from './listing-values.ts'
import { forgetFile, forgetFiles, keepFile } from './picture-vault.ts'
import { type ListingPicture, withNewKeys } from './pictures.ts'
import type { Beginning } from './use-draft.ts'

export type ListingFormReturn = UseFormReturn<ListingValues, unknown, Listing>

/** What a form is about, and what of it can be changed. */
export interface Subject {
  readonly kind: ListingKind
  readonly draftKey: string
  /** The form as it is before anybody touches it. What else becomes known of the times changes those that nobody has chosen. */
  readonly values: ListingValues
  /** What the server has already. */
  readonly progress: Partial<Progress>
  readonly knownImageIds: readonly number[]
  readonly isFrozen: boolean
  readonly hasTerms: boolean
  /** Of an auction that runs. */
  readonly startedAt: string | null
  /** The end that its auction had was over, and is another one now. */
  readonly hadExpired: boolean
}

/** The state of a form, every change of which is kept as a draft. */
export function useListingForm(subject: Subject, beginning: Beginning) {
  const { draftKey, values: before, knownImageIds } = subject
  const [pictures, setPictures] = useState(beginning.pictures)
  const [isDirty, setDirty] = useState(beginning.draft !== null)
  const [startedWith] = useState<Progress>(() => ({
    ...noProgress(),
    ...beginning.draft?.progress,
    ...subject.progress,
  }))
  // What is kept at any moment, whatever has been drawn.
  const now = useRef({ pictures, progress: startedWith, isUnderWay: false, isOver: false })
  const form = useForm<ListingValues, unknown, Listing>({
    resolver: zodResolver(
      listingRules({
        kind: subject.kind,
        nowMs: serverNow,
        hasPictures: () => now.current.pictures.length > 0,
        isFrozen: subject.isFrozen,
        hasTerms: subject.hasTerms,
        hasStarted: subject.startedAt !== null,
      }),
      { error: plainMessage },
    ),
    defaultValues: { ...before, ...(beginning.draft?.values as Partial<ListingValues> | undefined) },
  })

  const keep = useCallback(() => {
    const { pictures: current, progress, isUnderWay, isOver } = now.current
    if (isOver) return
    const values = changedValues(form.getValues(), before)
    const isSame = !hasOtherPictures(current, knownImageIds)
    const isClean =
      Object.keys(values).length === 0 && isSame && !isUnderWay && Object.keys(progress.images).length === 0
    setDirty(!isClean)
    if (isClean && progress.productId === (subject.progress.productId ?? null)) {
      clearDraft(draftKey, progress.requestKey, Date.now())
      return
    }
    writeDraft(draftKey, {
      savedAtMs: Date.now(),
      values,
      pictures: isSame
        ? null
        : current.map((picture) => (picture.kind === 'kept' ? picture : { kind: 'file', key: picture.key })),
      knownImageIds: [...knownImageIds],
      progress,
      isUnderWay,
    })
  }, [form, before, knownImageIds, draftKey, subject.progress.productId])

  const { watch } = form
  useEffect(() => {
    const { unsubscribe } = watch(keep)
    return unsubscribe
  }, [watch, keep])

  useProposedTimes(form, before)

  const beginAnew = useCallback(() => {
    const own = withNewKeys(now.current.pictures)
    now.current.progress = noProgress()
    now.current.pictures = own
    setPictures(own)
    for (const picture of own) void keepFile(draftKey, picture.key, picture.file)
  }, [draftKey])

  const onGone = useCallback(() => {
    if (!now.current.isUnderWay) beginAnew()
  }, [beginAnew])
  useGoneDraft(subject.progress.productId === undefined ? draftKey : null, onGone)

  const changePictures = (next: readonly ListingPicture[]) => {
    const before = now.current.pictures
    now.current.pictures = next
    setPictures(next)
    for (const picture of next) {
      if (picture.kind === 'file' && !before.includes(picture)) void keepFile(draftKey, picture.key, picture.file)
    }
    for (const { key } of before) if (!next.some((each) => each.key === key)) void forgetFile(draftKey, key)
    keep()
    // A picture may be what was missing.
    if (form.getFieldState('imageUrl').error) void form.trigger('imageUrl')
  }

  return {
    form,
    pictures,
    isDirty,
    changePictures,
    progress: () => now.current.progress,
    /** Keeps how far the listing has come; `isUnderWay` until it is over. */
    keepProgress(progress: Progress, isUnderWay: boolean) {
      now.current.progress = progress
      now.current.isUnderWay = isUnderWay
      keep()
    },
    /** What is written becomes a listing of its own: the one that it was is gone. */
    beginAnew() {
      beginAnew()
      keep()
    },
    /** Forgets the draft, and keeps none any more. */
    finish() {
      now.current.isOver = true
      setDirty(false)
      if (clearDraft(draftKey, now.current.progress.requestKey, Date.now())) void forgetFiles(draftKey)
    },
  }
}

/** Times that nobody has chosen are those that are proposed by now. */
function useProposedTimes(form: ListingFormReturn, values: ListingValues): void {
  const proposed = useRef(values)
  useEffect(() => {
    const earlier = proposed.current
    proposed.current = values
    if (earlier === values) return
    const chosen = changedValues(form.getValues(), earlier)
    for (const name of ['start', 'end'] as const) if (!(name in chosen)) form.setValue(name, values[name])
  }, [form, values])
}

/** Another tab with the same draft has listed it, or thrown it away: what is written here becomes a listing of its own. */
function useGoneDraft(draftKey: string | null, onGone: () => void): void {
  useEffect(() => {
    if (draftKey === null) return
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === draftKey && newValue === null) onGone()
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [draftKey, onGone])
}

/** Whether there are others than the server has, or in another order. */
function hasOtherPictures(pictures: readonly ListingPicture[], knownImageIds: readonly number[]): boolean {
  return (
    pictures.length !== knownImageIds.length ||
    pictures.some((picture, place) => picture.kind === 'file' || picture.imageId !== knownImageIds[place])
  )
}
