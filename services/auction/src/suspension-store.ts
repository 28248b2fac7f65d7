import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** @param version of the event in the person's stream */
export async function saveBan(
  executor: Executor,
  ban: { readonly userId: number; readonly isBanned: boolean; readonly version: number },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into suspended_people as known (user_id, is_banned, ban_version)
    values (${ban.userId}, ${ban.isBanned}, ${ban.version})
    on conflict (user_id) do update
       set is_banned = excluded.is_banned, ban_version = excluded.ban_version, changed_at = clock_timestamp()
     where known.ban_version < excluded.ban_version`)
}

export async function saveClosed(executor: Executor, userId: number, isClosed: boolean): Promise<void> {
  await executor.query(sql.unsafe`
    insert into suspended_people (user_id, is_closed) values (${userId}, ${isClosed})
    on conflict (user_id) do update set is_closed = excluded.is_closed, changed_at = clock_timestamp()`)
}

const ChangeRow = z.object({ userId: z.number(), isSuspended: z.boolean() })
const NowRow = z.object({ nowMs: z.number() })

/** What changed since then, or everybody, and the database's clock before it was read. */
export async function listSuspensions(
  executor: Executor,
  sinceMs: number | null,
): Promise<{ readonly changes: readonly z.infer<typeof ChangeRow>[]; readonly nowMs: number }> {
  const nowMs = await executor.oneFirst(
    sql.type(NowRow)`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  )
  const changes = await executor.any(sql.type(ChangeRow)`
    select user_id as "userId", is_banned or is_closed as "isSuspended"
      from suspended_people
     where ${sinceMs}::float8 is null or changed_at >= to_timestamp(${sinceMs}::float8 / 1000)`)
  return { changes, nowMs }
}
