import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { identityReactions } from '../reactions.ts'

const at = '2026-11-21T08:00:00.000Z'

/** Has identity tell of somebody, these events being the first of the person's stream. */
export async function tellOfPerson(pool: DatabasePool, ...events: readonly PublishedIdentityEvent[]): Promise<void> {
  for (const [index, event] of events.entries()) {
    const stream = `user-${event.data.userId}`
    const envelope = { id: '0193a000-0000-7000-8000-000000000001', stream, version: index + 1, at, metadata: {} }
    await react(pool, identityReactions, { ...envelope, ...event })
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
