import { z } from 'zod'

/** Longer than any instant is written, with the decimals of a second and an offset. */
const INSTANT_LENGTH_MAX = 40
/** Instants are of these years, in UTC. Postgres has no year 0, and JavaScript writes a year of five digits as Postgres does not read it. */
const EARLIEST_MS = Date.UTC(1970, 0, 1)
const TOO_LATE_MS = Date.UTC(10_000, 0, 1)
const instantMessage = 'Please enter a valid date'

/** An instant as ISO 8601 in UTC, e.g. `2026-11-21T08:00:00.000Z`, of the years 1970 to 9999. */
export const Instant = z.iso
  .datetime({ offset: true, error: instantMessage })
  .max(INSTANT_LENGTH_MAX, instantMessage)
  .refine((text) => {
    const atMs = Date.parse(text)
    return atMs >= EARLIEST_MS && atMs < TOO_LATE_MS
  }, instantMessage)

/** A session of the product lasts this long before its token must be renewed, in seconds. */
export const APP_TOKEN_TTL_S = 15 * 60
