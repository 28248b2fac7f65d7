import { surroundingsOf } from '@wangian/kit/service/service-app.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { providerOf, readConfig } from './config.ts'
import { blanks, projections, reactions } from './consumers.ts'
import { serveBoost } from './requests.ts'
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
  projections,
  reactions: (context) => reactions({ ...context, provider }),
  blanks,
  parts: { upkeep: (context) => startUpkeep({ ...context, provider }), requests: serveBoost },
  app: (context) => {
    const { pool, nats, onAppended, log } = context
    return buildApp({ pool, nats, provider, onAppended, log, ...surroundingsOf(context) })
  },
})
