/** Malaysia is eight hours ahead all year. */
const OFFSET_MS = 8 * 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/** The day that it is in Malaysia, `2026-11-22`. */
export function malaysianDay(nowMs: number): string {
  return new Date(nowMs + OFFSET_MS).toISOString().slice(0, 10)
}

/** The last so many days, today being the last one. */
export function lastMalaysianDays(nowMs: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => malaysianDay(nowMs - (count - 1 - index) * DAY_MS))
}
