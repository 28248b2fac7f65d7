import type { App } from '@wangian/kit/http/http.ts'
import { type AppSurroundings, createServiceApp } from '@wangian/kit/service/service-app.ts'
import { addRoutes, type RouteDependencies } from './conversations/routes.ts'
import { addDealRoutes, type DealDependencies } from './deals/deal-routes.ts'
import { addFileRoutes, type FileDependencies } from './files/file-routes.ts'
import { addNoticeRoutes } from './notices/notice-routes.ts'
import { addWatchRoutes } from './notices/watch-routes.ts'
import { addPushRoutes, type PushDependencies } from './push/push-routes.ts'
import { addReportRoutes } from './reports/report-routes.ts'

export interface AppDependencies
  extends RouteDependencies,
    DealDependencies,
    FileDependencies,
    PushDependencies,
    AppSurroundings {}

/** The service's HTTP side; it does not listen. */
export function buildApp(dependencies: AppDependencies): App {
  const app = createServiceApp('messaging', dependencies)
  addRoutes(app, dependencies)
  addDealRoutes(app, dependencies)
  addFileRoutes(app, dependencies)
  addNoticeRoutes(app, dependencies)
  addWatchRoutes(app, dependencies)
  addPushRoutes(app, dependencies)
  addReportRoutes(app, dependencies)
  return app
}
