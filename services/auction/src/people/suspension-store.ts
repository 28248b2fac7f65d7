import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const ChangeRow = z.object({ userId: z.number(), isSuspended: z.boolean(), sinceMs: z.number() })
const NowRow = z.object({ nowMs: z.number() })

/**
 * What changed since then, or everybody who is suspended, and the database's clock before it was read. Since when somebody is suspended may not
 * be known of an earlier time: then it was long ago.
 */
export async function listSuspensions(
  executor: Executor,
  sinceMs: number | null,
): Promise<{ readonly changes: readonly z.infer<typeof ChangeRow>[]; readonly nowMs: number }> {
  const nowMs = await executor.oneFirst(
    sql.type(NowRow)`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  )
  const changes = await executor.any(sql.type(ChangeRow)`
    select user_id as "userId", is_banned or is_closed as "isSuspended",
           coalesce(extract(epoch from least(banned_at, closed_at)) * 1000, 0)::float8 as "sinceMs"
      from known_people
     where ${
       sinceMs === null
         ? sql.fragment`is_banned or is_closed`
         : sql.fragment`suspension_changed_at >= to_timestamp(${sinceMs}::float8 / 1000)`
     }`)
  return { changes, nowMs }
}
