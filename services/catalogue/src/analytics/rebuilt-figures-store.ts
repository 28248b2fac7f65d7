import { sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import type { Figure } from './figures-store.ts'

/**
 * Figures are in the same rows as what they are figures of, and are from several logs and from what is in no log. These statements are run at
 * the end of a rebuild: a table that is made anew is called by its name alone, and the real one with its schema.
 */

type Table = ReturnType<typeof sql.identifier>

const rebuiltProducts = sql.identifier(['products'])
/** The products while something else is made anew. */
export const realProducts = sql.identifier(['catalogue', 'products'])
const figures: readonly Figure[] = ['views', 'favorites', 'messages', 'bids']

/** Gives products that were made again from the log the figures that other tables have of them. */
export async function restoreFigures(transaction: Transaction): Promise<void> {
  await restoreSales(transaction, rebuiltProducts)
  await transaction.query(sql.unsafe`
    update products p set favorite_count = f.count
      from (select product_id, count(*) as count from favorites group by product_id) f
     where p.id = f.product_id`)
  await transaction.query(sql.unsafe`
    update products p set view_count = d.views
      from (select distinct on (product_id) product_id, views from product_days order by product_id, day desc) d
     where p.id = d.product_id and d.views <> 0`)
}

/** What orders and reviews say of products. */
export async function restoreSales(transaction: Transaction, products: Table): Promise<void> {
  await transaction.query(sql.unsafe`
    with figures as (
      select id, coalesce(o.count, 0) as sales, coalesce(r.count, 0) as reviews, r.average
        from ${products}
             left join (select product_id as id, count(*) as count
                          from orders where status in ('processing', 'shipped', 'delivered') group by 1) o using (id)
             left join (select product_id as id, count(*) as count, avg(rating) as average
                          from reviews group by 1) r using (id)
    )
    update ${products} p
       set sales_count = f.sales, review_count = f.reviews, average_rating = f.average
      from figures f
     where p.id = f.id
       and (p.sales_count, p.review_count, p.average_rating) is distinct from (f.sales, f.reviews, f.average::numeric(3, 2))`)
}

/** Days of which one figure was counted again take the others over as they are. */
export async function keepOtherDays(transaction: Transaction, counted: Figure): Promise<void> {
  const others = figures.filter((figure) => figure !== counted)
  const columns = (of: readonly Figure[], table?: string) =>
    sql.join(
      of.map((figure) => sql.identifier(table === undefined ? [figure] : [table, figure])),
      sql.fragment`, `,
    )
  const orZero = (of: readonly Figure[], table: string) =>
    sql.join(
      of.map((figure) => sql.fragment`coalesce(${sql.identifier([table, figure])}, 0)`),
      sql.fragment`, `,
    )
  await transaction.query(sql.unsafe`
    insert into product_days (product_id, day, ${columns(figures)})
    select real.product_id, real.day,
           ${sql.join(
             figures.map((figure) =>
               figure === counted
                 ? sql.fragment`coalesce(before.${sql.identifier([figure])}, 0)`
                 : sql.identifier(['real', figure]),
             ),
             sql.fragment`, `,
           )}
      from catalogue.product_days real
           left join lateral (select * from product_days d where d.product_id = real.product_id and d.day < real.day
                               order by d.day desc limit 1) before on true
    on conflict (product_id, day) do nothing`)
  await transaction.query(sql.unsafe`
    update product_days d
       set (${columns(others)}) = (select ${orZero(others, 'real')}
                                     from (select) here
                                          left join lateral (select * from catalogue.product_days known
                                                              where known.product_id = d.product_id and known.day <= d.day
                                                              order by known.day desc limit 1) real on true)`)
  await transaction.query(sql.unsafe`
    insert into seller_days (seller_id, day) select seller_id, day from catalogue.seller_days
    on conflict (seller_id, day) do nothing`)
  await transaction.query(sql.unsafe`
    update seller_days d set (${columns(others)}) = (${columns(others, 'real')})
      from catalogue.seller_days real
     where (real.seller_id, real.day) = (d.seller_id, d.day)`)
}
