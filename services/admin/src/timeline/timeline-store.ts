import { type Executor, IdRow, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** The newest auctions of a listing. */
export function listAuctionIds(executor: Executor, productId: number, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from auctions where product_id = ${productId} order by id desc limit ${limit}`)
}

/** The newest orders of a listing. */
export function listOrderIds(executor: Executor, productId: number, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from orders where product_id = ${productId} order by placed_at desc, id desc limit ${limit}`)
}

const UsernameRow = z.object({ id: z.number(), username: z.string().nullable() })

/** The usernames of these people; somebody of whom identity has not told has none here. */
export async function usernamesOf(
  executor: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  const rows = await executor.any(sql.type(UsernameRow)`
    select user_id as id, username from known_people where user_id = any (${sql.array([...new Set(userIds)], 'int8')})`)
  return new Map(rows.map(({ id, username }) => [id, username]))
}
