import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Complete } from '@wangian/kit/log/published-events.ts'
import { z } from 'zod'
import { listPublicPeople } from '../store.ts'

const aboutPeople = new Set(['UserRegistered', 'ProfileUpdated', 'AccountReopened'])
const Data = z.object({ userId: z.number() })

/** Adds to the events that say so what everybody may know of their person, which is in no log. */
export function completeWithPeople(pool: DatabasePool): Complete {
  return async (events) => {
    const userIdOf = new Map(
      events.flatMap(({ id, type, data }) =>
        aboutPeople.has(type) ? [[id, Data.parse(JSON.parse(data)).userId] as const] : [],
      ),
    )
    if (userIdOf.size === 0) return new Map()
    const people = await listPublicPeople(pool, [...new Set(userIdOf.values())])
    return new Map([...userIdOf].map(([id, userId]) => [id, { person: people.get(userId) ?? null }]))
  }
}
