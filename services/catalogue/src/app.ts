import type { App } from '@wangian/kit/http/http.ts'
import { type AppSurroundings, createServiceApp } from '@wangian/kit/service/service-app.ts'
import { type AnalyticsDependencies, addAnalyticsRoutes } from './analytics/analytics-routes.ts'
import { addFavoriteRoutes } from './favorites/favorite-routes.ts'
import { addDashboardRoutes, type DashboardDependencies } from './listings/dashboard-routes.ts'
import { addRoutes, type RouteDependencies } from './listings/routes.ts'
import { addSellingRoutes, type SellingDependencies } from './listings/selling-routes.ts'
import { addPictureRoutes, type PictureDependencies } from './pictures/picture-routes.ts'
import { addShareRoutes } from './pictures/share-routes.ts'
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
    AnalyticsDependencies,
    AppSurroundings {}

/** The service's HTTP side; it does not listen. */
export function buildApp(dependencies: AppDependencies): App {
  const app = createServiceApp('catalogue', dependencies)
  addRoutes(app, dependencies)
  addSellingRoutes(app, dependencies)
  addDashboardRoutes(app, dependencies)
  addSearchRoutes(app, dependencies)
  addPictureRoutes(app, dependencies)
  addShareRoutes(app, dependencies)
  addShopRoutes(app, dependencies)
  addFavoriteRoutes(app, dependencies)
  addAnalyticsRoutes(app, dependencies)
  return app
}
