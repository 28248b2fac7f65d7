import { fileURLToPath } from 'node:url'
import { closeNats, connectNats, isReachable } from '@wangian/kit/bus/nats.ts'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { canRead, openPool } from '@wangian/kit/database/postgres.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { createAuthenticator } from '@wangian/kit/http/auth.ts'
import { followRevocations } from '@wangian/kit/http/revocations.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { serveFeaturing, startFeatureExpiry } from './featured/featuring.ts'
import { discardRemoved } from './pictures/picture-routes.ts'
import {
  auctionBulkReactions,
  auctionReactions,
  identityReactions,
  messagingBulkReactions,
  messagingReactions,
  outcomeReactions,
} from './reactions.ts'
import { serveListings } from './requests.ts'

/** No list may take longer; a search that does is cut off rather than holding up the others. */
const STATEMENT_TIMEOUT_MS = 2_000
/** Bids come by the thousand: so many share a commit. */
const EVENTS_PER_COMMIT_MAX = 500

/** A ban takes effect within a second, and this is a part of it. */
const LIST_AGE_MAX_MS = 500
const COUNTS_AGE_MAX_MS = 5_000
/** Counting takes about a tenth of a second for 100,000 products; who comes behind others gets a page without its total. */
const TOTAL_WAIT_MAX_MS = 200
const FACETS_WAIT_MAX_MS = 2_000

const config = readConfig()
const log = createLogger({ name: 'catalogue', level: config.logLevel, instanceId: config.instanceId })

runService({
  name: 'catalogue',
  log,
  async start(onStop) {
    const { databaseUrl: url, instanceId } = config
    await migrate({
      url,
      schema: 'catalogue',
      directory: fileURLToPath(new URL('../migrations', import.meta.url)),
      log,
    })
    const pool = await openPool({ url, applicationName: instanceId, statementTimeoutMs: STATEMENT_TIMEOUT_MS, log })
    onStop(() => pool.end(), 'pool')
    const nats = await connectNats({ url: config.natsUrl, name: instanceId, log })
    onStop(() => closeNats(nats), 'nats')
    const relay = startPublishing({ service: 'catalogue', databaseUrl: url, nats, log })
    onStop(() => relay.stop(), 'relay')

    const mine = { service: 'catalogue', nats, pool, log } as const
    const people = startConsumer({ ...mine, source: 'identity', name: 'people', handlers: identityReactions })
    onStop(() => people.stop(), 'people')
    const auctions = startConsumer({
      ...mine,
      source: 'auction',
      name: 'auctions',
      handlers: auctionReactions,
      bulkHandlers: auctionBulkReactions,
      batchMax: EVENTS_PER_COMMIT_MAX,
    })
    onStop(() => auctions.stop(), 'auctions')
    const sales = startConsumer({
      ...mine,
      source: 'messaging',
      name: 'sales',
      handlers: messagingReactions,
      bulkHandlers: messagingBulkReactions,
      batchMax: EVENTS_PER_COMMIT_MAX,
    })
    onStop(() => sales.stop(), 'sales')
    const outcomes = startConsumer({
      ...mine,
      source: 'auction',
      name: 'outcomes',
      handlers: outcomeReactions,
      isReaction: true,
    })
    onStop(() => outcomes.stop(), 'outcomes')
    const requests = serveListings({ nats, pool, log })
    onStop(() => requests.stop(), 'requests')

    const featuring = { pool, onAppended: () => relay.nudge(), log }
    const served = serveFeaturing({ ...featuring, nats })
    onStop(() => served.stop(), 'featuring')
    const expiry = startFeatureExpiry({ ...featuring, databaseUrl: url })
    onStop(() => expiry.stop(), 'feature expiry')

    const revocations = followRevocations(nats, log)
    onStop(() => revocations.stop(), 'revocations')
    const files = createPictureFiles(openPictureStorage(config, 'images', log))
    void discardRemoved({ pool, files }).catch((err) => log.warn({ err }, 'files are left to be removed'))
    const app = buildApp({
      pool,
      nats,
      files,
      onAppended: () => relay.nudge(),
      listAgeMaxMs: LIST_AGE_MAX_MS,
      countsAgeMaxMs: COUNTS_AGE_MAX_MS,
      totalWaitMaxMs: TOTAL_WAIT_MAX_MS,
      facetsWaitMaxMs: FACETS_WAIT_MAX_MS,
      auth: createAuthenticator({
        jwksUrl: `${config.identityUrl}/.well-known/jwks.json`,
        revocationOf: revocations.reasonOf,
      }),
      logger: log,
      readiness: async () => ({ database: await canRead(pool), nats: await isReachable(nats) }),
      rateLimitFactor: config.rateLimitFactor,
    })
    onStop(() => app.close(), 'http')
    await app.listen({ host: config.serviceHost, port: config.servicePort })
  },
})
