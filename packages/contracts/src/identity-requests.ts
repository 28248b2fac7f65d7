import { z } from 'zod'
import { UserId } from './ids.ts'
import { RevocationReason } from './revocations.ts'

/** One page of ended sessions. */
export const REVOCATIONS_PER_PAGE = 1000

const Revocation = z.object({
  /** In the order of their numbers; one that is committed late may come after a higher one. */
  id: z.int().positive(),
  sessionId: z.string(),
  userId: UserId,
  reason: RevocationReason,
  revokedAt: z.iso.datetime(),
})

/** Questions and commands that identity answers on the bus. */
export const identityRequests = {
  /** The sessions that ended lately, numbered above `afterId`. A full page means that there are more. */
  listRevocations: {
    name: 'list-revocations',
    body: z.object({ afterId: z.int().nonnegative() }),
    answer: z.object({
      revocations: z.array(Revocation),
      /** Nothing will be added up to this number any more. */
      settledId: z.int().nonnegative(),
    }),
  },
  /** Who pays for something, as the payment provider addresses them; `null` for somebody who has left. */
  getPayer: {
    name: 'get-payer',
    body: z.object({ userId: UserId }),
    answer: z.object({ payer: z.object({ name: z.string(), email: z.string() }).nullable() }),
  },
  /** Bans somebody, which ends all their sessions, or lifts the ban. Only for administrators, and never on one. */
  setBanned: {
    name: 'set-banned',
    body: z.object({
      userId: UserId,
      isBanned: z.boolean(),
      actorId: UserId,
      reason: z.string().trim().min(1).max(500),
      requestId: z.string(),
    }),
    /** Whether anything changed: a repeated command changes nothing. */
    answer: z.object({ hasChanged: z.boolean() }),
  },
} as const
