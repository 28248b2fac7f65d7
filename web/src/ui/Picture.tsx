import { useState } from 'react'
import { styled } from 'styled-components'
import { imageWidths, placeholderImage } from '../lib/image-source.ts'
import { color, motion } from '../theme/theme.ts'

/**
 * A picture on a 4:5 ground that has its size and a tint before it loads, and a drawn bottle when it does not. `alt` is
 * empty where the words beside it say the same. `seed` (a name) decides the tint, `sizes` says how wide it
 * is shown, as the attribute of that name does.
 */
export function Picture({
  src,
  alt,
  seed,
  sizes,
  eager = false,
  onBroken,
}: {
  src: string
  alt: string
  seed: string
  sizes: string
  eager?: boolean
  /** It does not load. */
  onBroken?: () => void
}) {
  const [outcome, setOutcome] = useState<{ src: string; failed: boolean } | null>(null)
  const settled = outcome?.src === src
  const isBroken = settled && outcome.failed
  return (
    <Ground $hue={hueOf(seed)}>
      <Image
        src={isBroken ? placeholderImage : src}
        srcSet={isBroken ? undefined : imageWidths(src)}
        alt={alt}
        width={800}
        height={1000}
        sizes={sizes}
        loading={eager ? 'eager' : 'lazy'}
        fetchPriority={eager ? 'high' : 'auto'}
        decoding="async"
        $shown={settled}
        // A picture from the cache may be complete before anybody listens.
        ref={(image) => {
          if (image?.complete && image.naturalWidth > 0 && !settled) setOutcome({ src, failed: false })
        }}
        onLoad={() => settled || setOutcome({ src, failed: false })}
        onError={() => {
          setOutcome({ src, failed: true })
          onBroken?.()
        }}
      />
    </Ground>
  )
}

/** Between rose and moss by way of amber: what bottles and their juice are coloured like. */
function hueOf(seed: string): number {
  let hash = 7
  for (const character of seed) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return (345 + (hash % 130)) % 360
}

const Ground = styled.span<{ $hue: number }>`
  position: relative;
  display: block;
  aspect-ratio: 4 / 5;
  overflow: hidden;
  background: color-mix(in srgb, ${color.ground} 82%, hsl(${({ $hue }) => $hue} 42% 50%));
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
