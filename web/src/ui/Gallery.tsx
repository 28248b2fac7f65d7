import { LARGE_PICTURE_SIZES } from '@wangian/contracts/pictures.ts'
import { Maximize2 } from 'lucide-react'
import { type KeyboardEvent, Suspense, type TouchEvent, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { placeholderImage, type ShownPicture } from '../lib/image-source.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { color, motion, phone, radius, space, text } from '../theme/theme.ts'
import type { LightboxLabels } from './Lightbox.tsx'
import { Picture } from './Picture.tsx'
import { Skeleton } from './Skeleton.tsx'

const Lightbox = lazyPart(async () => (await import('./Lightbox.tsx')).Lightbox)

const thumbSizes = '(min-width: 768px) 120px, 20vw'

/** What comes below the picture begins on the first screen: it has at most 40 % of the height. */
const pictureHeightOnPhone = 'min(112vw, 40svh)'

/** A finger that moves farther than this across a picture turns it. */
const swipeMinPx = 40

export interface GalleryLabels extends LightboxLabels {
  readonly show: (number: number) => string
  readonly enlarge: string
}

/**
 * The pictures of one thing, the first one large. The arrow keys and a swipe turn them, and a touch opens them as large as the window.
 */
export function Gallery({
  pictures,
  labels,
}: {
  pictures: readonly [ShownPicture, ...ShownPicture[]]
  labels: GalleryLabels
}) {
  const [index, setIndex] = useState(0)
  const [isLarge, setLarge] = useState(false)
  const [broken, setBroken] = useState<readonly string[]>([])
  const turn = (steps: number) => setIndex(Math.min(pictures.length - 1, Math.max(0, index + steps)))
  const swipe = useSwipe(turn)
  const shown = pictures[index] ?? pictures[0]
  const main = (
    <Picture
      {...shown}
      alt={labels.picture(index + 1)}
      sizes={LARGE_PICTURE_SIZES}
      eager
      onBroken={() => setBroken([...broken, shown.src])}
    />
  )
  return (
    <Frame
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'ArrowRight') turn(1)
        if (event.key === 'ArrowLeft') turn(-1)
      }}
    >
      <Stage>
        {shown.src === placeholderImage ? (
          // There is nothing to see in it larger.
          <Main as="div">{main}</Main>
        ) : (
          <Main
            type="button"
            aria-label={labels.enlarge}
            aria-haspopup="dialog"
            onClick={() => setLarge(true)}
            {...swipe}
          >
            {main}
            <Hint aria-hidden>
              <Maximize2 size={18} strokeWidth={1.5} />
            </Hint>
          </Main>
        )}
        {/* Beside the button: what is in it would have to be in its name. */}
        {pictures.length > 1 && (
          <Place aria-hidden>
            {index + 1} / {pictures.length}
          </Place>
        )}
      </Stage>
      {pictures.length > 1 && (
        <Thumbs>
          {pictures.map((picture, place) => (
            <li key={picture.src}>
              <Thumb
                type="button"
                aria-label={labels.show(place + 1)}
                aria-current={place === index || undefined}
                onClick={() => setIndex(place)}
              >
                <Picture {...picture} alt="" sizes={thumbSizes} />
              </Thumb>
            </li>
          ))}
        </Thumbs>
      )}
      {isLarge && (
        <Suspense fallback={null}>
          <Lightbox
            pictures={pictures.map(({ src }) => (broken.includes(src) ? placeholderImage : src))}
            index={index}
            labels={labels}
            onTurn={setIndex}
            onClose={() => setLarge(false)}
          />
        </Suspense>
      )}
    </Frame>
  )
}

/** A finger that goes sideways turns the pictures; the page still scrolls under one that goes up or down. */
function useSwipe(turn: (steps: number) => void) {
  const start = useRef<{ x: number; y: number } | null>(null)
  return {
    onTouchStart: ({ touches }: TouchEvent) => {
      const touch = touches[0]
      start.current = touches.length === 1 && touch ? { x: touch.clientX, y: touch.clientY } : null
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches[0]
      if (!start.current || !touch) return
      const x = touch.clientX - start.current.x
      const y = touch.clientY - start.current.y
      if (Math.abs(x) > swipeMinPx && Math.abs(x) > 2 * Math.abs(y)) turn(x < 0 ? 1 : -1)
    },
  }
}

/** As large as its picture. */
export const GalleryToCome = styled(Skeleton).attrs({ $ratio: '4 / 5' })`
  background: ${color.ground};
  border-radius: ${radius.large};
  ${phone} { height: ${pictureHeightOnPhone}; aspect-ratio: auto; }
`

const Frame = styled.div`
  display: grid;
  gap: ${space(3)};
`

const Stage = styled.div`
  position: relative;
`

const Main = styled.button`
  position: relative;
  display: block;
  width: 100%;
  padding: 0;
  overflow: hidden;
  border: 0;
  border-radius: ${radius.large};
  background: none;
  cursor: zoom-in;
  ${phone} { & > :first-child { height: ${pictureHeightOnPhone}; aspect-ratio: auto; } }
`

const Hint = styled.span`
  position: absolute;
  right: ${space(3)};
  bottom: ${space(3)};
  display: grid;
  place-items: center;
  width: ${space(9)};
  height: ${space(9)};
  border-radius: ${radius.round};
  background: ${color.surface};
  color: ${color.ink};
  opacity: 0;
  transition: opacity ${motion.quick};
  ${Main}:hover &, ${Main}:focus-visible & { opacity: 1; }
`

const Place = styled.span`
  position: absolute;
  bottom: ${space(3)};
  left: ${space(3)};
  padding: ${space(0.5)} ${space(2)};
  border-radius: ${radius.small};
  background: ${color.surface};
  color: ${color.ink};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
  pointer-events: none;
`

const Thumbs = styled.ul`
  display: grid;
  grid-template-columns: repeat(5, 1fr);
  gap: ${space(2)};
`

const Thumb = styled.button`
  display: block;
  width: 100%;
  padding: 0;
  overflow: hidden;
  border: 1px solid transparent;
  border-radius: ${radius.small};
  background: none;
  opacity: 0.72;
  transition: opacity ${motion.quick};
  &:hover, &[aria-current] { opacity: 1; }
  &[aria-current] { border-color: ${color.ink}; }
`
