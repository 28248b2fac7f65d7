import { surroundingsOf } from '@wangian/kit/service/service-app.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { blanks, projections, reactions } from './consumers.ts'

/** Of the pool: all services together must get along with what Postgres takes as it comes. */
const CONNECTIONS_MAX = 5

startService({
  name: 'admin',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  connectionsMax: CONNECTIONS_MAX,
  plansOnce: true,
  projections,
  reactions: () => reactions,
  blanks,
  parts: {},
  app: (context) => {
    const { pool, nats, onAppended } = context
    return buildApp({ pool, nats, onAppended, ...surroundingsOf(context) })
  },
})
