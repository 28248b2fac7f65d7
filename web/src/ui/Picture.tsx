import { Suspense, useState } from 'react'
import { styled } from 'styled-components'
import { imageWidths, placeholderImage } from '../lib/image-source.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useRenderedAt } from '../lib/rendered-at.ts'
import { color, motion } from '../theme/theme.ts'

/** Most have one. */
const NoPicture = lazyPart(async () => (await import('./NoPicture.tsx')).NoPicture)

/**
 * A picture on a 4:5 ground that has its size and a tint before it loads, and a drawn bottle when it does not. `alt` is
 * empty where the words beside it say the same. `tint` is its own colour, where that is known, and `sizes` says how wide
 * it is shown, as the attribute of that name does.
 */
export function Picture({
  src,
  alt,
  tint,
  sizes,
  eager = false,
  onBroken,
}: {
  src: string
  alt: string
  tint?: string | undefined
  sizes: string
  eager?: boolean
  /** It does not load. */
  onBroken?: () => void
}) {
  const [outcome, setOutcome] = useState<{ src: string; failed: boolean } | null>(null)
  const settled = outcome?.src === src
  // It may be on the screen long before anything runs that could let it fade in.
  const renderedAtMs = useRenderedAt()
  const [isThere] = useState(eager || renderedAtMs !== null)
  const isBroken = settled && outcome.failed
  const fail = () => {
    setOutcome({ src, failed: true })
    onBroken?.()
  }
  if (isBroken || src === placeholderImage) {
    return (
      <Ground {...(alt === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': alt })}>
        {/* What comes later has no place in what is taken over. */}
        {renderedAtMs === null && (
          <Suspense fallback={null}>
            <NoPicture isBroken={isBroken} />
          </Suspense>
        )}
      </Ground>
    )
  }
  return (
    <Ground style={{ backgroundColor: tint }}>
      <Image
        src={src}
        srcSet={imageWidths(src)}
        alt={alt}
        width={800}
        height={1000}
        sizes={sizes}
        loading={eager ? 'eager' : 'lazy'}
        fetchPriority={eager ? 'high' : 'auto'}
        decoding="async"
        // The one that a page is opened for is not held back to fade in.
        $shown={settled || isThere}
        // It may have come, or failed, before anybody listens.
        ref={(image) => {
          if (!image?.complete || settled) return
          if (image.naturalWidth > 0) setOutcome({ src, failed: false })
          else fail()
        }}
        onLoad={() => settled || setOutcome({ src, failed: false })}
        onError={fail}
      />
    </Ground>
  )
}

const Ground = styled.span`
  position: relative;
  display: block;
  aspect-ratio: 4 / 5;
  overflow: hidden;
  background: ${color.ground};
`

const Image = styled.img<{ $shown: boolean }>`
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  object-fit: cover;
  opacity: ${({ $shown }) => ($shown ? 1 : 0)};
  transition: opacity ${motion.calm};
`
