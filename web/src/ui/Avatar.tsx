import { useState } from 'react'
import { styled } from 'styled-components'
import { color, font, radius, space } from '../theme/theme.ts'

/**
 * Somebody's picture in a circle, or the first letter of their name where there is none or it does not load. It says
 * nothing to a screen reader: the name stands beside it, or on the button around it.
 */
export function Avatar({ src, name, size = 'small' }: { src: string | null; name: string; size?: Size }) {
  const [brokenSrc, setBrokenSrc] = useState<string | null>(null)
  return (
    <Circle $size={size} aria-hidden>
      {src !== null && src !== brokenSrc ? (
        <Image src={src} alt="" width={160} height={160} decoding="async" onError={() => setBrokenSrc(src)} />
      ) : (
        [...name].slice(0, 1).join('').toUpperCase()
      )}
    </Circle>
  )
}

type Size = keyof typeof diameters

/** In steps of four pixels. */
const diameters = { small: 9, medium: 14, large: 28 } as const

const Circle = styled.span<{ $size: Size }>`
  display: grid;
  flex: none;
  place-items: center;
  width: ${({ $size }) => space(diameters[$size])};
  height: ${({ $size }) => space(diameters[$size])};
  overflow: hidden;
  border-radius: ${radius.round};
  background: ${color.ground};
  color: ${color.ink};
  font-family: ${font.serif};
  font-size: ${({ $size }) => space(diameters[$size] * 0.45)};
  line-height: 1;
`

const Image = styled.img`
  width: 100%;
  height: 100%;
  object-fit: cover;
`
