import { fileURLToPath } from 'node:url'
import { closeNats, connectNats, isReachable } from '@wangian/kit/bus/nats.ts'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { canRead, openPool } from '@wangian/kit/database/postgres.ts'
import { createAuthenticator } from '@wangian/kit/http/auth.ts'
import { followRevocations } from '@wangian/kit/http/revocations.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { liveReactions } from './live.ts'
import { auctionReactions, catalogueReactions, identityReactions } from './reactions.ts'
import { serveMessaging } from './requests.ts'

const config = readConfig()
const log = createLogger({ name: 'messaging', level: config.logLevel, instanceId: config.instanceId })

runService({
  name: 'messaging',
  log,
  async start(onStop) {
    const { databaseUrl: url, instanceId, rateLimitFactor } = config
    await migrate({
      url,
      schema: 'messaging',
      directory: fileURLToPath(new URL('../migrations', import.meta.url)),
      log,
    })
    const pool = await openPool({ url, applicationName: instanceId, log })
    onStop(() => pool.end(), 'pool')
    const nats = await connectNats({ url: config.natsUrl, name: instanceId, log })
    onStop(() => closeNats(nats), 'nats')
    const relay = startPublishing({ service: 'messaging', databaseUrl: url, nats, log })
    onStop(() => relay.stop(), 'relay')

    const mine = { service: 'messaging', nats, pool, log } as const
    const consumers = [
      startConsumer({ ...mine, source: 'identity', name: 'people', handlers: identityReactions }),
      startConsumer({ ...mine, source: 'catalogue', name: 'products', handlers: catalogueReactions }),
      startConsumer({
        ...mine,
        source: 'auction',
        name: 'winners',
        handlers: auctionReactions(pool),
        isReaction: true,
      }),
      startConsumer({ ...mine, source: 'messaging', name: 'live', handlers: liveReactions(nats), isReaction: true }),
    ]
    for (const consumer of consumers) onStop(() => consumer.stop(), 'consumer')
    const requests = serveMessaging({ nats, pool, onAppended: () => relay.nudge(), rateLimitFactor, log })
    onStop(() => requests.stop(), 'requests')

    const revocations = followRevocations(nats, log)
    onStop(() => revocations.stop(), 'revocations')
    const app = buildApp({
      pool,
      onAppended: () => relay.nudge(),
      auth: createAuthenticator({
        jwksUrl: `${config.identityUrl}/.well-known/jwks.json`,
        revocationOf: revocations.reasonOf,
      }),
      logger: log,
      readiness: async () => ({ database: await canRead(pool), nats: await isReachable(nats) }),
    })
    onStop(() => app.close(), 'http')
    await app.listen({ host: config.serviceHost, port: config.servicePort })
  },
})
