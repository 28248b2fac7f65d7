import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { useApi } from '../../api/use-api.ts'

const auctionsMax = 3
const listingsMax = 6

/** What sellers have boosted, the last one first. */
export function useFeatured() {
  return useApi(catalogueRoutes.listFeatured, {})
}

/** The live auctions that end first. */
export function useLiveAuctions() {
  return useApi(catalogueRoutes.listLive, { query: { limit: auctionsMax } })
}

/** The newest listings that are no auctions. */
export function useRecentListings() {
  return useApi(catalogueRoutes.listProducts, { query: { type: ['fixed', 'negotiable'], limit: listingsMax } })
}
