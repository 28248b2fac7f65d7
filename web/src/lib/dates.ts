import type { Language } from '@wangian/contracts/languages.ts'
import { inLanguage } from '../i18n/in-language.ts'
import { timeZone } from './date-time.ts'

const formats = inLanguage((locale, language) => {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const minutes = { hour: 'numeric', minute: '2-digit', hour12: true } as const
  return {
    timeOfDay: format({ ...minutes, second: '2-digit' }),
    fullDay: format({ day: 'numeric', month: 'long', year: 'numeric' }),
    fullMoment: format({
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      ...minutes,
      second: '2-digit',
    }),
    month: format({ timeZone: 'UTC', month: 'long' }),
    year: format({ year: 'numeric' }),
    day: format({ day: 'numeric', month: 'short' }),
    calendarDay: format({ timeZone: 'UTC', day: 'numeric', month: 'short' }),
    messageTime: messageTimes[language](format({ month: 'short', day: 'numeric', ...minutes })),
  }
})

/** English messages have the month in front, which only American English has by itself. */
const messageTimes: Record<Language, (own: Intl.DateTimeFormat) => (date: Date) => string> = {
  en: () => {
    const american = new Intl.DateTimeFormat('en-US', {
      timeZone,
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      hour12: true,
    })
    return (date) => {
      const parts = Object.fromEntries(american.formatToParts(date).map(({ type, value }) => [type, value]))
      return `${parts['month']} ${parts['day']}, ${parts['hour']}:${parts['minute']} ${parts['dayPeriod']}`
    }
  },
  ms: (own) => (date) => own.format(date),
}

/** `Nov 21, 5:03 PM`; `null` for what is no instant. */
export function formatMessageTime(instant: string): string | null {
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? null : formats().messageTime(date)
}

/** `5:03:22 pm`, with the day in front when that is not `now`'s. Both are instants. */
export function formatMoment(instant: string, now: number): string {
  const { day, timeOfDay } = formats()
  const date = new Date(instant)
  const time = timeOfDay.format(date)
  return day.format(date) === day.format(now) ? time : `${day.format(date)}, ${time}`
}

/** `21 November 2026`, of an instant or of a day. */
export function formatDay(instant: string): string {
  return formats().fullDay.format(new Date(instant))
}

/** `2026`. */
export function yearOf(instant: string): string {
  return formats().year.format(new Date(instant))
}

/** `21 Nov`, of a day that has no time: `2026-11-21`. */
export function formatCalendarDay(date: string): string {
  return formats().calendarDay.format(new Date(`${date}T00:00:00Z`))
}

/** `Saturday, 28 November 2026 at 4:00:00 pm`. */
export function formatFullMoment(instant: string): string {
  return formats().fullMoment.format(new Date(instant))
}

/** `November` for 11. */
export function monthName(number: number): string {
  return formats().month.format(Date.UTC(2026, number - 1, 1))
}
