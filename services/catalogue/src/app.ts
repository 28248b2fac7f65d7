import type { Authenticator } from '@wangian/kit/http/auth.ts'
import { type App, createApp } from '@wangian/kit/http/http.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { type AnalyticsDependencies, addAnalyticsRoutes } from './analytics/analytics-routes.ts'
import { addFavoriteRoutes } from './favorites/favorite-routes.ts'
import { addDashboardRoutes, type DashboardDependencies } from './listings/dashboard-routes.ts'
import { addRoutes, type RouteDependencies } from './listings/routes.ts'
import { addSellingRoutes, type SellingDependencies } from './listings/selling-routes.ts'
import { addPictureRoutes, type PictureDependencies } from './pictures/picture-routes.ts'
import type { ProductSearchOptions } from './search/product-search.ts'
import { addSearchRoutes } from './search/search-routes.ts'
import { addShopRoutes, type ShopDependencies } from './shops/shop-routes.ts'

export interface AppDependencies
  extends SellingDependencies,
    DashboardDependencies,
    RouteDependencies,
    PictureDependencies,
    ProductSearchOptions,
    ShopDependencies,
    AnalyticsDependencies {
  readonly auth: Authenticator
  readonly logger?: Logger
  readonly readiness?: () => Promise<Record<string, boolean>>
  /** What may stand in front of us besides processes of this machine. */
  readonly trustedProxies?: readonly string[]
  readonly rateLimitFactor?: number
}

/** The service's HTTP side; it does not listen. */
export function buildApp({
  auth,
  logger,
  readiness,
  trustedProxies = [],
  rateLimitFactor,
  ...dependencies
}: AppDependencies): App {
  const app = createApp({
    name: 'catalogue',
    auth,
    ...(logger !== undefined && { logger }),
    ...(readiness !== undefined && { readiness }),
    trustedProxies: ['loopback', ...trustedProxies],
    ...(rateLimitFactor !== undefined && { rateLimitFactor }),
  })
  addRoutes(app, dependencies)
  addSellingRoutes(app, dependencies)
  addDashboardRoutes(app, dependencies)
  addSearchRoutes(app, dependencies)
  addPictureRoutes(app, dependencies)
  addShopRoutes(app, dependencies)
  addFavoriteRoutes(app, dependencies)
  addAnalyticsRoutes(app, dependencies)
  return app
}
