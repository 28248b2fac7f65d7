import { catalogueRequests, FAVORERS_AT_ONCE_MAX } from '@wangian/contracts/catalogue.ts'
import { shopRequests } from '@wangian/contracts/shop.ts'
import { createRequestServer } from '@wangian/kit/bus/requests.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { listFavorers } from './favorites/favorite-store.ts'
import { isReleasedLot } from './listings/bottle-store.ts'
import { dealTerms, releaseLot, reserveBottle } from './listings/bottles.ts'
import { presentProduct } from './listings/presenter.ts'
import { removeListing } from './listings/removal.ts'
import { changeListing, type SellingDependencies } from './listings/selling-routes.ts'
import { listShown } from './listings/shown-store.ts'
import { presentSeller } from './shops/shop-routes.ts'
import { findShop } from './shops/shop-store.ts'
import { findListing, findProduct, findProductOfAuction, type ProductRow } from './store.ts'

/** Answers what other services ask about listings, changes one for its seller, and keeps a bottle for a deal. Archived ones, and those of a seller who is banned or gone, are as if they were not there. */
export function serveListings(dependencies: SellingDependencies & { readonly log?: Logger }): {
  stop(): Promise<void>
} {
  const { nats, pool, log } = dependencies
  const shown = (row: ProductRow | null) => {
    const isThere = row !== null && row.status !== 'archived' && !row.isSellerHidden
    return { product: isThere ? presentProduct(row) : null }
  }
  const requests = createRequestServer(nats, 'catalogue', log)
  requests.answer(catalogueRequests.listFavorers, async ({ productId, afterId }) => {
    return { userIds: [...(await listFavorers(pool, productId, { afterId, limit: FAVORERS_AT_ONCE_MAX }))] }
  })
  requests.answer(catalogueRequests.getListing, async ({ productId }) => {
    const row = await findListing(pool, productId)
    if (row === null || row.status === 'archived' || row.isSellerHidden) return { listing: null }
    const { images, isSellerHidden: _, ...facts } = row
    return { listing: { ...facts, imageUrls: images.map(({ imageUrl }) => imageUrl) } }
  })
  requests.answer(catalogueRequests.changeListing, async (change) => {
    await changeListing(dependencies, change)
    return {}
  })
  requests.answer(catalogueRequests.getDealTerms, async ({ productId }) => ({
    terms: await dealTerms(dependencies, productId),
  }))
  requests.answer(catalogueRequests.reserveBottle, async (deal) => {
    await reserveBottle(dependencies, deal)
    return {}
  })
  requests.answer(catalogueRequests.releaseLot, async (lot) => {
    await releaseLot(dependencies, lot)
    return {}
  })
  requests.answer(catalogueRequests.removeListing, async (removal) => ({
    hasChanged: await removeListing(dependencies, removal),
  }))
  requests.answer(catalogueRequests.getProduct, async ({ productId, auctionId }) => ({
    ...shown(await findProduct(pool, productId)),
    ...(auctionId !== undefined && { isLotReleased: await isReleasedLot(pool, auctionId) }),
  }))
  requests.answer(catalogueRequests.getProductOfAuction, async ({ auctionId }) =>
    shown(await findProductOfAuction(pool, auctionId)),
  )
  requests.answer(shopRequests.getShop, async ({ sellerId }) => {
    const shop = await findShop(pool, sellerId)
    return { seller: shop && presentSeller(shop) }
  })
  requests.answer(shopRequests.listShown, async ({ kind, page }) => {
    const { pageCount, entries } = await listShown(pool, kind, page)
    return { pageCount, entries: [...entries] }
  })
  return requests
}
