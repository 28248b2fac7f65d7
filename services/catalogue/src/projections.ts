import type { CatalogueEvent } from '@wangian/contracts/catalogue.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/postgres.ts'
import { rebuildProjection } from '@wangian/kit/projector.ts'
import { rememberWords } from './search-store.ts'
import { insertProduct, setProductImages } from './store.ts'

/** Writes one event of the log into the tables that lists and pages read. */
export async function projectListing(transaction: Transaction, event: CatalogueEvent): Promise<void> {
  switch (event.type) {
    case 'ListingCreated':
      await insertProduct(transaction, event.data)
      return rememberWords(transaction, `${event.data.brand} ${event.data.name}`)
    case 'ListingPicturesChanged':
      return setProductImages(transaction, event.data.productId, event.data.images)
    default:
      return event satisfies never
  }
}

/** Empties `products` and its words, and fills them from the log. @returns how many events were replayed */
export async function rebuildProducts(pool: DatabasePool): Promise<number> {
  return rebuildProjection<CatalogueEvent>({ pool, tables: ['products', 'search_words'], project: projectListing })
}
