import { Slider } from '@base-ui/react/slider'
import { styled } from 'styled-components'
import { color, motion, radius, space, text, weight } from '../theme/theme.ts'

type Range = readonly [lowest: number, highest: number]

/**
 * A lowest and a highest value on one line, each moved by hand or with the arrow keys. `onChange` follows every step,
 * `onSettle` comes when the hand lets go.
 */
export function RangeSlider({
  label,
  value,
  min,
  max,
  step,
  thumbLabels,
  format,
  onChange,
  onSettle,
}: {
  label: string
  value: Range
  min: number
  max: number
  step: number
  /** What the two thumbs are called: 'Lowest price', 'Highest price'. */
  thumbLabels: readonly [lowest: string, highest: string]
  format: (value: number) => string
  onChange: (value: Range) => void
  onSettle?: (value: Range) => void
}) {
  return (
    <Slider.Root
      value={value}
      min={min}
      max={max}
      step={step}
      largeStep={step * 5}
      thumbCollisionBehavior="none"
      onValueChange={(next) => onChange(rangeOf(next, value))}
      onValueCommitted={(next) => onSettle?.(rangeOf(next, value))}
    >
      <Head>
        <Label>{label}</Label>
        <output>{formatRange(value, format)}</output>
      </Head>
      <Control>
        <Track>
          <Slider.Indicator render={<Filled />} />
          {thumbLabels.map((name, index) => (
            <Thumb
              key={name}
              index={index}
              getAriaLabel={() => name}
              getAriaValueText={(_, number) => format(number)}
            />
          ))}
        </Track>
      </Control>
    </Slider.Root>
  )
}

/** Both ends; one, where they read alike. */
export function formatRange(range: Range, format: (value: number) => string): string {
  return [...new Set(range.map(format))].join(' – ')
}

function rangeOf(next: readonly number[], before: Range): Range {
  return [next[0] ?? before[0], next[1] ?? before[1]]
}

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(4)};
  align-items: baseline;
  justify-content: space-between;
  font-size: ${text.body};
  font-variant-numeric: tabular-nums;
  output { color: ${color.muted}; }
`

const Label = styled(Slider.Label)`
  font-weight: ${weight.strong};
`

const Control = styled(Slider.Control)`
  display: flex;
  align-items: center;
  height: ${space(11)};
  padding: 0 ${space(3)};
  touch-action: none;
  cursor: pointer;
`

const Track = styled(Slider.Track)`
  width: 100%;
  height: ${space(1)};
  border-radius: ${radius.round};
  background: ${color.line};
`

const Filled = styled.div`
  border-radius: ${radius.round};
  background: ${color.accent};
`

const Thumb = styled(Slider.Thumb)`
  width: ${space(6)};
  height: ${space(6)};
  border: 2px solid ${color.accent};
  border-radius: ${radius.round};
  background: ${color.surface};
  cursor: grab;
  transition: box-shadow ${motion.quick};
  &:hover, &[data-dragging] { box-shadow: 0 0 0 6px color-mix(in srgb, ${color.accent} 16%, transparent); }
  &[data-dragging] { cursor: grabbing; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 3px; }
`
