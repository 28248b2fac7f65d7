import { subscribe } from '@wangian/kit/bus/nats.ts'
import { openPool } from '@wangian/kit/database/postgres.ts'
import { watchConnection } from '@wangian/kit/log/event-stream.ts'
import { Seldom } from '@wangian/kit/service/seldom.ts'
import type { ServiceContext } from '@wangian/kit/service/start-service.ts'
import type { Config } from './config.ts'
import { livePublisher } from './live/live-publisher.ts'
import type { RelayPace } from './log/relay-pace.ts'
import { WriterStore } from './log/writer-store.ts'
import { DatabaseClock } from './owner/clock.ts'
import { failpointOf } from './owner/failpoint.ts'
import { LEASE_TTL_MS } from './owner/held-partitions.ts'
import { watchOwner } from './owner/metrics.ts'
import { Owner } from './owner/owner.ts'
import { Intake } from './partitions/intake.ts'
import { Partitions } from './partitions/partitions.ts'
import { showTaken } from './partitions/takeover.ts'
import { Suspensions } from './people/suspensions.ts'

/** Another process holds one of our partitions; the supervisor starts us again at once. */
const EXIT_CODE_FENCED = 3
/** Told to all owners when partitions were given up, so that they are taken without waiting for the next round. */
const RELEASED_SUBJECT = 'auction.released'
/** The rounds of sharing out, the look for who is suspended, and what is shown after a takeover. */
const OWNER_CONNECTIONS = 3
/** A statement that was lost is not waited for as long as a page may take. */
const OWNER_STATEMENT_TIMEOUT_MS = 2000

export interface Owning {
  /** Whether the first round of sharing out partitions is done. */
  isSharing(): boolean
  /** Takes partitions, until the service stops. */
  share(): Promise<void>
  stop(): void
}

/** Puts together what it takes to own auctions. Nothing is owned before `share`. */
export async function startOwning(context: ServiceContext<Config>, pace: RelayPace): Promise<Owning> {
  const { config, nats, onAppended, onStop, log } = context
  const { databaseUrl: url, instanceId: instance } = config
  const troubles = new Seldom(log)
  const onTrouble = (message: string, error: unknown) => troubles.error(message, error)
  const publishLive = livePublisher({ nats, log, onUnheard: (auctionId) => owner.unheard(auctionId) })

  // What an owner needs never waits behind readers, who share the service's pool.
  const pool = await openPool({
    url,
    applicationName: `${instance} owner`,
    connectionsMax: OWNER_CONNECTIONS,
    statementTimeoutMs: OWNER_STATEMENT_TIMEOUT_MS,
    log,
  })
  onStop(() => pool.end(), 'owner pool')
  const clock = new DatabaseClock()
  const writer = new WriterStore({ url, instance, leaseTtlMs: LEASE_TTL_MS })
  onStop(() => writer.close(), 'writer')
  const suspensions = new Suspensions({ pool, onTrouble })
  await suspensions.start()
  onStop(() => suspensions.stop(), 'suspensions')
  const owner = new Owner({
    log: writer,
    clock,
    publishLive,
    suspendedSinceMs: (userId) => suspensions.sinceMs(userId),
    onFenced: () => {
      log.fatal('another process holds our partitions')
      process.exit(EXIT_CODE_FENCED)
    },
    onCommitted: (events) => {
      pace.note(events)
      onAppended()
    },
    onTrouble,
    ...failpointOf(config.failpoint),
  })
  const partitions = new Partitions({
    pool,
    instance,
    owner,
    intake: new Intake({ nats, owner, clock, log }),
    clock,
    onTrouble,
    onTaken: (parts) => showTaken({ pool, publishLive, parts }),
    announce: () => nats.publish(RELEASED_SUBJECT),
  })
  subscribe(nats, RELEASED_SUBJECT, () => partitions.wake(), { log })
  watchOwner(owner)
  let lostAtMs: number | null = null
  const connection = watchConnection(nats, () => {
    lostAtMs ??= performance.now()
    if (!connection.isUp()) return
    // What was committed meanwhile, or just before it was noticed, was shown to nobody, and the gateways may know nothing of it.
    const unheardMs = performance.now() - lostAtMs
    lostAtMs = null
    showTaken({ pool, publishLive, parts: [...owner.epochs.keys()], unheardMs }).catch((error: unknown) =>
      onTrouble('the state after an outage of the bus could not be shown', error),
    )
  })

  let isSharing = false
  return {
    isSharing: () => isSharing,
    async share() {
      onStop(() => partitions.stop(), 'partitions')
      await partitions.start()
      isSharing = true
    },
    stop: () => owner.stop(),
  }
}
