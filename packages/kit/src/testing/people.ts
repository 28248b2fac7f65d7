import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import type { PublicPerson } from '@wangian/contracts/identity.ts'
import type { DatabasePool } from '../database/postgres.ts'
import { peopleHandlers } from '../people/known-people.ts'
import { react } from './react.ts'

const at = '2026-11-21T08:00:00.000Z'

/** Somebody of whom nothing is known but the name, as identity's events tell of them. */
export function testPerson(username: string): PublicPerson {
  return { username, shopName: username, location: null, bio: null, profileImage: null, coverPhoto: null }
}

/** Has identity tell of somebody, these events being the first of the person's stream, or those from that version on. */
export async function tellOfPerson(
  pool: DatabasePool,
  told: PublishedIdentityEvent | readonly PublishedIdentityEvent[],
  { version = 1, bulkHandlers = peopleHandlers as object } = {},
): Promise<void> {
  for (const [index, event] of [told].flat().entries()) {
    const stream = `user-${(event as PublishedIdentityEvent).data.userId}`
    const envelope = { id: '0193a000-0000-7000-8000-000000000001', stream, version: version + index, at, metadata: {} }
    await react(pool, { bulkHandlers }, { ...envelope, ...(event as PublishedIdentityEvent) })
  }
}

export function registeredAs(userId: number, username: string, isSeller = true): PublishedIdentityEvent {
  return {
    type: 'UserRegistered',
    data: { userId, isSeller, isAdmin: false, registeredAt: at, person: testPerson(username) },
  }
}

export const verifiedEmail = (userId: number): PublishedIdentityEvent => ({
  type: 'EmailVerified',
  data: { userId, verifiedAt: at },
})
