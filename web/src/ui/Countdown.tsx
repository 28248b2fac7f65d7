import { keyframes, styled } from 'styled-components'
import { splitDuration } from '../lib/durations.ts'
import { color, inBar, space, text, weight } from '../theme/theme.ts'

interface CountdownLabels {
  readonly days: string
  readonly hours: string
  readonly minutes: string
  readonly seconds: string
}

/** Days, hours, minutes and seconds that are left; `isUrgent` colours it. */
export function Countdown({
  leftMs,
  isUrgent,
  labels,
  name,
}: {
  leftMs: number
  isUrgent: boolean
  labels: CountdownLabels
  name: string
}) {
  const { days, hours, minutes, seconds } = splitDuration(leftMs)
  const parts = [
    { value: String(days), label: labels.days },
    { value: twoDigits(hours), label: labels.hours },
    { value: twoDigits(minutes), label: labels.minutes },
    { value: twoDigits(seconds), label: labels.seconds },
  ]
  return (
    <Row role="timer" aria-label={name} $urgent={isUrgent}>
      {parts.map(({ value, label }) => (
        <Part key={label}>
          <Value>{value}</Value> <Unit>{label}</Unit>
        </Part>
      ))}
    </Row>
  )
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

const warm = keyframes`
  from { opacity: 0.4; }
`

const Row = styled.div<{ $urgent: boolean }>`
  display: flex;
  gap: ${space(4)};
  ${inBar(`gap: ${space(2)};`)}
  color: ${({ $urgent }) => ($urgent ? color.live : color.ink)};
  animation: ${warm} 200ms ease-out;
`

const Part = styled.span`
  display: grid;
  min-width: ${space(9)};
  ${inBar('min-width: 0;')}
`

const Value = styled.span`
  font-size: ${text.title};
  font-variant-numeric: tabular-nums lining-nums;
  font-weight: ${weight.strong};
  line-height: 1.2;
`

const Unit = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
`
