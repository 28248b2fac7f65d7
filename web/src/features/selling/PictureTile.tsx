import { ArrowLeft, ArrowRight, X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import { imageSource } from '../../lib/image-source.ts'
import { useObjectUrl } from '../../lib/use-object-url.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, motion, radius, space, text, weight } from '../../theme/theme.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import type { ListingPicture } from './pictures.ts'

/** One picture among the others: dragged with a mouse, moved with its buttons or with the arrow keys while one of them has the focus. */
export function PictureTile({
  picture,
  place,
  count,
  isLocked,
  isDragged,
  onGrab,
  onMove,
  onRemove,
}: {
  picture: ListingPicture
  place: number
  count: number
  isLocked: boolean
  isDragged: boolean
  /** With a mouse. A finger scrolls, and has the buttons. */
  onGrab: () => void
  onMove: (to: number) => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const number = place + 1
  const focused = useFocusThatMoves(place)
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: place - 1,
    ArrowUp: place - 1,
    ArrowRight: place + 1,
    ArrowDown: place + 1,
    Home: 0,
    End: count - 1,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    focused.remember()
    onMove(to)
  }
  const grab = (event: PointerEvent) => {
    if (isLocked || event.pointerType === 'touch' || event.button !== 0) return
    event.preventDefault()
    onGrab()
  }
  const press = (to: number) => {
    focused.remember()
    onMove(to)
  }
  return (
    <Tile $isDragged={isDragged} data-picture-place={place}>
      <Ground onPointerDown={grab} $canMove={!isLocked && count > 1}>
        <Preview picture={picture} number={number} />
        {place === 0 && <Main>{t('sell.pictures.main')}</Main>}
      </Ground>
      {!isLocked && (
        <Tools onKeyDown={onKeyDown}>
          <IconButton
            ref={focused.earlier}
            aria-label={t('sell.pictures.earlier', { number })}
            aria-disabled={place === 0 || undefined}
            onClick={() => press(place - 1)}
          >
            <ArrowLeft size={18} strokeWidth={1.5} aria-hidden />
          </IconButton>
          <IconButton aria-label={t('sell.pictures.remove', { number })} onClick={onRemove}>
            <X size={18} strokeWidth={1.5} aria-hidden />
          </IconButton>
          <IconButton
            ref={focused.later}
            aria-label={t('sell.pictures.later', { number })}
            aria-disabled={place === count - 1 || undefined}
            onClick={() => press(place + 1)}
          >
            <ArrowRight size={18} strokeWidth={1.5} aria-hidden />
          </IconButton>
        </Tools>
      )}
    </Tile>
  )
}

function Preview({ picture, number }: { picture: ListingPicture; number: number }) {
  const { t } = useTranslation()
  const ofFile = useObjectUrl(picture.kind === 'file' ? picture.file : null)
  const address = picture.kind === 'file' ? ofFile : `${imageSource(picture.imageUrl)}?w=480`
  const alt =
    picture.kind === 'file'
      ? t('sell.pictures.named', { number, name: picture.file.name })
      : t('sell.pictures.picture', { number })
  return <Image src={address ?? undefined} alt={alt} draggable={false} />
}

/** A browser lets go of the focus of what is moved in the page: the button keeps it. */
function useFocusThatMoves(place: number) {
  const earlier = useRef<HTMLButtonElement>(null)
  const later = useRef<HTMLButtonElement>(null)
  const focused = useRef<HTMLElement | null>(null)
  useEffect(() => {
    if (place >= 0) focused.current?.focus()
    focused.current = null
  }, [place])
  return {
    earlier,
    later,
    remember: () => {
      const active = document.activeElement
      focused.current = active === earlier.current || active === later.current ? (active as HTMLElement) : null
    },
  }
}

const Tile = styled.li<{ $isDragged: boolean }>`
  overflow: hidden;
  border: 1px solid ${({ $isDragged }) => ($isDragged ? color.accent : color.line)};
  border-radius: ${radius.small};
  background: ${color.surface};
  box-shadow: ${({ $isDragged }) => ($isDragged ? color.shadow : 'none')};
  transition: border-color ${motion.quick}, box-shadow ${motion.quick};
`

const Ground = styled.div<{ $canMove: boolean }>`
  position: relative;
  aspect-ratio: 4 / 5;
  background: ${color.ground};
  cursor: ${({ $canMove }) => ($canMove ? 'grab' : 'auto')};
  user-select: none;
  &:active { cursor: ${({ $canMove }) => ($canMove ? 'grabbing' : 'auto')}; }
`

const Image = styled.img`
  width: 100%;
  height: 100%;
  object-fit: cover;
`

const Main = styled.span`
  position: absolute;
  bottom: ${space(2)};
  left: ${space(2)};
  padding: ${space(0.5)} ${space(2)};
  border-radius: ${radius.small};
  background: ${color.surface};
  font-size: ${text.small};
  font-weight: ${weight.strong};
`

const Tools = styled.div`
  display: flex;
  justify-content: space-between;
  border-top: 1px solid ${color.line};
`
