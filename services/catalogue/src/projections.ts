import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { RecordedEvent } from '@wangian/kit/log/event-store.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { runsOf } from '@wangian/kit/log/runs.ts'
import { noteWordsAbout } from '@wangian/kit/people/erased-words.ts'
import { restoreFigures } from './analytics/rebuilt-figures-store.ts'
import { dropFavoritesOf } from './favorites/favorite-store.ts'
import { endBoost, saveBoost } from './featured/boost-store.ts'
import { releaseBottle, releaseLots, reserveBottles, saveStandings, sellBottle } from './listings/bottle-store.ts'
import { dropDescriptionsOfErased } from './listings/erased-words-store.ts'
import { deleteProduct, featureProduct, unfeatureProduct, updateProduct } from './listings/listing-store.ts'
import { rememberWords } from './search/search-store.ts'
import { insertProduct, lockProducts, setProductImages } from './store.ts'

/** Writes one event of the log into the tables that lists and pages read. */
export async function projectListing(transaction: Transaction, event: CatalogueEvent): Promise<void> {
  switch (event.type) {
    case 'ListingCreated':
      await insertProduct(transaction, event.data)
      return rememberWords(transaction, `${event.data.brand} ${event.data.name}`)
    case 'ListingPicturesChanged':
      return setProductImages(transaction, event.data.productId, event.data.images)
    case 'ListingUpdated':
      await updateProduct(transaction, event.data)
      await saveStandings(transaction, [event.data.productId])
      return rememberWords(transaction, `${event.data.brand} ${event.data.name}`)
    case 'ListingRemoved':
      await deleteProduct(transaction, event.data.productId, event.data.removedAt)
      await endBoost(transaction, event.data.productId, event.data.removedAt)
      await dropFavoritesOf(transaction, event.data.productId)
      if (event.data.reason !== null) await noteWordsAbout(transaction, [event.data.sellerId])
      return
    case 'ListingReserved':
      return reserveBottles(transaction, [event.data])
    case 'ListingReleased':
      await releaseBottle(transaction, event.data)
      if (event.data.note !== undefined) await noteWordsAbout(transaction, [event.data.sellerId, event.data.buyerId])
      return
    case 'ListingSold':
      return sellBottle(transaction, event.data)
    case 'ListingReturned':
      return releaseLots(transaction, [event.data.productId])
    case 'StockLow':
    case 'PriceLowered':
      return
    case 'ListingFeatured':
      await saveBoost(transaction, event.data)
      return featureProduct(transaction, event.data)
    case 'ListingUnfeatured':
      await endBoost(transaction, event.data.productId, event.data.unfeaturedAt)
      return unfeatureProduct(transaction, event.data.productId)
    default:
      return event satisfies never
  }
}

/** Writes events of one or more listings; what many of them say alike is written at once. */
export async function projectListings(
  transaction: Transaction,
  events: readonly (CatalogueEvent & Pick<RecordedEvent, 'stream'>)[],
): Promise<void> {
  const productIds = [...new Set(events.map(({ data }) => data.productId))]
  if (productIds.length > 1) await lockProducts(transaction, productIds)
  for (const { ofType } of runsOf(events)) {
    const reserved = ofType.flatMap((event) => (event.type === 'ListingReserved' ? event.data : []))
    const returned = ofType.flatMap((event) => (event.type === 'ListingReturned' ? event.data.productId : []))
    if (reserved.length > 0) await reserveBottles(transaction, reserved)
    else if (returned.length > 0) await releaseLots(transaction, returned)
    else for (const event of ofType) await projectListing(transaction, event)
  }
}

/** What is for sale, who has bottles of it, when it was featured, and the words that it can be found by. */
export const productsProjection: OwnProjection<'catalogue'> = {
  name: 'products',
  tables: [
    { name: 'products', except: ['current_price_sen', 'auction_end_ms'] },
    { name: 'bottles' },
    { name: 'released_lots' },
    { name: 'search_words' },
    { name: 'boosts' },
  ],
  replay: () => ({ project: projectListing }),
  finish: async (transaction) => {
    await restoreFigures(transaction)
    await dropDescriptionsOfErased(transaction)
  },
}
