import type { Authenticator } from '@wangian/kit/http/auth.ts'
import { type App, createApp } from '@wangian/kit/http/http.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { addRoutes, type RouteDependencies } from './routes.ts'

export interface AppDependencies extends RouteDependencies {
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
    name: 'boost',
    auth,
    ...(logger !== undefined && { logger }),
    ...(readiness !== undefined && { readiness }),
    trustedProxies: ['loopback', ...trustedProxies],
    ...(rateLimitFactor !== undefined && { rateLimitFactor }),
  })
  addRoutes(app, dependencies)
  return app
}
