import type { App } from '@wangian/kit/http/http.ts'
import { type AppSurroundings, createServiceApp } from '@wangian/kit/service/service-app.ts'
import { addRoutes, type RouteDependencies } from './api/routes.ts'

export interface AppDependencies extends RouteDependencies, AppSurroundings {}

/** The service's HTTP side; it does not listen. */
export function buildApp(dependencies: AppDependencies): App {
  const app = createServiceApp('auction', dependencies)
  addRoutes(app, dependencies)
  return app
}
