import { fileURLToPath } from 'node:url'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { closeNats, connectNats, isReachable, type NatsConnection } from '../bus/nats.ts'
import { holdLocks, type Locks } from '../database/exclusive-session.ts'
import { migrate } from '../database/migrate.ts'
import { canRead, type DatabasePool, openPool } from '../database/postgres.ts'
import { type Authenticator, createAuthenticator, keysUrls } from '../http/auth.ts'
import type { App } from '../http/http.ts'
import { followRevocations, type RevocationListener } from '../http/revocations.ts'
import { type ProjectionDeclaration, type ReactionDeclaration, startConsumer } from '../log/consumer.ts'
import type { Complete } from '../log/published-events.ts'
import { startPublishing } from '../log/publishing.ts'
import type { ConsumedProjection } from '../log/rebuild.ts'
import { type BlankSome, startBlanking } from '../people/erased-words.ts'
import { findClockDifference } from './clock-difference.ts'
import type { ServiceEnvironment } from './config.ts'
import { type OnStop, runService } from './lifecycle.ts'
import { watchConsumers, watchParked, watchPool, watchRelay } from './log-metrics.ts'
import { createLogger, type Logger } from './logger.ts'
import { serveStatus } from './serve-status.ts'
import { startTracing, tracingOf } from './tracing.ts'

/** What the configuration of a service with a log has at least. */
export type ServiceConfig = Omit<ServiceEnvironment, 'identityUrl'> & { readonly databaseUrl: string }

/** What the parts of a service are made of. */
export interface ServiceContext<Config extends ServiceConfig> {
  readonly config: Config
  readonly log: Logger
  readonly databaseUrl: string
  readonly pool: DatabasePool
  readonly nats: NatsConnection
  /** For what one process of the service does at a time. */
  readonly locks: Locks
  /** To be called after something was added to the log: it is published now instead of at the next look. */
  readonly onAppended: () => void
  /** Whether the database and NATS answer. */
  readonly readiness: () => Promise<{ readonly database: boolean; readonly nats: boolean }>
  /** For what a part opens besides itself; right after each opening, so that it is closed when the start fails. */
  readonly onStop: OnStop
}

/** Something that runs beside the HTTP side: a server of requests over the bus, a timer. */
export interface Part {
  stop(): unknown
}

export interface ServiceDeclaration<Config extends ServiceConfig, Parts extends Record<string, Part>> {
  readonly name: EventSource
  readonly config: Config
  /** The folder of the service's migrations. */
  readonly migrations: URL
  /** The longest that a statement of the pool may take. */
  readonly statementTimeoutMs?: number
  /** Of the pool; the kit's own number when not given. */
  readonly connectionsMax?: number | undefined
  /** Whether its prepared statements are planned once, see {@link openPool}. */
  readonly plansOnce?: boolean
  /** Whether this process only answers, and leaves it to others of the service to publish its log and to follow those of others. */
  readonly onlyAnswers?: boolean
  /** Adds to events, as they leave, what must not be in a log. */
  readonly complete?: (pool: DatabasePool) => Complete
  /** Asked after each batch of the relay: how many ms to leave the machine to others. */
  readonly pace?: () => number
  /** The tables that are filled from the logs of others. */
  readonly projections?: readonly ConsumedProjection[]
  /** What else is done about events: something is appended or sent, once for each event. */
  readonly reactions?: (context: ServiceContext<Config>) => readonly (ReactionDeclaration | ProjectionDeclaration)[]
  /** How the words about people who are erased are taken out of the log and of the tables. */
  readonly blanks?: readonly BlankSome[]
  /** Started one after the other, in this order, by the name that the log has for each. */
  readonly parts: { readonly [Name in keyof Parts]: StartPart<Config, Parts[Name]> }
  /** The HTTP side; it does not listen yet. */
  readonly app: (context: ServiceContext<Config>, parts: Parts) => App | Promise<App>
  /** What begins when the service can be reached. It stops before everything else. */
  readonly afterListen?: (context: ServiceContext<Config>, parts: Parts) => Promise<void>
}

type StartPart<Config extends ServiceConfig, Started> = (context: ServiceContext<Config>) => Started | Promise<Started>

/**
 * Runs a service that has a log, see {@link runService}. It starts in this order and stops in the reverse one: migrations, the pool, NATS, the
 * relay with the pages of the log, the parts, the consumers, the blanking of words, the answers about consumers, the HTTP side, and what comes after listening. When one of them fails, those before
 * it are stopped. A process that only answers has neither relay nor consumers, blanks nothing, and is not asked about them.
 */
export function startService<Config extends ServiceConfig, Parts extends Record<string, Part>>(
  service: ServiceDeclaration<Config, Parts>,
): void {
  const { name, config } = service
  const { databaseUrl, instanceId } = config
  const log = createLogger({ name, level: config.logLevel, instanceId })

  async function start(onStop: OnStop): Promise<void> {
    const startedAt = new Date()
    const tracing = await startTracing(tracingOf(name, config))
    onStop(() => tracing.stop(), 'traces')
    await migrate({ url: databaseUrl, schema: name, directory: fileURLToPath(service.migrations), log })
    const { statementTimeoutMs, connectionsMax, plansOnce = false, onlyAnswers = false } = service
    const pool = await openPool({
      url: databaseUrl,
      applicationName: instanceId,
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
      ...(connectionsMax !== undefined && { connectionsMax }),
      plansOnce,
      log,
    })
    onStop(() => pool.end(), 'pool')
    watchPool(pool)
    const difference = await findClockDifference(pool)
    if (difference !== null) log.warn(difference)
    const nats = await connectNats({ url: config.natsUrl, name: instanceId, log })
    onStop(() => closeNats(nats), 'nats')
    const complete = service.complete?.(pool)
    const relay = onlyAnswers
      ? null
      : startPublishing({ service: name, databaseUrl, nats, complete, pace: service.pace, log })
    if (relay !== null) {
      onStop(() => relay.stop(), 'relay')
      watchRelay(relay)
    }

    const readiness = async () => ({ database: await canRead(pool), nats: await isReachable(nats) })
    const onAppended = () => relay?.nudge()
    const locks = holdLocks({ url: databaseUrl, applicationName: `${name}-locks`, log })
    const context: ServiceContext<Config> = {
      config,
      log,
      databaseUrl,
      pool,
      nats,
      locks,
      onAppended,
      readiness,
      onStop,
    }
    const parts = await startParts(service.parts, context)
    if (!onlyAnswers) {
      const declarations = [...(service.projections ?? []), ...(service.reactions?.(context) ?? [])]
      const consumers = declarations.map((declaration) => {
        const consumer = startConsumer<EventSource>({
          ...{ service: name, nats, pool, locks, onReacted: onAppended, log },
          ...declaration,
        })
        onStop(() => consumer.stop(), declaration.name)
        return {
          source: declaration.source,
          name: declaration.name,
          types: typesOf(declaration),
          stats: consumer.stats,
        }
      })
      watchConsumers(consumers)
      watchParked(pool, consumers)
      if (service.blanks !== undefined) {
        const blanking = startBlanking(context, service.blanks)
        onStop(() => blanking.stop(), 'blanking')
      }
      const status = serveStatus({ service: name, startedAt, consumers, complete, context })
      onStop(() => status.stop(), 'status')
    }
    const app = await service.app(context, parts)
    onStop(() => app.close(), 'http')
    await app.listen({ host: config.serviceHost, port: config.servicePort })
    await service.afterListen?.(context, parts)
  }

  runService({ name, log, start })
}

function typesOf(declaration: ProjectionDeclaration | ReactionDeclaration): string[] {
  return Object.keys('handlers' in declaration ? declaration.handlers : declaration.bulkHandlers)
}

async function startParts<Config extends ServiceConfig, Parts extends Record<string, Part>>(
  declared: ServiceDeclaration<Config, Parts>['parts'],
  context: ServiceContext<Config>,
): Promise<Parts> {
  const started: Partial<Parts> = {}
  for (const name in declared) {
    const part = await declared[name](context)
    context.onStop(() => part.stop(), name)
    started[name] = part
  }
  return started as Parts
}

/**
 * Checks tokens by identity's keys and by which sessions have ended, for all services but identity.
 * @param onRevoked told of each session that ends before its time
 */
export function checkTokens(
  {
    config,
    nats,
    log,
    onStop,
  }: Pick<
    ServiceContext<ServiceConfig & { readonly identityUrl: readonly string[] }>,
    'config' | 'nats' | 'log' | 'onStop'
  >,
  onRevoked?: RevocationListener,
): Authenticator {
  const revocations = followRevocations(nats, log)
  if (onRevoked !== undefined) revocations.onRevoked(onRevoked)
  onStop(() => revocations.stop(), 'revocations')
  return createAuthenticator({ jwksUrls: keysUrls(config.identityUrl), revocationOf: revocations.reasonOf })
}
