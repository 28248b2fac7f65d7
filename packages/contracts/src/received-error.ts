import { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** What browsers say themselves; every other sentence comes with the answer, so they do not load it. */
export const ownErrors = {
  'bad-request': { status: 400, message: 'The request is not valid.' },
  'account-suspended': { status: 403, message: 'Account suspended' },
  internal: { status: 500, message: 'Something went wrong on our side. Please try again.' },
  unavailable: { status: 503, message: 'This is not available right now. Please try again in a moment.' },
} as const

/** The body of a failed answer for whoever reads it. A code that only a newer server knows is taken, too: its message is as good. */
export const ReceivedError = z.object({
  message: z.string(),
  code: z.custom<ErrorCode>((code) => typeof code === 'string'),
  requestId: z.string(),
  details: z.unknown().optional(),
})
export type ReceivedError = z.infer<typeof ReceivedError>
