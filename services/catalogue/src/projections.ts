import type { CatalogueEvent } from '@wangian/contracts/catalogue.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/postgres.ts'
import { rebuildProjection } from '@wangian/kit/projector.ts'
import { insertProduct, setProductImages } from './store.ts'

/** Writes one event of the log into the tables that lists and pages read. */
export async function projectListing(transaction: Transaction, event: CatalogueEvent): Promise<void> {
  switch (event.type) {
    case 'ListingCreated':
      return insertProduct(transaction, event.data)
    case 'ListingPicturesChanged':
      return setProductImages(transaction, event.data.productId, event.data.images)
    default:
      return event satisfies never
  }
}

/** Empties `products` and fills it from the log. @returns how many events were replayed */
export async function rebuildProducts(pool: DatabasePool): Promise<number> {
  return rebuildProjection<CatalogueEvent>({ pool, tables: ['products'], project: projectListing })
}
