import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** When products were in the first places, and what it brought. */

/** Begins a boost, or makes the one that is under way longer. */
export async function saveBoost(
  transaction: Transaction,
  feature: { readonly productId: number; readonly featuredAt: string; readonly featuredUntil: string },
): Promise<void> {
  const { productId, featuredAt, featuredUntil } = feature
  const { rowCount } = await transaction.query(sql.unsafe`
    update boosts set ends_at = ${featuredUntil} where product_id = ${productId} and not is_over`)
  if (rowCount > 0) return
  await transaction.query(sql.unsafe`
    insert into boosts (product_id, began_at, ends_at) values (${productId}, ${featuredAt}, ${featuredUntil})
    on conflict (product_id, began_at) do update set ends_at = excluded.ends_at, is_over = false`)
}

export async function endBoost(transaction: Transaction, productId: number, at: string): Promise<void> {
  await transaction.query(sql.unsafe`
    update boosts set ends_at = ${at}, is_over = true where product_id = ${productId} and not is_over`)
}

const BoostRow = z.object({
  productId: z.number(),
  name: z.string(),
  imageUrl: z.string().nullable(),
  isRemoved: z.boolean(),
  beganAt: z.string(),
  endsAt: z.string(),
  isOver: z.boolean(),
  days: z.number(),
  viewsBefore: z.number(),
  contactsBefore: z.number(),
  viewsDuring: z.number(),
  contactsDuring: z.number(),
})

/** What a product had by the evening before a day; the rows of days hold what there was up to them. */
const upTo = (day: ReturnType<typeof sql.fragment>) => sql.fragment`lateral (
  select coalesce(max(views), 0) as views, coalesce(max(messages), 0) as messages
    from (select views, messages from product_days where product_id = b.product_id and day < ${day} order by day desc limit 1) d)`

/**
 * The boosts of a seller's listings, the latest first, with what there was on their days and on as many days before them.
 * @param today the Malaysian day, to which a boost that goes on is counted
 */
export function listBoosts(executor: Executor, sellerId: number, today: string, limit: number) {
  return executor.any(sql.type(BoostRow)`
    select b.product_id as "productId", p.name, coalesce(p.images -> 0 ->> 'imageUrl', p.image_url) as "imageUrl",
           p.status = 'archived' as "isRemoved", b.began_at as "beganAt", b.ends_at as "endsAt", b.is_over or b.ends_at <= now() as "isOver", days,
           began.views - earlier.views as "viewsBefore", began.messages - earlier.messages as "contactsBefore",
           ended.views - began.views as "viewsDuring", ended.messages - began.messages as "contactsDuring"
      from products p
           join boosts b on b.product_id = p.id,
           lateral (select (b.began_at at time zone 'Asia/Kuala_Lumpur')::date as first_day) f,
           lateral (select greatest(least((b.ends_at at time zone 'Asia/Kuala_Lumpur')::date, ${today}::date) - first_day, 0) + 1 as days) l,
           ${upTo(sql.fragment`first_day - days`)} earlier,
           ${upTo(sql.fragment`first_day`)} began,
           ${upTo(sql.fragment`first_day + days`)} ended
     where p.seller_id = ${sellerId}
     order by b.began_at desc, b.product_id desc
     limit ${limit}`)
}
