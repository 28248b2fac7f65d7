import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const Claim = z.object({ part: z.number(), epoch: z.number() })

/**
 * Takes up to `limit` partitions that nobody holds, or that this very instance held before it was restarted, each under its next epoch.
 * Rows that somebody else is just taking are left to him.
 */
export async function claimFree(
  executor: Executor,
  instance: string,
  held: readonly number[],
  limit: number,
  leaseTtlMs: number,
): Promise<Map<number, number>> {
  const rows = await executor.any(sql.type(Claim)`
    with free as (
      select part from partition_leases
      where (expires_at < clock_timestamp() or owner = ${instance})
        and not part = any (${sql.array(held, 'int2')})
      order by part
      limit ${limit}
      for update skip locked
    )
    update partition_leases lease
    set owner = ${instance}, epoch = lease.epoch + 1,
      expires_at = clock_timestamp() + ${leaseTtlMs}::float8 * interval '1 millisecond'
    from free
    where lease.part = free.part
    returning lease.part::int as part, lease.epoch as epoch
  `)
  return new Map(rows.map((row) => [row.part, row.epoch]))
}

/** Gives partitions up so that another process can take them at once. */
export async function release(
  executor: Executor,
  instance: string,
  epochs: ReadonlyMap<number, number>,
): Promise<void> {
  await executor.query(sql.unsafe`
    update partition_leases lease
    set owner = null, expires_at = '-infinity'
    from unnest(${sql.array([...epochs.keys()], 'int2')}, ${sql.array([...epochs.values()], 'int8')}) as held (part, epoch)
    where lease.part = held.part and lease.epoch = held.epoch and lease.owner = ${instance}
  `)
}

const Alive = z.object({ owners: z.number(), nowMs: z.number() })

/** Says that this process is alive; answers how many are, itself included, and the database's clock in epoch ms. */
export async function reportAlive(
  executor: Executor,
  instance: string,
  aliveWithinMs: number,
): Promise<{ owners: number; nowMs: number }> {
  return executor.one(sql.type(Alive)`
    with me as (
      insert into owners (instance, seen_at) values (${instance}, clock_timestamp())
      on conflict (instance) do update set seen_at = excluded.seen_at
      returning instance
    )
    select 1 + (
      select count(*)::int from owners
      where instance <> ${instance} and seen_at > clock_timestamp() - ${aliveWithinMs}::float8 * interval '1 millisecond'
    ) as "owners", (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"
    from me
  `)
}

/** This process is leaving: the others may take its share. */
export async function reportGone(executor: Executor, instance: string): Promise<void> {
  await executor.query(sql.unsafe`delete from owners where instance = ${instance}`)
}
