import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const UserIdRow = z.object({ userId: z.number() })

/** People with sessions that nobody has refreshed since, so many at most. */
export function listPeopleWithIdleSessions(
  executor: Executor,
  refreshedBefore: string,
  limit: number,
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select distinct user_id as "userId" from sessions where refreshed_at < ${refreshedBefore} limit ${limit}`)
}
