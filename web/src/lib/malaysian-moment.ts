/** A moment as six fields of a form, in Malaysian time. All are digits without a zero in front; `month` counts from 1. */
export interface MomentParts {
  day: string
  month: string
  year: string
  hour: string
  minute: string
  second: string
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Malaysia keeps one offset all year. */
const offsetMs = 8 * 60 * MINUTE_MS
const defaultDays = 7

/** An instant as its fields. */
export function partsOf(instantMs: number): MomentParts {
  const date = new Date(instantMs + offsetMs)
  return {
    day: String(date.getUTCDate()),
    month: String(date.getUTCMonth() + 1),
    year: String(date.getUTCFullYear()),
    hour: String(date.getUTCHours()),
    minute: String(date.getUTCMinutes()),
    second: String(date.getUTCSeconds()),
  }
}

/** The instant of the fields; `null` when one is empty, or there is no such day, such as 31 February. */
export function instantOf(parts: MomentParts): number | null {
  const [year, month, day, hour, minute, second] = [
    parts.year,
    parts.month,
    parts.day,
    parts.hour,
    parts.minute,
    parts.second,
  ].map((part) => (part === '' ? Number.NaN : Number(part))) as [number, number, number, number, number, number]
  const instantMs = Date.UTC(year, month - 1, day, hour, minute, second) - offsetMs
  if (Number.isNaN(instantMs)) return null
  const read = partsOf(instantMs)
  return Number(read.day) === day && Number(read.month) === month && Number(read.hour) === hour ? instantMs : null
}

/** How many days a month has. */
export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The year that it is in Malaysia. */
export function malaysianYear(instantMs: number): number {
  return Number(partsOf(instantMs).year)
}

/** So many days ahead, at the full minute. */
export function daysAhead(nowMs: number, days = defaultDays): MomentParts {
  return partsOf(Math.floor((nowMs + days * DAY_MS) / MINUTE_MS) * MINUTE_MS)
}
