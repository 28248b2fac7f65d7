/** The product is in one place with one clock, whatever the visitor's device says. */
const timeZone = 'Asia/Kuala_Lumpur'

const timeOfDay = new Intl.DateTimeFormat('en-MY', {
  timeZone,
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  hour12: true,
})
const dayAndTime = new Intl.DateTimeFormat('en-MY', {
  timeZone,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  hour12: true,
})
const fullDay = new Intl.DateTimeFormat('en-MY', { timeZone, day: 'numeric', month: 'long', year: 'numeric' })
const fullMoment = new Intl.DateTimeFormat('en-MY', {
  timeZone,
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  hour12: true,
})
const month = new Intl.DateTimeFormat('en-MY', { timeZone: 'UTC', month: 'long' })
const year = new Intl.DateTimeFormat('en-MY', { timeZone, year: 'numeric' })
const day = new Intl.DateTimeFormat('en-MY', { timeZone, day: 'numeric', month: 'short' })

const calendarDay = new Intl.DateTimeFormat('en-MY', { timeZone: 'UTC', day: 'numeric', month: 'short' })
const messageTime = new Intl.DateTimeFormat('en-US', {
  timeZone,
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  hour12: true,
})

/** `Nov 21, 5:03 PM`; `null` for what is no instant. */
export function formatMessageTime(instant: string): string | null {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return null
  const parts = Object.fromEntries(messageTime.formatToParts(date).map(({ type, value }) => [type, value]))
  return `${parts['month']} ${parts['day']}, ${parts['hour']}:${parts['minute']} ${parts['dayPeriod']}`
}

/** `5:03:22 pm`, with the day in front when that is not `now`'s. Both are instants. */
export function formatMoment(instant: string, now: number): string {
  const date = new Date(instant)
  const time = timeOfDay.format(date)
  return day.format(date) === day.format(now) ? time : `${day.format(date)}, ${time}`
}

/** `21 November 2026`. */
export function formatDay(instant: string): string {
  return fullDay.format(new Date(instant))
}

/** `2026`. */
export function yearOf(instant: string): string {
  return year.format(new Date(instant))
}

/** `21 Nov 2026, 5:03 pm`. */
export function formatDateTime(instant: string): string {
  return dayAndTime.format(new Date(instant))
}

/** `21 Nov`, of a day that has no time: `2026-11-21`. */
export function formatCalendarDay(date: string): string {
  return calendarDay.format(new Date(`${date}T00:00:00Z`))
}

/** `Saturday, 28 November 2026 at 4:00:00 pm`. */
export function formatFullMoment(instant: string): string {
  return fullMoment.format(new Date(instant))
}

/** `November` for 11. */
export function monthName(number: number): string {
  return month.format(Date.UTC(2026, number - 1, 1))
}
