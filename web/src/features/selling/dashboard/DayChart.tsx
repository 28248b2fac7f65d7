import { useMemo, useState } from 'react'
import { styled } from 'styled-components'
import { formatCalendarDay } from '../../../lib/dates.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, motion, radius, space, text, tint, weight } from '../../../theme/theme.ts'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'

interface DayValue {
  /** `2026-11-21`. */
  readonly date: string
  readonly value: number
}

const chartHeight = 200

/**
 * A bar for each day. The day that is read out above it is chosen by pointing, touching, or with the arrow keys: a range input of the
 * browser's lies over the bars. Below it the same numbers stand as a table.
 */
export function DayChart({ label, days }: { label: string; days: readonly DayValue[] }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<number | null>(null)
  const columns = useMemo<readonly Column<DayValue>[]>(
    () => [
      { key: 'date', head: t('dashboard.analytics.date'), cell: ({ date }) => formatCalendarDay(date) },
      { key: 'value', head: label, isNumber: true, cell: ({ value }) => value },
    ],
    [t, label],
  )
  const lastPlace = days.length - 1
  const place = Math.min(chosen ?? lastPlace, lastPlace)
  const first = days[0]
  const last = days[lastPlace]
  const day = days[place]
  if (!first || !last || !day) return null
  const top = niceTop(Math.max(...days.map(({ value }) => value)))
  const reading = t('dashboard.analytics.dayValue', {
    date: formatCalendarDay(day.date),
    metric: label,
    value: day.value,
  })
  const title = t('dashboard.analytics.chart', {
    metric: label,
    from: formatCalendarDay(first.date),
    to: formatCalendarDay(last.date),
  })
  return (
    <Frame aria-label={title}>
      <Reading aria-hidden>{reading}</Reading>
      <Plot
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect()
          const pointed = Math.floor(((event.clientX - left) / width) * days.length)
          setChosen(Math.max(0, Math.min(lastPlace, pointed)))
        }}
      >
        <Top aria-hidden>{top}</Top>
        <Middle aria-hidden />
        <Bars viewBox={`0 0 ${days.length} ${chartHeight}`} preserveAspectRatio="none" aria-hidden>
          {days.map(({ date, value }, each) => {
            const height = (value / top) * chartHeight
            return (
              <Bar
                key={date}
                x={each + 0.15}
                y={chartHeight - height}
                width={0.7}
                height={height}
                $chosen={each === place}
              />
            )
          })}
        </Bars>
        <Marker aria-hidden style={{ left: `${((place + 0.5) / days.length) * 100}%` }} />
        <Slider
          type="range"
          min={0}
          max={lastPlace}
          value={place}
          aria-label={t('dashboard.analytics.readDay')}
          aria-valuetext={reading}
          onChange={(event) => setChosen(Number(event.target.value))}
        />
      </Plot>
      <Ends aria-hidden>
        <span>{formatCalendarDay(first.date)}</span>
        <span>{formatCalendarDay(last.date)}</span>
      </Ends>
      <Numbers>
        <summary>{t('dashboard.analytics.showTable')}</summary>
        <DataTable caption={title} columns={columns} rows={days} keyOf={({ date }) => date} />
      </Numbers>
    </Frame>
  )
}

/** The next of 2, 4, 6, 8, 10, 20, 40 and so on: half of it, where the line in the middle is, can be read as well. */
function niceTop(valueMax: number): number {
  for (let power = 1; ; power *= 10) {
    for (const step of [2, 4, 6, 8, 10]) if (step * power >= valueMax) return step * power
  }
}

const Frame = styled.figure`
  display: grid;
  gap: ${space(2)};
`

const Reading = styled.p`
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
`

const Plot = styled.div`
  position: relative;
  height: ${chartHeight}px;
  border-top: 1px dashed ${color.line};
  border-bottom: 1px solid ${color.edge};
  border-radius: ${radius.small};
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 4px; }
`

const Top = styled.span`
  position: absolute;
  top: ${space(1)};
  left: 0;
  padding-right: ${space(1)};
  background: ${color.paper};
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
`

const Middle = styled.span`
  position: absolute;
  top: 50%;
  right: 0;
  left: 0;
  border-top: 1px dashed ${color.line};
`

const Bars = styled.svg`
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
`

const Bar = styled.rect<{ $chosen: boolean }>`
  fill: ${({ $chosen }) => ($chosen ? color.accent : tint('accent', 45))};
  transition: fill ${motion.quick};
`

const Marker = styled.span`
  position: absolute;
  top: 0;
  bottom: 0;
  border-left: 1px dotted ${color.edge};
  pointer-events: none;
`

const Slider = styled.input`
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  margin: 0;
  opacity: 0;
  cursor: crosshair;
  touch-action: pan-y;
`

const Ends = styled.div`
  display: flex;
  justify-content: space-between;
  color: ${color.muted};
  font-size: ${text.small};
`

const Numbers = styled.details`
  summary { width: fit-content; padding: ${space(2)} 0; color: ${color.muted}; font-size: ${text.small}; cursor: pointer; }
`
