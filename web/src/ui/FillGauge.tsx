import { useId } from 'react'
import { styled } from 'styled-components'
import { color, space, text, weight } from '../theme/theme.ts'
import { bottleBottom, bottleInside, bottleOutline, bottleSpray, bottleTop } from './bottle.ts'

/**
 * Our signature: a bottle filled to the percentage that is left. `label` is what it says in words, shown beside it in the colour that goes with
 * the percentage; what is in the bottle looks like perfume, however much it is.
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
  const surface = bottleBottom - ((bottleBottom - bottleTop) * full) / 100
  return (
    <Frame $size={size}>
      <Bottle viewBox="0 0 24 32" $size={size} aria-hidden>
        <clipPath id={clip}>
          <path d={bottleInside} />
        </clipPath>
        <rect x="0" y={surface} width="24" height={32 - surface} clipPath={`url(#${clip})`} fill="currentColor" />
        <path d={bottleOutline} fill="none" stroke={color.ink} strokeWidth="1.5" strokeLinejoin="round" />
        <path d={bottleSpray} fill={color.ink} />
      </Bottle>
      <Label $tone={toneOf(full)}>{label}</Label>
    </Frame>
  )
}

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
  vertical-align: middle;
`

const Label = styled.span<{ $tone: 'ok' | 'warn' | 'live' }>`
  color: ${({ $tone }) => color[$tone]};
`

const Bottle = styled.svg<{ $size: 'small' | 'large' }>`
  flex: none;
  width: ${({ $size }) => ($size === 'large' ? space(8) : space(4))};
  height: auto;
  color: ${color.amber};
`
