import { useId } from 'react'
import { styled } from 'styled-components'
import { color, space } from '../theme/theme.ts'

const places = [0, 1, 2, 3, 4] as const
const star = 'M8 1.6l1.95 4.1 4.5.6-3.3 3.15.82 4.45L8 11.7l-3.97 2.2.82-4.45L1.55 6.3l4.5-.6z'

/** A rating from 0 to 5 as stars, filled to the tenth. `label` says it in words. */
export function Stars({ rating, label }: { rating: number; label: string }) {
  const clip = useId()
  return (
    <Frame role="img" aria-label={label} viewBox="0 0 80 16">
      <clipPath id={clip}>
        <rect x="0" y="0" width={Math.min(5, Math.max(0, rating)) * 16} height="16" />
      </clipPath>
      {places.map((place) => (
        <path key={place} d={star} transform={`translate(${place * 16} 0)`} fill={color.line} />
      ))}
      <g clipPath={`url(#${clip})`}>
        {places.map((place) => (
          <path key={place} d={star} transform={`translate(${place * 16} 0)`} fill={color.accent} />
        ))}
      </g>
    </Frame>
  )
}

const Frame = styled.svg`
  display: inline-block;
  flex: none;
  width: ${space(20)};
  height: ${space(4)};
  vertical-align: -0.15em;
`
