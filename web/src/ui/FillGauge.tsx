import { useId } from 'react'
import { styled } from 'styled-components'
import { color, space, text, weight } from '../theme/theme.ts'

/**
 * Our signature: a bottle filled to the percentage that is left. `label` is what it says in words, shown beside it.
 */
export function FillGauge({
  percentage,
  label,
  size = 'small',
}: {
  percentage: number
  label: string
  size?: 'small' | 'large'
}) {
  const clip = useId()
  const full = Math.min(100, Math.max(0, percentage))
  const surface = bodyBottom - ((bodyBottom - bodyTop) * full) / 100
  return (
    <Frame $size={size}>
      <Bottle viewBox="0 0 24 32" $size={size} $tone={toneOf(full)} aria-hidden>
        <clipPath id={clip}>
          <path d={inside} />
        </clipPath>
        <rect x="0" y={surface} width="24" height={32 - surface} clipPath={`url(#${clip})`} fill="currentColor" />
        <path d={outline} fill="none" stroke={color.ink} strokeWidth="1.5" strokeLinejoin="round" />
        <path d="M9.5 1h5v4h-5z" fill={color.ink} />
      </Bottle>
      <span>{label}</span>
    </Frame>
  )
}

const bodyTop = 9.5
const bodyBottom = 29.5
const outline =
  'M9.5 5.5h5v2.2c0 .6.3 1.1.8 1.4l3 1.7A4.5 4.5 0 0 1 20.6 14.7V28.1A2.9 2.9 0 0 1 17.7 31H6.3A2.9 2.9 0 0 1 3.4 28.1V14.7A4.5 4.5 0 0 1 5.7 10.8l3-1.7c.5-.3.8-.8.8-1.4z'
const inside =
  'M9.8 9.5h4.4c.3.4.6.7 1 .9l2.6 1.5A3.2 3.2 0 0 1 19.1 14.7V27.9A1.6 1.6 0 0 1 17.5 29.5H6.5A1.6 1.6 0 0 1 4.9 27.9V14.7A3.2 3.2 0 0 1 6.2 11.9l2.6-1.5c.4-.2.7-.5 1-.9z'

/** Green above 90, yellow above 50, red below. */
export function toneOf(percentage: number): 'ok' | 'warn' | 'live' {
  if (percentage > 90) return 'ok'
  return percentage > 50 ? 'warn' : 'live'
}

const Frame = styled.span<{ $size: 'small' | 'large' }>`
  display: inline-flex;
  align-items: center;
  gap: ${space(2)};
  font-size: ${({ $size }) => ($size === 'large' ? text.body : text.small)};
  font-weight: ${weight.strong};
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
`

const Bottle = styled.svg<{ $size: 'small' | 'large'; $tone: 'ok' | 'warn' | 'live' }>`
  flex: none;
  width: ${({ $size }) => ($size === 'large' ? space(8) : space(4))};
  height: auto;
  color: ${({ $tone }) => color[$tone === 'warn' ? 'amber' : $tone]};
`
