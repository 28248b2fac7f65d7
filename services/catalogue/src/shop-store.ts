import { PublicPerson } from '@wangian/contracts/identity.ts'
import { type Executor, sql } from '@wangian/kit/postgres.ts'
import { z } from 'zod'

/** What the page of a shop reads. */

const ShopRow = PublicPerson.extend({
  id: z.number(),
  isSeller: z.boolean(),
  isEmailVerified: z.boolean(),
  createdAt: z.string(),
  productCount: z.number(),
})
export type ShopRow = z.infer<typeof ShopRow>

/** Somebody whom everybody may see: neither banned nor gone. */
export function findShop(executor: Executor, sellerId: number): Promise<ShopRow | null> {
  return executor.maybeOne(sql.type(ShopRow)`
    select s.user_id as id, s.username, s.shop_name as "shopName", s.location, s.bio, s.profile_image as "profileImage",
           s.cover_photo as "coverPhoto", s.is_seller as "isSeller", s.is_email_verified as "isEmailVerified",
           s.registered_at as "createdAt",
           (select count(*) from products p
             where p.seller_id = s.user_id and p.status in ('active', 'featured') and p.stock_quantity > 0) as "productCount"
      from sellers s
     where s.user_id = ${sellerId} and s.registered_at is not null and s.shop_name is not null
       and not exists (select from hidden_sellers h where h.user_id = s.user_id and (h.is_banned or h.is_closed))`)
}
