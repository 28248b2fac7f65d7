import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { serveRequests } from '@wangian/kit/bus.ts'
import type { Logger } from '@wangian/kit/log.ts'
import type { NatsConnection } from '@wangian/kit/nats.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { presentProduct } from './presenter.ts'
import { findListing, findProduct } from './store.ts'

/** Answers what other services ask about listings. Archived ones, and those of a seller who is banned or gone, are as if they were not there. */
export function serveListings({
  nats,
  pool,
  log,
}: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log?: Logger
}): { stop(): Promise<void> } {
  const options = log === undefined ? {} : { log }
  const servers = [
    serveRequests(
      nats,
      'catalogue',
      catalogueRequests.getListing,
      async ({ productId }) => {
        const row = await findListing(pool, productId)
        if (row === null || row.status === 'archived' || row.isSellerHidden) return { listing: null }
        const { images, status: _, isSellerHidden: __, ...facts } = row
        return { listing: { ...facts, imageUrls: images.map(({ imageUrl }) => imageUrl) } }
      },
      options,
    ),
    serveRequests(
      nats,
      'catalogue',
      catalogueRequests.getProduct,
      async ({ productId }) => {
        const row = await findProduct(pool, productId)
        const isThere = row !== null && row.status !== 'archived' && !row.isSellerHidden
        return { product: isThere ? presentProduct(row) : null }
      },
      options,
    ),
  ]
  return {
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}
