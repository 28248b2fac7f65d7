import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { projectListing } from '../projections.ts'
import { generatedListing } from './generated-listing.ts'
import { appendCreated, drawProductIds, refreshStatistics } from './generator-store.ts'

const CHUNK = 500

/** Lists so many made-up bottles, through the log like all others. */
export async function generateListings(
  pool: DatabasePool,
  count: number,
  onProgress: (made: number) => void = () => {},
): Promise<void> {
  const productIds = await drawProductIds(pool, count)
  for (let start = 0; start < count; start += CHUNK) {
    const listings = productIds
      .slice(start, start + CHUNK)
      .map((productId, offset) => generatedListing(productId, start + offset, count))
    await pool.transaction(async (transaction) => {
      await appendCreated(transaction, listings)
      for (const data of listings) await projectListing(transaction, { type: 'ListingCreated', data })
    })
    onProgress(start + listings.length)
  }
  await refreshStatistics(pool)
}
