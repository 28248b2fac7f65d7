import type { catalogueEvents } from '@wangian/contracts/events/catalogue.ts'
import type { StoredData } from '@wangian/contracts/events/definition.ts'
import { CountRow, type Executor, sql } from '@wangian/kit/database/postgres.ts'

/** What the events after the first one do to a product's row. */

type Facts<Type extends keyof typeof catalogueEvents> = StoredData<(typeof catalogueEvents)[Type]>

export async function updateProduct(executor: Executor, facts: Facts<'ListingUpdated'>): Promise<void> {
  await executor.query(sql.unsafe`
    update products
       set name = ${facts.name}, brand = ${facts.brand}, description = ${facts.description}, price_sen = ${facts.priceSen},
           category_id = ${facts.categoryId}, listing_type = ${facts.listingType}, stock_quantity = ${facts.stockQuantity},
           remaining_percentage = ${facts.remainingPercentage}, batch_code = ${facts.batchCode},
           purchase_year = ${facts.purchaseYear}, box_condition = ${facts.boxCondition}, volume_ml = ${facts.volumeMl},
           is_new = ${facts.isNew}, image_url = ${facts.imageUrl}, updated_at = ${facts.updatedAt}
     where id = ${facts.productId}`)
}

export async function deleteProduct(executor: Executor, productId: number, deletedAt: string): Promise<void> {
  await executor.query(sql.unsafe`
    update products
       set status = 'archived', deleted_at = ${deletedAt}, is_featured = false, featured_at = null, featured_until = null,
           boost_package_id = null
     where id = ${productId}`)
}

export async function featureProduct(executor: Executor, feature: Facts<'ListingFeatured'>): Promise<void> {
  await executor.query(sql.unsafe`
    update products
       set is_featured = true, featured_at = ${feature.featuredAt}, featured_until = ${feature.featuredUntil},
           boost_package_id = ${feature.packageId}
     where id = ${feature.productId}`)
}

export async function unfeatureProduct(executor: Executor, productId: number): Promise<void> {
  await executor.query(sql.unsafe`
    update products
       set is_featured = false, featured_at = null, featured_until = null, boost_package_id = null
     where id = ${productId}`)
}

/**
 * Writes the prices of products whose auction has another one than lists have, the longest known first. Rows that somebody holds are left for
 * the next time: it waits for nobody.
 * @returns how many it looked at
 */
export async function writeStalePrices(executor: Executor, productsMax: number): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    with due as (
      select product_id from stale_prices order by since limit ${productsMax} for update skip locked
    ), free as (
      select p.id from products p where p.id in (select product_id from due) for no key update skip locked
    ), gone as (
      select product_id from due where not exists (select from products p where p.id = due.product_id)
    ), noted as (
      delete from stale_prices where product_id in (select id from free union all select product_id from gone)
    ), written as (
      -- Its trigger knows the price.
      update products p set current_price_sen = 0 from free where p.id = free.id
    )
    select count(*)::integer as count from due`)
}
