import { CountRow, type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

interface Pair {
  readonly sellerId: number
  readonly buyerId: number
}

interface Offer extends Pair {
  readonly transactionId: number
}

/**
 * Notes that an offer is mailed.
 * @returns false when another one was within `hours` before, or has been since: then nothing was noted
 */
export async function noteOffer(
  executor: Executor,
  { sellerId, buyerId, transactionId }: Offer,
  { at, hours }: { readonly at: string; readonly hours: number },
): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    insert into deal_pairs as known (seller_id, buyer_id, offered_id, offered_at)
    values (${sellerId}, ${buyerId}, ${transactionId}, ${at})
    on conflict (seller_id, buyer_id) do update
      set offered_id = excluded.offered_id, offered_at = excluded.offered_at
      where known.offered_at is null or known.offered_at <= excluded.offered_at - make_interval(hours => ${hours})
    returning true`)
  return rowCount > 0
}

/** How many sellers of whom a buyer has bought nothing had an offer mailed to them within `hours` before. */
export function countStrangersOffering(
  executor: Executor,
  buyerId: number,
  { at, hours }: { readonly at: string; readonly hours: number },
): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    select count(*) from deal_pairs
     where buyer_id = ${buyerId} and not has_bought
       and offered_at > ${at}::timestamptz - make_interval(hours => ${hours})`)
}

const ExistsRow = z.object({ exists: z.boolean() })

/** Whether this was the last offer that was mailed, and the buyer has had it for some `minutes`. */
export function isOfferMailed(
  executor: Executor,
  { sellerId, buyerId, transactionId }: Offer,
  { at, minutes }: { readonly at: string; readonly minutes: number },
): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`
    select exists (
      select from deal_pairs
       where seller_id = ${sellerId} and buyer_id = ${buyerId} and offered_id = ${transactionId}
         and offered_at <= ${at}::timestamptz - make_interval(mins => ${minutes}))`)
}

export async function notePurchase(executor: Executor, { sellerId, buyerId }: Pair): Promise<void> {
  await executor.query(sql.unsafe`
    insert into deal_pairs (seller_id, buyer_id, has_bought) values (${sellerId}, ${buyerId}, true)
    on conflict (seller_id, buyer_id) do update set has_bought = true`)
}

export function hasBought(executor: Executor, { sellerId, buyerId }: Pair): Promise<boolean> {
  return executor.oneFirst(sql.type(ExistsRow)`
    select exists (
      select from deal_pairs where seller_id = ${sellerId} and buyer_id = ${buyerId} and has_bought)`)
}

/** All that is known of what somebody sold and bought. */
export async function deleteDealPairs(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`delete from deal_pairs where seller_id = ${userId} or buyer_id = ${userId}`)
}
