import { z } from 'zod'

/** An instant as ISO 8601 in UTC, e.g. `2026-11-21T08:00:00.000Z`. */
export const Instant = z.iso.datetime({ offset: true })

/** A session of the product lasts this long before its token must be renewed, in seconds. */
export const APP_TOKEN_TTL_S = 15 * 60
