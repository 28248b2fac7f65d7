import { CountRow, type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** Who watches which auctions: those who say so, and those who have bid and do not say otherwise. */

const WatchRow = z.object({ isWatching: z.boolean() })

/** `null` for an auction that is not known. */
export async function findWatch(executor: Executor, userId: number, auctionId: number): Promise<boolean | null> {
  return executor.maybeOneFirst(sql.type(WatchRow)`
    select coalesce(
             (select is_watching from auction_watches where auction_id = a.id and user_id = ${userId}),
             exists (select from auction_bidders where auction_id = a.id and user_id = ${userId})) as "isWatching"
      from auctions a where a.id = ${auctionId}`)
}

export async function saveWatch(
  executor: Executor,
  watch: { readonly userId: number; readonly auctionId: number; readonly isWatching: boolean; readonly at: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into auction_watches as known (user_id, auction_id, is_watching, since)
    values (${watch.userId}, ${watch.auctionId}, ${watch.isWatching}, ${watch.at})
    on conflict (auction_id, user_id) do update set is_watching = excluded.is_watching, since = excluded.since
     where known.is_watching <> excluded.is_watching`)
}

/** How many auctions that go on somebody says they watch. */
export async function countWatches(executor: Executor, userId: number): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    select count(*) from auction_watches w join auctions a on a.id = w.auction_id
     where w.user_id = ${userId} and w.is_watching and a.outcome is null`)
}

/** Of people who are erased nothing is kept. */
export async function deleteWatchesOf(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    delete from auction_watches where user_id = any (${sql.array([...userIds], 'int8')})`)
}

const EndingRow = z.object({ auctionId: z.number(), productId: z.number() })

/**
 * Auctions that end before `until` and whose watchers were not told of that end, so many at most; they count as told from now on. Those of which
 * something is just being written are left for the next time.
 */
export async function takeEnding(
  executor: Executor,
  { now, until, limit }: { readonly now: string; readonly until: string; readonly limit: number },
): Promise<readonly z.infer<typeof EndingRow>[]> {
  return executor.any(sql.type(EndingRow)`
    with ending as (
      select id from auctions
       where outcome is null and ends_at > ${now} and ends_at <= ${until} and told_ends_at is distinct from ends_at
       order by id
       limit ${limit}
         for update skip locked
    )
    update auctions a set told_ends_at = a.ends_at from ending where a.id = ending.id
    returning a.id as "auctionId", a.product_id as "productId"`)
}
