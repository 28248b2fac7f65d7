import { AUCTION_YEARS_MAX } from '@wangian/contracts/auction.ts'
import { type ReactNode, useId, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { styled } from 'styled-components'
import { formatFullMoment, monthName } from '../../lib/dates.ts'
import { instantOf, type MomentParts, malaysianYear } from '../../lib/malaysian-moment.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Select } from '../../ui/Field.tsx'
import { Fieldset, Legend } from '../../ui/Fieldset.tsx'
import type { ListingFormReturn } from './use-listing-form.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A moment by day, month, year, hour, minute and second. All days can be chosen in any order; one that there is not is said to be none. */
export function MomentField({
  form,
  name,
  legend,
  quick,
  note,
}: {
  form: ListingFormReturn
  name: 'start' | 'end'
  legend: string
  /** Above the parts: what sets them all at once. */
  quick?: ReactNode
  note?: ReactNode
}) {
  const { t } = useTranslation()
  const below = useId()
  const parts = useWatch({ control: form.control, name })
  const [thisYear] = useState(() => malaysianYear(serverNow()))
  const error = form.formState.errors[name]?.day?.message
  const instantMs = instantOf(parts)
  const years = range(Math.min(thisYear, Number(parts.year) || thisYear), thisYear + AUCTION_YEARS_MAX)
  const options: Record<keyof MomentParts, readonly { value: number; label: string }[]> = {
    day: range(1, 31).map(plain),
    month: range(1, 12).map((month) => ({ value: month, label: monthName(month) })),
    year: years.map(plain),
    hour: range(0, 23).map(twoDigits),
    minute: range(0, 59).map(twoDigits),
    second: range(0, 59).map(twoDigits),
  }
  const changed = { onChange: () => void (form.formState.isSubmitted && form.trigger(name)) }
  return (
    <Fieldset aria-describedby={below}>
      <Legend>{legend}</Legend>
      {quick}
      <Parts>
        {(Object.keys(options) as (keyof MomentParts)[]).map((part) => (
          <Part key={part}>
            <span>{t(`sell.parts.${part}`)}</span>
            <Select
              {...form.register(`${name}.${part}`, changed)}
              defaultValue={parts[part]}
              aria-invalid={error ? true : undefined}
              aria-describedby={error ? below : undefined}
            >
              {options[part].map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          </Part>
        ))}
      </Parts>
      <Below id={below} $wrong={Boolean(error)} role={error ? 'alert' : undefined}>
        {error ??
          (instantMs === null
            ? t('sell.momentUnknown')
            : t('sell.momentHelp', { moment: formatFullMoment(new Date(instantMs).toISOString()) }))}
      </Below>
      {note}
    </Fieldset>
  )
}

function plain(value: number) {
  return { value, label: String(value) }
}

function twoDigits(value: number) {
  return { value, label: String(value).padStart(2, '0') }
}

const Parts = styled.div`
  display: grid;
  grid-template-columns: minmax(0, 2fr) minmax(0, 3fr) minmax(0, 2fr);
  gap: ${space(3)};
`

const Part = styled.label`
  display: grid;
  gap: ${space(1)};
  min-width: 0;
  color: ${color.muted};
  font-size: ${text.small};
  select { color: ${color.ink}; font-variant-numeric: tabular-nums; }
`

const Below = styled.p<{ $wrong: boolean }>`
  margin-top: ${space(2)};
  color: ${({ $wrong }) => ($wrong ? color.live : color.muted)};
  font-size: ${text.small};
`
