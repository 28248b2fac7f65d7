import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'
import { z } from 'zod'

/** What messaging knows of other services' people and products, and whom people do not want to hear of. */

const StandingRow = z.object({
  userId: z.number(),
  isBanned: z.boolean(),
  isClosed: z.boolean(),
  registeredAt: z.string().nullable(),
})
export type StandingRow = z.infer<typeof StandingRow>

/** Those of these people who are known. */
export async function listStandings(executor: Executor, userIds: readonly number[]): Promise<readonly StandingRow[]> {
  return executor.any(sql.type(StandingRow)`
    select user_id as "userId", is_banned as "isBanned", is_closed as "isClosed", registered_at as "registeredAt"
      from known_people where user_id = any (${sql.array([...userIds], 'int8')})`)
}

const ErasedRow = z.object({ isErased: z.boolean() })

/** Whether one of these people is erased. Who is being erased just now is waited for, or waits until the transaction ends. */
export async function isAnyErased(transaction: Transaction, userIds: readonly number[]): Promise<boolean> {
  const erased = await transaction.anyFirst(sql.type(ErasedRow)`
    select is_erased as "isErased" from known_people
     where user_id = any (${sql.array([...userIds], 'int8')}) order by user_id for share`)
  return erased.includes(true)
}

export async function isBlocked(executor: Executor, userId: number, blockedId: number): Promise<boolean> {
  return executor.exists(sql.unsafe`select from blocks where user_id = ${userId} and blocked_id = ${blockedId}`)
}

export async function insertBlock(executor: Executor, userId: number, blockedId: number): Promise<void> {
  await executor.query(sql.unsafe`
    insert into blocks (user_id, blocked_id) values (${userId}, ${blockedId}) on conflict do nothing`)
}

export async function deleteBlock(executor: Executor, userId: number, blockedId: number): Promise<void> {
  await executor.query(sql.unsafe`delete from blocks where user_id = ${userId} and blocked_id = ${blockedId}`)
}

const idOf = ({ productId }: { readonly productId: number }) => productId

export interface ProductFacts {
  readonly productId: number
  readonly name: string
  readonly priceSen: number
  readonly imageUrl: string | null
}

/** Of each the last one. */
export async function saveProducts(executor: Executor, products: readonly ProductFacts[]): Promise<void> {
  await executor.query(sql.unsafe`
    insert into products (id, name, price_sen, given_image_url)
    select "productId", name, "priceSen", "imageUrl"
      from jsonb_to_recordset(${JSON.stringify(lastOfEach(products, idOf))}::jsonb)
             as said ("productId" bigint, name text, "priceSen" bigint, "imageUrl" text)
     order by "productId"
    on conflict (id) do update
       set name = excluded.name, price_sen = excluded.price_sen, given_image_url = excluded.given_image_url`)
}

/** As catalogue says it before its event has come; what the events say is not touched. */
export async function saveProductUnlessKnown(executor: Executor, product: ProductFacts): Promise<void> {
  await executor.query(sql.unsafe`
    insert into products (id, name, price_sen, given_image_url)
    values (${product.productId}, ${product.name}, ${product.priceSen}, ${product.imageUrl})
    on conflict (id) do nothing`)
}

/** The pictures that lead; of each product the last one. */
export async function setPictures(
  executor: Executor,
  pictures: readonly { readonly productId: number; readonly picture: string | null }[],
): Promise<void> {
  await executor.query(sql.unsafe`
    update products
       set picture = said.picture
      from jsonb_to_recordset(${JSON.stringify(lastOfEach(pictures, idOf))}::jsonb)
             as said ("productId" bigint, picture text)
     where id = said."productId"`)
}

/** Whether all bottles are sold; one may be in stock again. */
export async function setSoldOut(
  executor: Executor,
  products: readonly { readonly productId: number; readonly stockQuantity: number }[],
): Promise<void> {
  const said = lastOfEach(products, idOf).map(({ productId, stockQuantity }) => ({ productId, stockQuantity }))
  await executor.query(sql.unsafe`
    update products
       set is_sold_out = said."stockQuantity" = 0
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("productId" bigint, "stockQuantity" integer)
     where id = said."productId"`)
}

/** They stay so, whatever is told again, or only now of one that nothing else was heard of. */
export async function setRemoved(executor: Executor, productIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    insert into products (id, name, price_sen, is_removed)
    select distinct unnest(${sql.array([...productIds], 'int8')}), '', 0, true order by 1
    on conflict (id) do update set is_removed = true`)
}

const NamedProductRow = z.object({ name: z.string(), isRemoved: z.boolean() })

export async function findProduct(
  executor: Executor,
  productId: number,
): Promise<{ readonly name: string; readonly isRemoved: boolean } | null> {
  return executor.maybeOne(sql.prepared('product', NamedProductRow)`
    select name, is_removed as "isRemoved" from products where id = ${productId}`)
}
