import { checkTokens, startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { providerOf, readConfig } from './config.ts'
import { reactions } from './consumers.ts'
import { startUpkeep } from './upkeep.ts'

/** Of the pool: all services together must get along with what Postgres takes as it comes. */
const CONNECTIONS_MAX = 4

const config = readConfig()
const provider = providerOf(config)

startService({
  name: 'boost',
  config,
  migrations: new URL('../migrations', import.meta.url),
  connectionsMax: CONNECTIONS_MAX,
  reactions: (context) => reactions({ ...context, provider }),
  parts: { upkeep: (context) => startUpkeep({ ...context, provider }) },
  app: (context) => {
    const { pool, nats, onAppended, readiness, log } = context
    const { trustedProxies, rateLimitFactor } = config
    const surroundings = { auth: checkTokens(context), logger: log, readiness, trustedProxies, rateLimitFactor }
    return buildApp({ pool, nats, provider, onAppended, log, ...surroundings })
  },
})
