import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { PlaceRow, type Some } from '@wangian/kit/people/erased-words.ts'

/** What sellers wrote, and what was written about them and their winners, once one of them is erased. What a listing is, what it cost and who had it stays. */

const wordsOfListings = sql.fragment`
  (type in ('ListingCreated', 'ListingUpdated') and data ->> 'description' <> ''
   or type = 'ListingReleased' and data ->> 'note' is not null
   or type = 'ListingRemoved' and data ->> 'reason' is not null)`

/** Of the next listing of a seller, and of so many of its events: a seller may have changed it very often. @returns as `BlankSome` */
export function blankListings(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  return executor.oneFirst(sql.type(PlaceRow)`
    with listing as materialized (
      select id from products where seller_id = ${userId} and id > ${afterId} order by id limit 1
    ), page as materialized (
      select stream, version from events
       where stream = (select 'listing-' || id from listing) and ${wordsOfListings}
       order by version limit ${limit}
    ), blanked as (
      update events e
         set data = case type when 'ListingReleased' then data - 'note'
                              when 'ListingRemoved' then data || '{"reason": null}'
                              else data || '{"description": ""}' end
        from page where (e.stream, e.version) = (page.stream, page.version)
    ), shown as (
      update products set description = '' where id = (select id from listing) and description <> ''
    )
    select case when (select count(*) from page) < ${limit} then (select id from listing)
                else (select id - 1 from listing) end as id`)
}

/** Notes on somebody who had won, by the places of their events in the log. @returns as `BlankSome` */
export function blankNotesOnWinner(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select stream, version, position from events
       where type = 'ListingReleased' and data ->> 'note' is not null and (data ->> 'buyerId')::bigint = ${userId}
         and position > ${afterId}
       order by position limit ${limit}
    ), blanked as (
      update events e set data = data - 'note' from page where (e.stream, e.version) = (page.stream, page.version)
    )
    select max(position) as id from page`)
}

/** At the end of a rebuild, which may have read descriptions that were blanked meanwhile. */
export async function dropDescriptionsOfErased(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`
    update products p set description = ''
      from known_people k
     where k.user_id = p.seller_id and k.is_erased and p.description <> ''`)
}
