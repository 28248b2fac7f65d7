import type { PublicPerson } from '@wangian/contracts/identity.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** What messaging knows of other services' people and products, and whom people do not want to hear of. */

const StandingRow = z.object({ userId: z.number(), isBanned: z.boolean(), isClosed: z.boolean() })
export type StandingRow = z.infer<typeof StandingRow>

/** Those of these people who are known. */
export async function listStandings(executor: Executor, userIds: readonly number[]): Promise<readonly StandingRow[]> {
  return executor.any(sql.type(StandingRow)`
    select user_id as "userId", is_banned as "isBanned", is_closed as "isClosed"
      from people where user_id = any (${sql.array([...userIds], 'int8')})`)
}

/** Somebody's name as their token says it, where identity has not told anything of them yet. */
export async function rememberPerson(executor: Executor, userId: number, username: string): Promise<void> {
  await executor.query(sql.unsafe`
    insert into people (user_id, username) values (${userId}, ${username}) on conflict (user_id) do nothing`)
}

export async function savePerson(
  executor: Executor,
  userId: number,
  { username, profileImage }: Pick<PublicPerson, 'username' | 'profileImage'>,
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into people (user_id, username, profile_image) values (${userId}, ${username}, ${profileImage})
    on conflict (user_id) do update
       set username = excluded.username, profile_image = excluded.profile_image, is_closed = false`)
}

/** What is left of somebody who has deleted their account: that there was somebody. */
export async function clearPerson(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`
    insert into people (user_id, is_closed) values (${userId}, true)
    on conflict (user_id) do update set username = null, profile_image = null, is_closed = true`)
}

export async function setErased(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`update people set is_erased = true where user_id = ${userId}`)
}

/** A ban or its end; an older event than the one that is known changes nothing. */
export async function saveBan(
  executor: Executor,
  { userId, isBanned, version }: { readonly userId: number; readonly isBanned: boolean; readonly version: number },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into people as p (user_id, username, is_banned, ban_version)
    values (${userId}, ${nameWithoutIdentity(userId)}, ${isBanned}, ${version})
    on conflict (user_id) do update set is_banned = excluded.is_banned, ban_version = excluded.ban_version
     where p.ban_version < excluded.ban_version`)
}

/** Of somebody of whom only a ban is known yet. */
function nameWithoutIdentity(userId: number): string {
  return `User ${userId}`
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

export interface ProductFacts {
  readonly productId: number
  readonly name: string
  readonly priceSen: number
  readonly imageUrl: string | null
}

export async function saveProduct(executor: Executor, product: ProductFacts): Promise<void> {
  await executor.query(sql.unsafe`
    insert into products (id, name, price_sen, given_image_url)
    values (${product.productId}, ${product.name}, ${product.priceSen}, ${product.imageUrl})
    on conflict (id) do update
       set name = excluded.name, price_sen = excluded.price_sen, given_image_url = excluded.given_image_url`)
}

/** The picture that leads. */
export async function setPicture(executor: Executor, productId: number, picture: string | null): Promise<void> {
  await executor.query(sql.unsafe`update products set picture = ${picture} where id = ${productId}`)
}

/** It stays so, whatever is told again. */
export async function setRemoved(executor: Executor, productId: number): Promise<void> {
  await executor.query(sql.unsafe`update products set is_removed = true where id = ${productId}`)
}

export async function isProductRemoved(executor: Executor, productId: number): Promise<boolean> {
  return executor.exists(sql.unsafe`select from products where id = ${productId} and is_removed`)
}

export async function findProductName(executor: Executor, productId: number): Promise<string | null> {
  return executor.maybeOneFirst(
    sql.type(z.object({ name: z.string() }))`select name from products where id = ${productId}`,
  )
}
