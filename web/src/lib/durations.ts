import { DAY_MS, HOUR_MS, MINUTE_MS, units } from './time-left.ts'

const SECOND_MS = 1000

export interface Duration {
  readonly days: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
}

/** Splits milliseconds into whole parts, rounded up to the second, so that a countdown shows 0 only when it is over. */
export function splitDuration(durationMs: number): Duration {
  const total = Math.max(0, Math.ceil(durationMs / SECOND_MS)) * SECOND_MS
  return {
    days: Math.floor(total / DAY_MS),
    hours: Math.floor((total % DAY_MS) / HOUR_MS),
    minutes: Math.floor((total % HOUR_MS) / MINUTE_MS),
    seconds: Math.floor((total % MINUTE_MS) / SECOND_MS),
  }
}

/** The time left in the least room: `2d 4h`, `3:05:09`, `12:30`. */
export function formatClock(durationMs: number): string {
  const { days, hours, minutes, seconds } = splitDuration(durationMs)
  if (days > 0) return `${units().day.format(days)} ${units().hour.format(hours)}`
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const minutesAndSeconds = `${hours > 0 ? twoDigits(minutes) : minutes}:${twoDigits(seconds)}`
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds
}
