import { z } from 'zod'

/** What stored events are made of: plain types, for what was accepted once is read for ever, whatever is accepted later. */

export const id = z.int()
export const count = z.int()
/** An amount of money in sen. */
export const sen = z.int()
/** ISO 8601. */
export const instant = z.string()
