import { z } from 'zod'
import { defineEvent, type EventOf, type PublishedEventOf } from './definition.ts'
import { id, instant } from './fields.ts'

/** What everybody may know of somebody, as it stands when it is told. */
const person = z.object({
  username: z.string(),
  shopName: z.string(),
  location: z.string().nullable(),
  bio: z.string().nullable(),
  profileImage: z.string().nullable(),
  coverPhoto: z.string().nullable(),
})

/**
 * Filled in as the event leaves identity and `null` for somebody who is gone: the log itself holds no personal data, so there is nothing
 * in it to erase.
 */
const added = z.object({ person: person.nullable().default(null) })

/** What happened to people. The stream is `user-<id>`. */
export const identityEvents = {
  UserRegistered: defineEvent({
    data: z.object({ userId: id, isSeller: z.boolean(), isAdmin: z.boolean(), registeredAt: instant }),
    added,
  }),
  EmailVerified: defineEvent({ data: z.object({ userId: id, verifiedAt: instant }) }),
  /** Something of what everybody may know has changed. */
  ProfileUpdated: defineEvent({ data: z.object({ userId: id, updatedAt: instant }), added }),
  /** Why is personal, and in a table of identity. */
  UserBanned: defineEvent({
    version: 2,
    data: z.object({ userId: id, bannedAt: instant }),
    upcasts: { 1: ({ reason: _, ...data }) => data },
  }),
  UserUnbanned: defineEvent({ data: z.object({ userId: id, unbannedAt: instant }) }),
  /** By another administrator, like the next one. Why is personal, and in a table of identity. */
  AdministratorAppointed: defineEvent({ data: z.object({ userId: id, appointedAt: instant }) }),
  AdministratorDismissed: defineEvent({ data: z.object({ userId: id, dismissedAt: instant }) }),
  /** Sessions were ended: all others by a new password, or the one of which an old refresh token was used again. */
  SessionRevoked: defineEvent({
    data: z.object({ userId: id, reason: z.enum(['password-changed', 'token-reused']), revokedAt: instant }),
    isPrivate: true,
  }),
  /** From now on a password is not enough to sign in: the person has an authenticator app. Told of the first one. */
  SecondFactorAdded: defineEvent({ data: z.object({ userId: id, addedAt: instant }) }),
  /** A password is enough again. Why an administrator did it is personal, and in a table of identity. */
  SecondFactorRemoved: defineEvent({
    data: z.object({ userId: id, by: z.enum(['self', 'admin']), removedAt: instant }),
  }),
  /** The person asked to be deleted: hidden from now on, erased later. */
  AccountClosed: defineEvent({ data: z.object({ userId: id, closedAt: instant }) }),
  /** Support has brought a closed account back in time. */
  AccountReopened: defineEvent({ data: z.object({ userId: id, reopenedAt: instant }), added }),
  /** Nothing personal is left in identity; whoever holds something of this person drops it now. */
  UserErased: defineEvent({ data: z.object({ userId: id, erasedAt: instant }) }),
} as const
export type IdentityEvent = EventOf<typeof identityEvents>
export type PublishedIdentityEvent = PublishedEventOf<typeof identityEvents>
