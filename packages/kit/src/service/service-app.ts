import type { Authenticator } from '../http/auth.ts'
import { type App, createApp } from '../http/http.ts'
import type { RevocationListener } from '../http/revocations.ts'
import type { Logger } from './logger.ts'
import { checkTokens, type ServiceConfig, type ServiceContext } from './start-service.ts'

/** What the HTTP side of every service stands on. */
export interface AppSurroundings {
  readonly auth: Authenticator
  readonly logger?: Logger | undefined
  readonly readiness?: (() => Promise<Record<string, boolean>>) | undefined
  /** What may stand in front of us besides processes of this machine. */
  readonly trustedProxies?: readonly string[] | undefined
  readonly rateLimitFactor?: number | undefined
  /** For how long it goes on answering when it is closed. */
  readonly drainMs?: number | undefined
}

/**
 * As the configuration has them, for all services but identity, which checks tokens by keys of its own.
 * @param onRevoked told of each session that ends before its time
 */
export function surroundingsOf(
  context: ServiceContext<ServiceConfig & { readonly identityUrl: readonly string[] }>,
  onRevoked?: RevocationListener,
): AppSurroundings {
  const { config, readiness, log: logger } = context
  const { trustedProxies, rateLimitFactor, drainMs } = config
  return { auth: checkTokens(context, onRevoked), logger, readiness, trustedProxies, rateLimitFactor, drainMs }
}

/** The HTTP side of a service, without its routes; it does not listen. */
export function createServiceApp(name: string, surroundings: AppSurroundings): App {
  const { auth, logger, readiness, trustedProxies = [], rateLimitFactor, drainMs } = surroundings
  return createApp({
    name,
    auth,
    ...(logger !== undefined && { logger }),
    ...(readiness !== undefined && { readiness }),
    trustedProxies: ['loopback', ...trustedProxies],
    ...(rateLimitFactor !== undefined && { rateLimitFactor }),
    ...(drainMs !== undefined && { drainMs }),
  })
}
