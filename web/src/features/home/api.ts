import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { useApi } from '../../api/use-api.ts'

const { listFeatured, listLive, listProducts } = catalogueRoutes
// More than are shown: some of them are among the featured ones.
const liveInput = { query: { limit: 6 } } as const
const recentInput = { query: { type: ['fixed', 'negotiable'], limit: 24 } } as const

/** What sellers have boosted, the last one first. */
export function useFeatured() {
  return useApi(listFeatured, {})
}

/** The live auctions that end first. */
export function useLiveAuctions() {
  return useApi(listLive, liveInput)
}

/** The newest listings that are no auctions. */
export function useRecentListings() {
  return useApi(listProducts, recentInput)
}
