const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

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

/** The time left as cards say it: `2d 4h`, `3h 5m`, `12m`, `< 1m`. */
export function formatTimeLeft(durationMs: number): string {
  const days = Math.floor(durationMs / DAY_MS)
  const hours = Math.floor((durationMs % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((durationMs % HOUR_MS) / MINUTE_MS)
  if (days > 0) return `${days}d ${hours}h`
  if (hours > 0) return `${hours}h ${minutes}m`
  if (minutes > 0) return `${minutes}m`
  return '< 1m'
}

/** The time left in the least room: `2d 4h`, `3:05:09`, `12:30`. */
export function formatClock(durationMs: number): string {
  const { days, hours, minutes, seconds } = splitDuration(durationMs)
  if (days > 0) return `${days}d ${hours}h`
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const minutesAndSeconds = `${hours > 0 ? twoDigits(minutes) : minutes}:${twoDigits(seconds)}`
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds
}
