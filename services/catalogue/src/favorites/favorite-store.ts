import { FAVORITES_MAX } from '@wangian/contracts/catalogue.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { countOccurrences } from '../analytics/figures-store.ts'
import { isThere, lockProducts, ProductRow, productColumns, productTables } from '../store.ts'

/** What people keep for later. `place` grows with every one that is kept. */

const FavoriteRow = ProductRow.extend({ place: z.number() })
const PlacedRow = z.object({ productId: z.number() })
const KeptRow = z.object({ productId: z.number(), at: z.string() })

const UserIdRow = z.object({ userId: z.number() })

/** Who keeps a product, by their ids. */
export function listFavorers(
  executor: Executor,
  productId: number,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select user_id as "userId" from favorites
     where product_id = ${productId} and user_id > ${afterId}
     order by user_id
     limit ${limit}`)
}

/** A page of the products that somebody keeps, the last one first. */
export function listFavorites(
  executor: Executor,
  userId: number,
  page: { readonly limit: number; readonly beforePlace: number | null },
): Promise<readonly z.infer<typeof FavoriteRow>[]> {
  const isBehind = page.beforePlace === null ? sql.fragment`true` : sql.fragment`f.place < ${page.beforePlace}`
  return executor.any(sql.type(FavoriteRow)`
    select f.place, ${productColumns}
      from favorites f join ${productTables} on p.id = f.product_id
     where f.user_id = ${userId} and ${isThere} and ${isBehind}
     order by f.place desc
     limit ${page.limit}`)
}

export function listFavoriteIds(executor: Executor, userId: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(PlacedRow)`
    select f.product_id as "productId"
      from favorites f join products p on p.id = f.product_id
     where f.user_id = ${userId} and ${isThere}
     order by f.place desc`)
}

/**
 * Keeps those that somebody does not keep yet, as far as they can be seen and there is room.
 * @param productIds the one that is to come first in the list first
 * @returns those that were added
 */
export async function addFavorites(
  transaction: Transaction,
  userId: number,
  productIds: readonly number[],
): Promise<readonly number[]> {
  await lockFavorites(transaction, userId)
  // Whether they can be seen is looked at when nobody is taking them away any more.
  await lockProducts(transaction, productIds)
  const added = await transaction.any(sql.type(KeptRow)`
    with wanted as (
      select id, min(number) as number from unnest(${sql.array(productIds, 'int8')}) with ordinality as w (id, number) group by id
    ), fresh as (
      select p.id, number
        from wanted join products p using (id)
       where ${isThere} and not exists (select from favorites f where f.user_id = ${userId} and f.product_id = p.id)
       order by number
       limit greatest(${FAVORITES_MAX} - (select count(*) from favorites where user_id = ${userId}), 0)
    )
    insert into favorites (user_id, product_id) select ${userId}, id from fresh order by number desc
    returning product_id as "productId", added_at as at`)
  await countFavorites(transaction, added, 1)
  return added.map(({ productId }) => productId)
}

export async function removeFavorites(
  transaction: Transaction,
  userId: number,
  productIds: readonly number[],
): Promise<void> {
  await lockFavorites(transaction, userId)
  await lockProducts(transaction, productIds)
  await remove(transaction, sql.fragment`user_id = ${userId} and product_id = any (${sql.array(productIds, 'int8')})`)
}

/** People who have left: what they kept until then goes. @param leavers.until ISO 8601; `infinity` for who does not come back */
export async function noteLeavers(
  executor: Executor,
  leavers: readonly { readonly userId: number; readonly until: string }[],
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into leaving_keepers as known (user_id, until)
    select "userId", max(until)
      from jsonb_to_recordset(${JSON.stringify(leavers)}::jsonb) as said ("userId" bigint, until timestamptz)
     group by 1
     order by 1
    on conflict (user_id) do update set until = greatest(known.until, excluded.until)`)
}

/** Those of whom something may be left to remove, so many at most. */
export function listLeavers(executor: Executor, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select user_id as "userId" from leaving_keepers order by user_id limit ${limit}`)
}

/** Removes some of what somebody kept until they left. @returns how many */
export async function removeSomeOfLeaver(transaction: Transaction, userId: number, limit: number): Promise<number> {
  const productIds = await transaction.anyFirst(sql.type(PlacedRow)`
    select f.product_id as "productId" from favorites f join leaving_keepers k using (user_id)
     where f.user_id = ${userId} and f.added_at <= k.until
     limit ${limit}`)
  await lockProducts(transaction, productIds)
  await remove(transaction, sql.fragment`user_id = ${userId} and product_id = any (${sql.array(productIds, 'int8')})`)
  return productIds.length
}

/** Unless they left once more, and there is something again. */
export async function forgetLeaver(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from leaving_keepers k
     where k.user_id = ${userId}
       and not exists (select from favorites f where f.user_id = k.user_id and f.added_at <= k.until)`)
}

/** Nobody keeps what is not there any more. */
export async function dropFavoritesOf(transaction: Transaction, productId: number): Promise<void> {
  await remove(transaction, sql.fragment`product_id = ${productId}`)
}

/** One at a time for each person, or two could fill the same room, and one set while it is taken back would seem to have found none. */
async function lockFavorites(transaction: Transaction, userId: number): Promise<void> {
  await transaction.query(sql.unsafe`select pg_advisory_xact_lock(hashtext('favorites'), ${userId % 2 ** 31}::int)`)
}

export function hasFavorite(executor: Executor, userId: number, productId: number): Promise<boolean> {
  return executor.exists(sql.unsafe`
    select from favorites where user_id = ${userId} and product_id = ${productId}`)
}

/** The products are locked: whoever takes a listing away has it before what is kept of it, and two would wait for each other. */
async function remove(transaction: Transaction, which: ReturnType<typeof sql.fragment>): Promise<void> {
  const removed = await transaction.any(sql.type(KeptRow)`
    delete from favorites where ${which} returning product_id as "productId", added_at as at`)
  await countFavorites(transaction, removed, -1)
}

async function countFavorites(
  transaction: Transaction,
  changed: readonly z.infer<typeof KeptRow>[],
  count: 1 | -1,
): Promise<void> {
  if (changed.length === 0) return
  const productIds = changed.map(({ productId }) => productId)
  await transaction.query(sql.unsafe`
    update products p
       set favorite_count = (select count(*) from favorites f where f.product_id = p.id)
     where p.id = any (${sql.array(productIds, 'int8')})`)
  await countOccurrences(
    transaction,
    'favorites',
    changed.map((kept) => ({ ...kept, count })),
  )
}
