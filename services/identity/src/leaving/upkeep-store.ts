import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const UserIdRow = z.object({ userId: z.number() })

/** People with sessions that nobody has refreshed since; the ids above `afterId`, in their order. */
export function listPeopleWithIdleSessions(
  executor: Executor,
  wanted: { readonly refreshedBefore: string; readonly afterId: number; readonly limit: number },
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select distinct user_id as "userId" from sessions
     where refreshed_at < ${wanted.refreshedBefore} and user_id > ${wanted.afterId}
     order by user_id
     limit ${wanted.limit}`)
}
