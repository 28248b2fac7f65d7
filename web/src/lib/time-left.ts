import { inLanguage } from '../i18n/in-language.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The least room that is still clear: in Malay a single `h` could be a day or an hour. */
export const units = inLanguage((locale, language) => {
  const unitDisplay = language === 'en' ? 'narrow' : 'short'
  const format = (unit: string) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay })
  return { day: format('day'), hour: format('hour'), minute: format('minute') }
})

/** The time left as cards say it: `2d 4h`, `3h 5m`, `12m`, `< 1m`. Apart from `durations.ts` because the first page needs it. */
export function formatTimeLeft(durationMs: number): string {
  const days = Math.floor(durationMs / DAY_MS)
  const hours = Math.floor((durationMs % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((durationMs % HOUR_MS) / MINUTE_MS)
  const { day, hour, minute } = units()
  if (days > 0) return `${day.format(days)} ${hour.format(hours)}`
  if (hours > 0) return `${hour.format(hours)} ${minute.format(minutes)}`
  return minutes > 0 ? minute.format(minutes) : `< ${minute.format(1)}`
}
