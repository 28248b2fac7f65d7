import { checkTokens, startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'

/** Of the pool: all services together must get along with what Postgres takes as it comes. */
const CONNECTIONS_MAX = 4

startService({
  name: 'boost',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  connectionsMax: CONNECTIONS_MAX,
  parts: {},
  app: (context) => {
    const { config, pool, readiness, log: logger } = context
    const { trustedProxies, rateLimitFactor } = config
    return buildApp({ pool, auth: checkTokens(context), logger, readiness, trustedProxies, rateLimitFactor })
  },
})
