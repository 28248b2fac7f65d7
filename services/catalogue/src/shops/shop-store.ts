import { PublicPerson } from '@wangian/contracts/identity.ts'
import type { SellerProductSort, SellerProductStatus } from '@wangian/contracts/shop.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { ProductVersion, productVersion } from '../store.ts'

/** What the page of a shop reads. */

const ShopRow = PublicPerson.extend({
  id: z.number(),
  isSeller: z.boolean(),
  isEmailVerified: z.boolean(),
  createdAt: z.string(),
  productCount: z.number(),
  averageRating: z.number().nullable(),
  reviewCount: z.number(),
  /** Orders whose payment the seller has confirmed, but for those that were cancelled after all. */
  soldCount: z.number(),
  deliveredCount: z.number(),
})
export type ShopRow = z.infer<typeof ShopRow>

/** Somebody whom everybody may see: neither banned nor gone. */
const isShown = sql.fragment`
  s.registered_at is not null and s.shop_name is not null and not (s.is_banned or s.is_closed)`

/** What is on a tab. Listed without stock is for sale, as in all lists; its page says that it is out of stock. */
const statusConditions = {
  featured: sql.fragment`p.status in ('active', 'featured') and p.is_featured`,
  active: sql.fragment`p.status in ('active', 'featured')`,
  sold: sql.fragment`p.status = 'sold'`,
} as const satisfies Record<SellerProductStatus, unknown>

export function findShop(executor: Executor, sellerId: number): Promise<ShopRow | null> {
  return executor.maybeOne(sql.type(ShopRow)`
    select s.user_id as id, s.username, s.shop_name as "shopName", s.location, s.bio, s.profile_image as "profileImage",
           s.cover_photo as "coverPhoto", s.is_seller as "isSeller", s.is_email_verified as "isEmailVerified",
           s.registered_at as "createdAt",
           (select count(*) from products p
             where p.seller_id = s.user_id and ${statusConditions.active}) as "productCount",
           r.average as "averageRating", r.count as "reviewCount",
           o.sold as "soldCount", o.delivered as "deliveredCount"
      from known_people s,
           lateral (select round(avg(rating), 2) as average, count(*) as count from reviews where seller_id = s.user_id) r,
           lateral (select count(*) filter (where status <> 'cancelled') as sold,
                           count(*) filter (where status = 'delivered') as delivered
                      from orders where seller_id = s.user_id and paid_at is not null) o
     where s.user_id = ${sellerId} and ${isShown}`)
}

const orders = {
  popular: sql.fragment`p.popularity desc, p.id desc`,
  rating: sql.fragment`coalesce(p.average_rating, 0) desc, p.review_count desc, p.id desc`,
  'price-asc': sql.fragment`p.current_price_sen, p.id`,
  'price-desc': sql.fragment`p.current_price_sen desc, p.id desc`,
} as const satisfies Record<SellerProductSort, unknown>

const ShopPageRow = z.object({ total: z.number(), products: z.array(ProductVersion) })

/** A page of what somebody sells or has sold, and how much that is on all pages; `null` when nobody may see them. */
export function findShopPage(
  executor: Executor,
  sellerId: number,
  { status, sort, limit, offset }: ShopPageAsked,
): Promise<z.infer<typeof ShopPageRow> | null> {
  const isListed = sql.fragment`p.seller_id = s.user_id and ${statusConditions[status]}`
  // The ids come from an index alone: what is on the pages before is not looked at.
  return executor.maybeOne(sql.prepared(`shop-page-${status}-${sort}`, ShopPageRow)`
    select (select count(*) from products p where ${isListed}) as total,
           (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'version', ${productVersion}) order by page.place), '[]')
              from unnest(array(select p.id from products p
                                 where ${isListed} order by ${orders[sort]} limit ${limit} offset ${offset}))
                     with ordinality as page (id, place)
                   join products p on p.id = page.id) as products
      from known_people s
     where s.user_id = ${sellerId} and ${isShown}`)
}

interface ShopPageAsked {
  readonly status: SellerProductStatus
  readonly sort: SellerProductSort
  readonly limit: number
  readonly offset: number
}

const ReviewRow = z.object({
  id: z.number(),
  rating: z.number(),
  comment: z.string().nullable(),
  createdAt: z.string(),
  buyerId: z.number(),
  username: z.string().nullable(),
  profileImage: z.string().nullable(),
  productId: z.number(),
  productName: z.string(),
  isRemoved: z.boolean(),
})
export type ReviewRow = z.infer<typeof ReviewRow>

/** Where a page of reviews begins: behind this one. */
export interface ReviewPlace {
  readonly createdAt: string
  readonly id: number
}

const reviewColumns = sql.fragment`
  r.id, r.rating, r.comment, r.submitted_at as "createdAt", r.buyer_id as "buyerId", s.username,
  s.profile_image as "profileImage", r.product_id as "productId", r.product_name as "productName",
  exists (select from products p where p.id = r.product_id and p.status = 'archived') as "isRemoved"`

/** What buyers said of a product, the newest first. */
export function listProductReviews(
  executor: Executor,
  productId: number,
  limit: number,
): Promise<readonly ReviewRow[]> {
  return executor.any(sql.prepared('product-reviews', ReviewRow)`
    select ${reviewColumns}
      from reviews r left join known_people s on s.user_id = r.buyer_id
     where r.product_id = ${productId}
     order by r.submitted_at desc, r.id desc
     limit ${limit}`)
}

/** What buyers said of somebody, the newest first. */
export function listReviews(
  executor: Executor,
  sellerId: number,
  page: { readonly limit: number; readonly after: ReviewPlace | null },
): Promise<readonly ReviewRow[]> {
  const { after } = page
  const isAfter =
    after === null
      ? sql.fragment`true`
      : sql.fragment`(r.submitted_at, r.id) < (${after.createdAt}::timestamptz, ${after.id})`
  return executor.any(sql.type(ReviewRow)`
    select ${reviewColumns}
      from reviews r left join known_people s on s.user_id = r.buyer_id
     where r.seller_id = ${sellerId} and ${isAfter}
     order by r.submitted_at desc, r.id desc
     limit ${page.limit}`)
}

const VoiceRow = ReviewRow.extend({ sellerId: z.number(), shopName: z.string() })
export type VoiceRow = z.infer<typeof VoiceRow>

/** The newest good reviews, of shops that everybody may see and by people who are still here. The numbers are those of the index `reviews_voices`. */
export function listVoices(executor: Executor, limit: number): Promise<readonly VoiceRow[]> {
  return executor.any(sql.type(VoiceRow)`
    select ${reviewColumns}, r.seller_id as "sellerId", seller.shop_name as "shopName"
      from reviews r
           join known_people s on s.user_id = r.buyer_id and s.username is not null
           join known_people seller on seller.user_id = r.seller_id
     where r.rating >= 4 and char_length(r.comment) >= 40
       and exists (select from known_people s where s.user_id = r.seller_id and ${isShown})
     order by r.submitted_at desc, r.id desc
     limit ${limit}`)
}
