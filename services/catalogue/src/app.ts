import type { App } from '@wangian/kit/http/http.ts'
import { type AppSurroundings, createServiceApp } from '@wangian/kit/service/service-app.ts'
import { type AnalyticsDependencies, addAnalyticsRoutes } from './analytics/analytics-routes.ts'
import { addBidderRoutes } from './bidders/bidder-routes.ts'
import { addFavoriteRoutes } from './favorites/favorite-routes.ts'
import { addDashboardRoutes, type DashboardDependencies } from './listings/dashboard-routes.ts'
import { ProductDocuments } from './listings/product-documents.ts'
import { addRoutes, type RouteDependencies } from './listings/routes.ts'
import { addSellingRoutes, createChangeLimiter, type SellingDependencies } from './listings/selling-routes.ts'
import { addPictureRoutes, type PictureDependencies } from './pictures/picture-routes.ts'
import { addShareRoutes } from './pictures/share-routes.ts'
import type { ProductSearchOptions } from './search/product-search.ts'
import { addSearchRoutes } from './search/search-routes.ts'
import { addShopRoutes, type ShopDependencies } from './shops/shop-routes.ts'

export interface AppDependencies
  extends SellingDependencies,
    DashboardDependencies,
    Omit<RouteDependencies, 'documents'>,
    PictureDependencies,
    Omit<ProductSearchOptions, 'documents'>,
    Omit<ShopDependencies, 'documents'>,
    AnalyticsDependencies,
    AppSurroundings {}

/** The service's HTTP side; it does not listen. */
export function buildApp(dependencies: AppDependencies): App {
  const app = createServiceApp('catalogue', dependencies)
  const shown = { ...dependencies, documents: new ProductDocuments(dependencies.pool) }
  addRoutes(app, shown)
  const changes = createChangeLimiter(app)
  addSellingRoutes(app, dependencies, changes)
  addDashboardRoutes(app, dependencies)
  addSearchRoutes(app, shown)
  addPictureRoutes(app, dependencies, changes)
  addShareRoutes(app, dependencies)
  addShopRoutes(app, shown)
  addFavoriteRoutes(app, dependencies)
  addAnalyticsRoutes(app, dependencies)
  addBidderRoutes(app, dependencies)
  return app
}
