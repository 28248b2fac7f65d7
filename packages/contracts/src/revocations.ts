import { z } from 'zod'
import { UserId } from './ids.ts'

/** Why sessions ended before their tokens did. */
export const RevocationReason = z.enum(['signed-out', 'banned', 'closed', 'password-changed', 'token-reused'])
export type RevocationReason = z.infer<typeof RevocationReason>

/** Told to everybody as soon as sessions have ended; see `identityRequests.listRevocations` for what was missed. */
export const SESSIONS_REVOKED_SUBJECT = 'identity.revoked'

export const SessionsRevoked = z.object({
  userId: UserId,
  sessionIds: z.array(z.string()),
  reason: RevocationReason,
})
export type SessionsRevoked = z.infer<typeof SessionsRevoked>

/** An ended session is remembered for this long: longer than any application token of it can be good. */
export const REVOCATION_MEMORY_MS = 20 * 60 * 1000
