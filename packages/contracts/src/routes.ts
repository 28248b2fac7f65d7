import { accountRoutes } from './account.ts'
import { adminRoutes } from './admin.ts'
import { auctionRoutes } from './auction.ts'
import { bidderRoutes } from './bidders.ts'
import { boostRoutes } from './boost.ts'
import { catalogueRoutes } from './catalogue.ts'
import { identityRoutes } from './identity.ts'
import { messagingRoutes } from './messaging.ts'
import { noticeRoutes } from './notices.ts'
import { pushRoutes } from './push.ts'
import { reportRoutes } from './reports.ts'
import type { Route } from './route.ts'
import { sellingRoutes } from './selling.ts'
import { shopRoutes } from './shop.ts'

/** Every HTTP route of the product by the service that serves it: the gateway routes and documents from this. */
export const routesByService = {
  identity: { ...identityRoutes, ...accountRoutes },
  catalogue: { ...catalogueRoutes, ...sellingRoutes, ...shopRoutes, ...bidderRoutes },
  auction: auctionRoutes,
  messaging: { ...messagingRoutes, ...noticeRoutes, ...pushRoutes, ...reportRoutes },
  boost: boostRoutes,
  admin: adminRoutes,
} as const satisfies Record<string, Record<string, Route>>
