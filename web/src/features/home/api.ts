import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { urlOf } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'

const { listFeatured, listLive, listProducts } = catalogueRoutes
// More than are shown: some of them are among the featured ones.
const liveInput = { query: { limit: 6 } } as const
const recentInput = { query: { type: ['fixed', 'negotiable'], limit: 24 } } as const

/** What the page asks, so that a browser can ask it before the page itself is there. */
export const homeReads: readonly string[] = [
  urlOf(listFeatured, {}),
  urlOf(listLive, liveInput),
  urlOf(listProducts, recentInput),
]

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
