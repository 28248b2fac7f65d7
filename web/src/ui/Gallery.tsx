import { Maximize2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { styled } from 'styled-components'
import { lazyPart } from '../lib/lazy-part.ts'
import { color, motion, phone, radius, space } from '../theme/theme.ts'
import { Picture } from './Picture.tsx'

const PictureDialog = lazyPart(async () => (await import('./PictureDialog.tsx')).PictureDialog)

const mainSizes = '(min-width: 1200px) 620px, (min-width: 768px) 50vw, 100vw'
const thumbSizes = '(min-width: 768px) 120px, 20vw'

interface GalleryLabels {
  readonly picture: (number: number) => string
  readonly show: (number: number) => string
  readonly enlarge: string
  readonly close: string
}

/** The pictures of one thing, the first one large. `seed` decides the tint of the ground. */
export function Gallery({
  pictures,
  seed,
  labels,
}: {
  pictures: readonly string[]
  seed: string
  labels: GalleryLabels
}) {
  const [index, setIndex] = useState(0)
  const [isLarge, setLarge] = useState(false)
  const src = pictures[index] ?? pictures[0] ?? ''
  return (
    <Frame>
      <Main type="button" aria-label={labels.enlarge} aria-haspopup="dialog" onClick={() => setLarge(true)}>
        <Picture src={src} alt={labels.picture(index + 1)} seed={seed} sizes={mainSizes} eager />
        <Hint aria-hidden>
          <Maximize2 size={18} strokeWidth={1.5} />
        </Hint>
      </Main>
      {pictures.length > 1 && (
        <Thumbs>
          {pictures.map((picture, place) => (
            <li key={picture}>
              <Thumb
                type="button"
                aria-label={labels.show(place + 1)}
                aria-current={place === index || undefined}
                onClick={() => setIndex(place)}
              >
                <Picture src={picture} alt="" seed={seed} sizes={thumbSizes} />
              </Thumb>
            </li>
          ))}
        </Thumbs>
      )}
      {isLarge && (
        <Suspense fallback={null}>
          <PictureDialog
            src={src}
            title={labels.picture(index + 1)}
            closeLabel={labels.close}
            onClose={() => setLarge(false)}
          />
        </Suspense>
      )}
    </Frame>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(3)};
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
  /* What comes below should begin on the first screen. */
  ${phone} { & > :first-child { height: min(100vw, 38svh); aspect-ratio: auto; } }
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
  &[aria-current] { border-color: ${color.ink}; }
`
