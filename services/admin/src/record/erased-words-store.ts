import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { PlaceRow, type Some } from '@wangian/kit/people/erased-words.ts'
import { z } from 'zod'
import type { Action } from './domain.ts'

/**
 * Why administrators moved orders and removed listings of somebody. It goes with the person, as the reasons do that are with other services; who did what and
 * when stays in the record.
 */

/** Of some orders of somebody. @returns as `BlankSome` */
export function blankOrders(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  const own = (column: string) => sql.fragment`
    (select id from orders where ${sql.identifier([column])} = ${userId} and id > ${afterId} order by id limit ${limit})`
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select id from (${own('buyer_id')} union ${own('seller_id')}) own order by id limit ${limit}
    ), ${blankedOf('order')}
    select max(id) as id from page`)
}

/** Of some listings of somebody. @returns as `BlankSome` */
export function blankListings(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select id from listings where seller_id = ${userId} and id > ${afterId} order by id limit ${limit}
    ), ${blankedOf('listing')}, listed as (
      update listings set removal_reason = null where id in (select id from page) and removal_reason is not null
    )
    select max(id) as id from page`)
}

/** The entries about a `page` of targets, in the log and in the table. */
const blankedOf = (kind: Action['targetKind']) => sql.fragment`
  entries as materialized (
    select id from activity where target_kind = ${kind} and target_id in (select id::text from page)
  ), shown as (
    update activity set reason = null where id in (select id from entries) and reason is not null
  ), blanked as (
    update events set data = data || '{"reason": null}'
     where stream in (select 'admin-action-' || id from entries) and data ->> 'reason' is not null
  )`

const UserIdRow = z.object({ userId: z.number() })

/** Whose order or listing it was, as far as that is known yet. */
export async function listPeopleOf(
  executor: Executor,
  { targetKind, targetId }: Pick<Action, 'targetKind' | 'targetId'>,
): Promise<readonly number[]> {
  switch (targetKind) {
    case 'order':
      return executor.anyFirst(sql.type(UserIdRow)`
        select unnest(array[seller_id, buyer_id]) as "userId" from orders where id = ${targetId}::bigint`)
    case 'listing':
      return executor.anyFirst(sql.type(UserIdRow)`
        select seller_id as "userId" from listings where id = ${targetId}::bigint`)
    default:
      return []
  }
}

/** At the end of a rebuild, which may have read what was blanked meanwhile. */
export async function dropReasonsOfErased(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`
    update activity t set reason = null
     where reason is not null
       and case target_kind
             when 'order' then exists (
               select from orders o join known_people k on k.user_id in (o.buyer_id, o.seller_id)
                where o.id = t.target_id::bigint and k.is_erased)
             when 'listing' then exists (
               select from listings l join known_people k on k.user_id = l.seller_id
                where l.id = t.target_id::bigint and k.is_erased)
             else false
           end`)
}

/** The same of listings. */
export async function dropRemovalReasonsOfErased(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`
    update listings l set removal_reason = null
      from known_people k
     where k.user_id = l.seller_id and k.is_erased and l.removal_reason is not null`)
}
