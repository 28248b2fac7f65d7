import type { Authenticator } from '@wangian/kit/http/auth.ts'
import { type App, createApp } from '@wangian/kit/http/http.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { addDealRoutes, type DealDependencies } from './deals/deal-routes.ts'
import { addRoutes, type RouteDependencies } from './routes.ts'

export interface AppDependencies extends RouteDependencies, DealDependencies {
  readonly auth: Authenticator
  readonly logger?: Logger
  readonly readiness?: () => Promise<Record<string, boolean>>
}

/** The service's HTTP side; it does not listen. */
export function buildApp({ auth, logger, readiness, ...dependencies }: AppDependencies): App {
  const app = createApp({
    name: 'messaging',
    auth,
    ...(logger !== undefined && { logger }),
    ...(readiness !== undefined && { readiness }),
  })
  addRoutes(app, dependencies)
  addDealRoutes(app, dependencies)
  return app
}
