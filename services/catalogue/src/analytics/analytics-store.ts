import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** What a seller's figures are made of. `firstDay` is a Malaysian day; what happened from then on is counted. */

const counts = { views: z.number(), favorites: z.number(), messages: z.number(), bids: z.number() }
const DayRow = z.object({ date: z.string(), ...counts })

export function listSellerDays(executor: Executor, sellerId: number, firstDay: string) {
  return executor.any(sql.type(DayRow)`
    select day as date, views, favorites, messages, bids
      from seller_days
     where seller_id = ${sellerId} and day >= ${firstDay}::date`)
}

const SalesRow = z.object({ date: z.string(), sales: z.number(), revenueSen: z.number() })

/** An order was paid, at its price, and not cancelled since. */
const paidSince = (sellerId: number, firstDay: string) => sql.fragment`
  seller_id = ${sellerId} and paid_at >= ${firstDay}::timestamp at time zone 'Asia/Kuala_Lumpur' and status <> 'cancelled'`

export function listSalesDays(executor: Executor, sellerId: number, firstDay: string) {
  return executor.any(sql.type(SalesRow)`
    select (paid_at at time zone 'Asia/Kuala_Lumpur')::date as date, count(*) as sales, sum(total_sen) as "revenueSen"
      from orders
     where ${paidSince(sellerId, firstDay)}
     group by 1`)
}

const ListingRow = z.object({
  productId: z.number(),
  name: z.string(),
  imageUrl: z.string().nullable(),
  ...counts,
  sales: z.number(),
})

const imageUrl = sql.fragment`coalesce(p.images -> 0 ->> 'imageUrl', p.image_url)`

/** The listings that are still there, those with the most views first. */
export function listListingFigures(executor: Executor, sellerId: number, firstDay: string, limit: number) {
  return executor.any(sql.type(ListingRow)`
    with sold as (
      select product_id, count(*) as sales from orders where ${paidSince(sellerId, firstDay)} group by product_id
    ), shown as materialized (
      select p.id, coalesce(n.views, 0) - coalesce(b.views, 0) as views,
             coalesce(n.favorites, 0) - coalesce(b.favorites, 0) as favorites,
             coalesce(n.messages, 0) - coalesce(b.messages, 0) as messages,
             coalesce(n.bids, 0) - coalesce(b.bids, 0) as bids, coalesce(s.sales, 0) as sales
        from products p
             left join lateral (select * from product_days d where d.product_id = p.id
                                 order by d.day desc limit 1) n on true
             left join lateral (select * from product_days d where d.product_id = p.id and d.day < ${firstDay}::date
                                 order by d.day desc limit 1) b on true
             left join sold s on s.product_id = p.id
       where p.seller_id = ${sellerId} and p.status <> 'archived'
       order by 2 desc, 3 desc, p.id desc
       limit ${limit}
    )
    select p.id as "productId", p.name, ${imageUrl} as "imageUrl", views, favorites, messages, bids, sales
      from shown join products p using (id)
     order by views desc, favorites desc, p.id desc`)
}

const RatedRow = z.object({
  productId: z.number(),
  name: z.string(),
  imageUrl: z.string().nullable(),
  averageRating: z.number(),
  reviewCount: z.number(),
})

export function listTopRated(executor: Executor, sellerId: number, limit: number) {
  return executor.any(sql.type(RatedRow)`
    select p.id as "productId", p.name, ${imageUrl} as "imageUrl", p.average_rating as "averageRating",
           p.review_count as "reviewCount"
      from products p
     where p.seller_id = ${sellerId} and p.status <> 'archived' and p.review_count > 0
     order by coalesce(p.average_rating, 0) desc, p.review_count desc, p.id desc
     limit ${limit}`)
}
