import { openPool, sql } from '@wangian/kit/database/postgres.ts'

/**
 * Makes what a running system has stored older, as if that time had passed; its own timers find what is due then. For tests only: it writes
 * into the tables and the log of services.
 */
export interface MovedTime {
  /** The bill was made so many minutes earlier. */
  ageBill(billId: string, minutes: number): Promise<void>
  /** The boost of a product ends now. */
  endBoost(productId: number): Promise<void>
  close(): Promise<void>
}

/** @param adminDatabaseUrl of the database of all services */
export async function moveTimeOf(adminDatabaseUrl: string): Promise<MovedTime> {
  const pool = await openPool({ url: adminDatabaseUrl, applicationName: 'moved-time', connectionsMax: 1 })
  return {
    async ageBill(billId, minutes) {
      await pool.query(sql.unsafe`
        update boost.bill_checks set made_at = made_at - make_interval(mins => ${minutes}) where bill_id = ${billId}`)
    },
    async endBoost(productId) {
      const now = new Date().toISOString()
      await pool.query(sql.unsafe`
        update catalogue.events set data = data || jsonb_build_object('featuredUntil', ${now}::text)
         where stream = ${`listing-${productId}`} and type = 'ListingFeatured'`)
      await pool.query(sql.unsafe`update catalogue.products set featured_until = ${now} where id = ${productId}`)
    },
    close: () => pool.end(),
  }
}
