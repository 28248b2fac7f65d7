import { IMAGES_PER_PRODUCT_MAX } from '@wangian/contracts/catalogue.ts'
import { ImagePlus } from 'lucide-react'
import { type DragEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, motion, radius, space, text, tint, weight } from '../../theme/theme.ts'
import { showToast } from '../../ui/toast-store.ts'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { PictureTile } from './PictureTile.tsx'
import { acceptedTypes, type ListingPicture, withFiles, withMoved } from './pictures.ts'

/** The pictures of a listing, the first one being the main one: chosen, dropped or pasted, and put in order. */
export function PicturesField({
  pictures,
  isLocked,
  onChange,
}: {
  pictures: readonly ListingPicture[]
  isLocked: boolean
  onChange: (pictures: readonly ListingPicture[]) => void
}) {
  const { t } = useTranslation()
  const belowId = useId()
  const { error, news, add, move, remove } = usePictureChanges(pictures, onChange)
  const area = useRef<HTMLDivElement>(null)
  useFocusOnRest(area, pictures.length)
  const [draggedKey, setDraggedKey] = useState<string | null>(null)
  const { isDropping, listeners } = useDroppedFiles(add, !isLocked)
  usePastedFiles(add, !isLocked)
  useDragging(draggedKey, pictures, move, () => setDraggedKey(null))

  return (
    <Area ref={area} $isDropping={isDropping} {...listeners}>
      <Tiles>
        {pictures.map((picture, place) => (
          <PictureTile
            key={picture.key}
            picture={picture}
            place={place}
            count={pictures.length}
            isLocked={isLocked}
            isDragged={picture.key === draggedKey}
            onGrab={() => setDraggedKey(picture.key)}
            onMove={(to) => move(place, to)}
            onRemove={() => remove(place)}
          />
        ))}
        {pictures.length < IMAGES_PER_PRODUCT_MAX && !isLocked && (
          <AddTile
            label={isDropping ? t('sell.pictures.dropHere') : t('sell.pictures.add')}
            belowId={belowId}
            isWrong={error !== null}
            onFiles={add}
          />
        )}
      </Tiles>
      {!isLocked && (
        <Below id={belowId} $wrong={error !== null} role={error ? 'alert' : undefined}>
          {error ?? t('sell.pictures.hint')}
        </Below>
      )}
      <VisuallyHidden role="status">{news}</VisuallyHidden>
    </Area>
  )
}

/** The place after the last picture, where files are chosen. */
function AddTile({
  label,
  belowId,
  isWrong,
  onFiles,
}: {
  label: string
  belowId: string
  isWrong: boolean
  onFiles: (files: readonly File[]) => void
}) {
  const id = useId()
  return (
    <Add>
      <ImagePlus size={24} strokeWidth={1.5} aria-hidden />
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-describedby={belowId}
        aria-invalid={isWrong ? true : undefined}
        type="file"
        multiple
        accept={acceptedTypes.join(',')}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          // So that the same file can be chosen again.
          event.target.value = ''
        }}
      />
    </Add>
  )
}

/** What can be done to the pictures; `news` says to a screen reader what was done, and `error` why a file was refused. */
function usePictureChanges(
  pictures: readonly ListingPicture[],
  onChange: (pictures: readonly ListingPicture[]) => void,
) {
  const { t } = useTranslation()
  const [error, setError] = useState<string | null>(null)
  const [news, setNews] = useState('')

  const add = (files: readonly File[]) => {
    if (files.length === 0) return
    const result = withFiles(pictures, files)
    const problem =
      result.problem === 'full' ? t('sell.pictures.full') : result.problem && sentenceInPageLanguage(result.problem)
    setError(problem)
    if (problem) showToast({ title: t('sell.toasts.images'), description: problem, tone: 'destructive' })
    if (result.added.length === 0) return
    setNews(t('sell.pictures.added', { count: result.added.length }))
    onChange(result.pictures)
  }
  const move = (from: number, to: number) => {
    const place = Math.min(Math.max(to, 0), pictures.length - 1)
    if (place === from) return
    setNews(
      place === 0
        ? t('sell.pictures.movedFirst', { from: from + 1 })
        : t('sell.pictures.moved', { from: from + 1, to: place + 1, count: pictures.length }),
    )
    onChange(withMoved(pictures, from, place))
  }
  const remove = (place: number) => {
    setError(null)
    setNews(t('sell.pictures.removed', { number: place + 1 }))
    onChange(pictures.toSpliced(place, 1))
  }
  return { error, news, add, move, remove }
}

/** A picture that is taken away takes the focus with it, which goes to where another one can be chosen. */
function useFocusOnRest(area: RefObject<HTMLElement | null>, count: number): void {
  const before = useRef(count)
  useEffect(() => {
    const isFewer = count < before.current
    before.current = count
    if (isFewer && document.activeElement === document.body) area.current?.querySelector('input')?.focus()
  }, [area, count])
}

/** Files that are dropped on an area, which has these `listeners`. */
function useDroppedFiles(onFiles: (files: readonly File[]) => void, isOn: boolean) {
  const [isDropping, setDropping] = useState(false)
  const onDragOver = (event: DragEvent) => {
    if (!isOn || !hasFiles(event)) return
    event.preventDefault()
    setDropping(true)
  }
  const onDrop = (event: DragEvent) => {
    setDropping(false)
    if (!isOn || !hasFiles(event)) return
    event.preventDefault()
    onFiles([...event.dataTransfer.files])
  }
  return { isDropping, listeners: { onDragOver, onDragLeave: () => setDropping(false), onDrop } }
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files')
}

/** Files pasted anywhere on the page; pasted words go where they always go. */
function usePastedFiles(onFiles: (files: readonly File[]) => void, isOn: boolean) {
  const latest = useRef(onFiles)
  useEffect(() => {
    latest.current = onFiles
  })
  useEffect(() => {
    if (!isOn) return
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      const types = event.clipboardData?.types ?? []
      // Office programs put a picture of copied words beside them. A copied file has no more than its name as words, and a picture of a page none.
      const isOfWords = types.includes('text/plain') && types.includes('text/html')
      if (files.length === 0 || isOfWords) return
      event.preventDefault()
      latest.current(files)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [isOn])
}

/**
 * A picture that is held follows the pointer from place to place. The page is listened to and not the picture, which the browser
 * lets go of when it is moved among the others.
 */
function useDragging(
  draggedKey: string | null,
  pictures: readonly ListingPicture[],
  move: (from: number, to: number) => void,
  onEnd: () => void,
) {
  const latest = useRef({ pictures, move, onEnd })
  useEffect(() => {
    latest.current = { pictures, move, onEnd }
  })
  useEffect(() => {
    if (draggedKey === null) return
    const onPointerMove = ({ clientX, clientY }: PointerEvent) => {
      const from = latest.current.pictures.findIndex(({ key }) => key === draggedKey)
      const tiles = document
        .elementsFromPoint(clientX, clientY)
        .map((element) => element.closest('[data-picture-place]'))
      const to = Number(tiles.find((tile) => tile !== null)?.getAttribute('data-picture-place') ?? from)
      if (from >= 0) latest.current.move(from, to)
    }
    const onUp = () => latest.current.onEnd()
    document.addEventListener('pointermove', onPointerMove)
    document.addEventListener('pointerup', onUp)
    document.addEventListener('pointercancel', onUp)
    return () => {
      document.removeEventListener('pointermove', onPointerMove)
      document.removeEventListener('pointerup', onUp)
      document.removeEventListener('pointercancel', onUp)
    }
  }, [draggedKey])
}

const Area = styled.div<{ $isDropping: boolean }>`
  border-radius: ${radius.large};
  background: ${({ $isDropping }) => ($isDropping ? tint('accent', 10) : 'none')};
  outline: ${({ $isDropping }) => ($isDropping ? `2px dashed ${color.accent}` : 'none')};
  outline-offset: ${space(2)};
`

const Tiles = styled.ol`
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(${space(34)}, 1fr));
  gap: ${space(3)};
`

const Add = styled.li`
  position: relative;
  display: grid;
  gap: ${space(2)};
  place-content: center;
  justify-items: center;
  min-height: ${space(40)};
  border: 1px dashed ${color.edge};
  border-radius: ${radius.small};
  color: ${color.muted};
  font-weight: ${weight.strong};
  text-align: center;
  transition: border-color ${motion.quick}, color ${motion.quick};
  &:hover { border-color: ${color.ink}; color: ${color.ink}; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
  input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; font-size: 0; }
`

const Below = styled.p<{ $wrong: boolean }>`
  margin-top: ${space(2)};
  color: ${({ $wrong }) => ($wrong ? color.live : color.muted)};
  font-size: ${text.small};
`
