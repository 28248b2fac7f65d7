import { type ReactNode, useId } from 'react'
import { styled } from 'styled-components'
import { color, radius, space, text, weight } from '../theme/theme.ts'
import { Stars } from './Stars.tsx'

/** The width and height of one star. */
const starPx = 36

/**
 * A rating from 0 to 5 in half stars: by touch, with a mouse, or with the arrow keys. It is the browser's own slider, with nothing to be
 * seen of it, over the stars.
 */
export function StarField({
  label,
  value,
  valueText,
  disabled = false,
  onChange,
}: {
  label: ReactNode
  value: number
  /** The value in words. */
  valueText: string
  disabled?: boolean
  onChange: (value: number) => void
}) {
  const id = useId()
  return (
    <div>
      <Head>
        <Label htmlFor={id}>{label}</Label>
        <Value aria-hidden>{valueText}</Value>
      </Head>
      <Place>
        <span aria-hidden>
          <Stars rating={value} label="" />
        </span>
        <Slider
          id={id}
          min={0}
          max={5}
          step={0.5}
          value={value}
          disabled={disabled}
          aria-valuetext={valueText}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
      </Place>
    </div>
  )
}

const Head = styled.div`
  display: flex;
  gap: ${space(3)};
  align-items: baseline;
  justify-content: space-between;
`

const Label = styled.label`
  font-weight: ${weight.strong};
`

const Value = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
`

const Place = styled.div`
  position: relative;
  width: ${starPx * 5}px;
  height: ${space(11)};
  padding: 4px 0;
  border-radius: ${radius.small};
  svg { width: ${starPx * 5}px; height: ${starPx}px; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
`

/*
 * It begins half a star before the first one, where a touch means none, and its thumb is half a star wide: so each half of a star gives
 * just that half.
 */
const Slider = styled.input.attrs({ type: 'range' })`
  position: absolute;
  top: 0;
  left: -${starPx / 2}px;
  width: ${starPx * 5.5}px;
  height: 100%;
  margin: 0;
  opacity: 0;
  cursor: pointer;
  appearance: none;
  &:disabled { cursor: default; }
  &::-webkit-slider-thumb { width: ${starPx / 2}px; height: ${space(11)}; appearance: none; }
  &::-moz-range-thumb { width: ${starPx / 2}px; height: ${space(11)}; border: 0; }
`
