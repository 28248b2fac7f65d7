import { type Executor, sql } from '@wangian/kit/database/postgres.ts'

/** Deletes up to `countMax` sessions that nobody has refreshed since. */
export async function deleteIdleSessions(executor: Executor, refreshedBefore: string, countMax: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from sessions where id in (
      select id from sessions where refreshed_at < ${refreshedBefore} limit ${countMax} for update skip locked)`)
}
