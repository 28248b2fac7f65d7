import { fileURLToPath } from 'node:url'
import { auctionLiveSubject } from '@wangian/contracts/subjects.ts'
import { closeNats, connectNats, isReachable, subscribe } from '@wangian/kit/bus/nats.ts'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { canRead, openPool } from '@wangian/kit/database/postgres.ts'
import { createAuthenticator } from '@wangian/kit/http/auth.ts'
import { followRevocations } from '@wangian/kit/http/revocations.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { buildApp } from './app.ts'
import { DatabaseClock } from './clock.ts'
import { readConfig } from './config.ts'
import { failpointOf } from './failpoint.ts'
import { LEASE_TTL_MS } from './held-partitions.ts'
import { Intake } from './intake.ts'
import { countCommitted, watchOwner } from './metrics.ts'
import { Owner } from './owner.ts'
import { Partitions } from './partitions.ts'
import { identityReactions, listingReactions } from './reactions.ts'
import { RelayPace } from './relay-pace.ts'
import { serveAuctionsOfProducts } from './requests.ts'
import { serveSnapshots } from './snapshots.ts'
import { Suspensions } from './suspensions.ts'
import { showTaken } from './takeover.ts'
import { WriterStore } from './writer-store.ts'

/** Another process holds one of our partitions; the supervisor starts us again at once. */
const EXIT_CODE_FENCED = 3
/** Told to all owners when partitions were given up, so that they are taken without waiting for the next round. */
const RELEASED_SUBJECT = 'auction.released'

const config = readConfig()
const log = createLogger({ name: config.instanceId, level: config.logLevel })

let areShared = false

runService({
  name: 'auction',
  log,
  async start(onStop) {
    const { databaseUrl: url, instanceId: instance } = config
    await migrate({ url, schema: 'auction', directory: fileURLToPath(new URL('../migrations', import.meta.url)), log })
    const pool = await openPool({ url, applicationName: instance, log })
    onStop(() => pool.end(), 'pool')
    const nats = await connectNats({ url: config.natsUrl, name: instance, log })
    onStop(() => closeNats(nats), 'nats')

    const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
    const pace = new RelayPace()
    const relay = startPublishing({ service: 'auction', databaseUrl: url, nats, pace: () => pace.waitMs(), log })
    onStop(() => relay.stop(), 'relay')

    const clock = new DatabaseClock()
    const writer = new WriterStore({ url, instance, leaseTtlMs: LEASE_TTL_MS })
    onStop(() => writer.close(), 'writer')
    const publishLive = (auctionId: number, message: string) => nats.publish(auctionLiveSubject(auctionId), message)
    const suspensions = new Suspensions({ pool, onTrouble })
    await suspensions.start()
    onStop(() => suspensions.stop(), 'suspensions')
    const owner = new Owner({
      log: writer,
      clock,
      publishLive,
      isSuspended: (userId) => suspensions.has(userId),
      onFenced: () => {
        log.fatal('another process holds our partitions')
        process.exit(EXIT_CODE_FENCED)
      },
      onCommitted: (events) => {
        pace.note(events)
        countCommitted(events)
        relay.nudge()
      },
      onTrouble,
      ...failpointOf(config.failpoint),
    })
    onStop(() => owner.stop(), 'owner')
    const intake = new Intake({ nats, owner, log })
    const partitions = new Partitions({
      pool,
      instance,
      owner,
      intake,
      clock,
      onTrouble,
      onTaken: (parts) => showTaken({ pool, publishLive, parts }),
      announce: () => nats.publish(RELEASED_SUBJECT),
    })
    subscribe(nats, RELEASED_SUBJECT, () => partitions.wake(), { log })
    watchOwner(owner)

    const consume = { service: 'auction', nats, pool, log } as const
    const listings = startConsumer({
      ...consume,
      source: 'catalogue',
      name: 'listings',
      handlers: listingReactions({ nats, pool }),
    })
    onStop(() => listings.stop(), 'listings')
    const people = startConsumer({ ...consume, source: 'identity', name: 'people', handlers: identityReactions })
    onStop(() => people.stop(), 'people')
    const snapshots = serveSnapshots({ nats, pool, log })
    onStop(() => snapshots.stop(), 'snapshots')
    const requests = serveAuctionsOfProducts({ nats, pool, log })
    onStop(() => requests.stop(), 'requests')

    const revocations = followRevocations(nats, log)
    onStop(() => revocations.stop(), 'revocations')
    const app = buildApp({
      pool,
      nats,
      logger: log,
      auth: createAuthenticator({
        jwksUrl: `${config.identityUrl}/.well-known/jwks.json`,
        revocationOf: revocations.reasonOf,
      }),
      readiness: async () => ({
        database: await canRead(pool),
        nats: await isReachable(nats),
        partitions: areShared,
      }),
    })
    await app.listen({ host: config.serviceHost, port: config.servicePort })
    onStop(() => app.close(), 'http')
    await partitions.start()
    onStop(() => partitions.stop(), 'partitions')
    areShared = true
  },
})
