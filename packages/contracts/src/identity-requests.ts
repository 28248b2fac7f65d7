import { z } from 'zod'
import { ADMIN_ROWS_MAX, AdminUser, AdminUserDetails, peopleSorts, UserRole, UserStatus } from './admin.ts'
import { UserId } from './ids.ts'
import { RevocationReason } from './revocations.ts'
import { Instant } from './time.ts'

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

/** Where a page of people ends: what the last one is sorted by (`null` by age), and who it is. */
export const PeoplePlace = z.object({ key: z.string().nullable(), id: UserId })
export type PeoplePlace = z.infer<typeof PeoplePlace>

const FindPeople = z.object({
  /** Words, in any case and without accents; `%` and `_` are letters. Fewer than three letters begin a word. Nothing finds everybody. */
  search: z.string().max(100),
  status: UserStatus.nullable(),
  role: UserRole.nullable(),
  sort: z.enum(peopleSorts),
  limit: z.int().min(1).max(ADMIN_ROWS_MAX),
  after: PeoplePlace.nullable(),
})
export type FindPeople = z.infer<typeof FindPeople>

/** At most so many sessions are asked about at once. */
export const SESSIONS_AT_ONCE_MAX = 500

/** At most so many reasons are asked for at once. */
export const REASONS_AT_ONCE_MAX = 500

/** What an administrator does to somebody. */
const moderation = {
  userId: UserId,
  actorId: UserId,
  reason: z.string().trim().min(1).max(500).nullable(),
  requestId: z.string(),
}
/** Whether anything changed: a repeated command changes nothing. */
const Changed = z.object({ hasChanged: z.boolean() })

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
  /** Which of these sessions have ended, however long ago. */
  listEndedSessions: {
    name: 'list-ended-sessions',
    body: z.object({ sessionIds: z.array(z.uuid()).max(SESSIONS_AT_ONCE_MAX) }),
    answer: z.object({ endedIds: z.array(z.uuid()) }),
  },
  /** Those who have an account, as administrators see them. */
  findPeople: {
    name: 'find-people',
    body: FindPeople,
    answer: z.object({
      people: z.array(AdminUser),
      /** Of a search at most one more than `ADMIN_FOUND_COUNTED_MAX`: then there are more than that. */
      total: z.int().min(0),
      /** Where the next page begins; `null` when there is none. */
      next: PeoplePlace.nullable(),
    }),
  },
  /** All that is known of somebody; `null` for somebody who is not, or not any more. */
  getPerson: {
    name: 'get-person',
    body: z.object({ userId: UserId }),
    answer: z.object({ person: AdminUserDetails.nullable() }),
  },
  /** Whether somebody may administer now, whatever a token says. */
  getAdministrator: {
    name: 'get-administrator',
    body: z.object({ userId: UserId }),
    answer: z.object({ isAdministrator: z.boolean() }),
  },
  /** Why administrators did what they did to these people at these moments; what is not known, or not any more, is missing. */
  listReasons: {
    name: 'list-reasons',
    body: z.object({ moments: z.array(z.object({ userId: UserId, at: Instant })).max(REASONS_AT_ONCE_MAX) }),
    answer: z.object({ reasons: z.array(z.object({ userId: UserId, at: Instant, reason: z.string() })) }),
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
    body: z.object({ ...moderation, isBanned: z.boolean() }),
    answer: Changed,
  },
  /** Appoints an administrator or dismisses one, who is signed out. Only for administrators, and never on oneself. */
  setAdministrator: {
    name: 'set-administrator',
    body: z.object({ ...moderation, isAdmin: z.boolean() }),
    answer: Changed,
  },
  /**
   * Takes somebody's second factor off, who has lost it: all their sessions end, and a password is enough again. Only for administrators,
   * and never on oneself.
   */
  removeFactors: {
    name: 'remove-factors',
    body: z.object(moderation),
    answer: Changed,
  },
} as const
