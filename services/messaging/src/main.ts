import { surroundingsOf } from '@wangian/kit/service/service-app.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { blanks, consumed, reactions } from './consumers.ts'
import { createSentRows } from './conversations/sent-rows.ts'
import { startPush } from './push/push.ts'
import { serveMessaging } from './requests.ts'
import { startUpkeep } from './upkeep.ts'

/** Of the pool: all services together must get along with what Postgres takes as it comes. */
const CONNECTIONS_MAX = 7

const sentRows = createSentRows()

startService({
  name: 'messaging',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  connectionsMax: CONNECTIONS_MAX,
  plansOnce: true,
  projections: consumed,
  reactions: (context) => reactions({ ...context, sentRows }),
  blanks,
  parts: {
    upkeep: startUpkeep,
    push: startPush,
    requests: (context) => serveMessaging({ ...context, sentRows, rateLimitFactor: context.config.rateLimitFactor }),
  },
  app: (context, { upkeep, push }) => {
    const { pool, nats, onAppended } = context
    return buildApp({
      pool,
      nats,
      onAppended,
      attachments: upkeep.attachments,
      push: push.settings,
      ...surroundingsOf(context, push.sessionEnded),
    })
  },
})
