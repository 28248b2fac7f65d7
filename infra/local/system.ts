import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { archiveSettings } from '../backup/archive.ts'
import { requireSameCluster } from '../backup/back-up.ts'
import type { NatsUser } from '../nats/permissions.ts'
import type { DatabaseLock } from '../postgres/database-lock.ts'
import { DATABASE, ensureServiceRoles, withDatabase } from '../postgres/roles.ts'
import { type Bundles, bundle, unbundled } from './builds/bundles.ts'
import { buildWeb } from './builds/web-build.ts'
import { inheritedEnvironment, isProduction, repositoryRoot } from './config.ts'
import { lockDataDirectory } from './data-directory-lock.ts'
import type { LogSink } from './log.ts'
import { requirePort } from './processes/ports.ts'
import { launchService } from './processes/service-process.ts'
import { type SupervisedProcess, startWithin, supervise } from './processes/supervisor.ts'
import { findLittleRoom } from './room.ts'
import { loadSecrets, newVapidKey } from './secrets.ts'
import { connectionsNeeded } from './servers/connections.ts'
import { setUpExternalDatabase } from './servers/external-database.ts'
import { checkNats, checkPostgres } from './servers/external-servers.ts'
import { prepareMailCatcher } from './servers/mail-server.ts'
import { launchNats, loadNatsPasswords, locateNatsServer, natsUrlFor } from './servers/nats.ts'
import { preparePaymentSandbox } from './servers/payment-server.ts'
import { launchPostgres } from './servers/postgres.ts'
import {
  auctionInstances,
  databaseServices,
  environmentOf,
  type Instance,
  idsOf,
  mainScript,
  type ServiceName,
  type Surroundings,
  scriptsOf,
  urlOf,
} from './services.ts'

export interface SystemOptions {
  readonly dataDir: string
  /** A free one when not given. */
  readonly port?: number
  /** Where the gateway listens; this machine only when not given. */
  readonly host?: string
  /** Nothing when not given. */
  readonly seed?: 'demo' | 'none'
  /** Where people find it, when that is not `http://localhost:<port>`. */
  readonly publicUrl?: string | undefined
  /** Servers to use in place of our own. */
  readonly databaseUrl?: string | undefined
  readonly natsUrl?: string | undefined
  /** A mail server that really sends; without one, mails are caught and shown, except in production. */
  readonly smtpUrl?: string | undefined
  readonly auctionInstances?: number
  /** How many processes of each service there are, but for the owners of auctions; 1 when not given. Every further gateway has a port of its own. */
  readonly copies?: number
  readonly rateLimitFactor?: number
  readonly logLevel?: string
  readonly log?: LogSink
  /** Additions to the environment by service (`auction`), by instance (`auction-1`), or for all (`*`). */
  readonly environment?: Readonly<Record<string, NodeJS.ProcessEnv>>
  /** Where our own Postgres archives whatever it writes; nowhere when not given. */
  readonly backupDir?: string | undefined
  /** Settings of our own Postgres beyond the usual. */
  readonly postgresSettings?: Readonly<Record<string, string>>
  /** False serves what is in `web/dist`, if anything. */
  readonly buildsWeb?: boolean
  /** The repository whose service is run, asked at each start of one; this one when not given. */
  readonly rootOf?: (service: ServiceName) => string
  /** Restarts each service whenever one of its sources changes. */
  readonly isWatching?: boolean
  /** Gives up the start and stops what runs already. */
  readonly signal?: AbortSignal
}

export interface ServiceHandle extends SupervisedProcess {
  readonly service: ServiceName
  /** Its own address, not the gateway's. */
  readonly url: string
  /** Additions to its environment from the next start on. */
  readonly environment: NodeJS.ProcessEnv
}

export interface NatsHandle extends SupervisedProcess {
  /** May be wiped while the server is stopped. */
  readonly storeDirectory: string
}

export interface System {
  readonly url: string
  readonly port: number
  /** By instance: `identity`, `auction-1`, `gateway`, … */
  readonly services: ReadonlyMap<string, ServiceHandle>
  /** Undefined when DATABASE_URL was given. */
  readonly postgres: SupervisedProcess | undefined
  /** Undefined when NATS_URL was given. */
  readonly nats: NatsHandle | undefined
  readonly natsUrl: string
  /** Undefined when SMTP_URL was given, and in production. */
  readonly mailCatcher: SupervisedProcess | undefined
  /** Undefined when a payment provider is configured, and in production. */
  readonly paymentSandbox: SupervisedProcess | undefined
  /** The page that shows the caught mails. */
  readonly inboxUrl: string | undefined
  /** Of each service's own role. */
  readonly databaseUrls: ReadonlyMap<string, string>
  /** The administrator's, for the database of all services. */
  readonly adminDatabaseUrl: string
  /** Resolves when another start has taken the database of DATABASE_URL, and nothing is left but to stop. Undefined when the database is our own. */
  readonly databaseTaken: Promise<Error> | undefined
  /** What the seeding returned; undefined when nothing was seeded. */
  readonly seeded: unknown
  /** Gateway first, then the services, then the servers they stand on. */
  stop(): Promise<void>
}

/** Only then is a start said to take long. */
const startNoticeMs = 60_000
/** Services bring their tables up to date before they are ready, and Postgres goes through what a crash has left. Whoever is not let finish begins anew. */
const startTimeoutMs = 900_000

/**
 * Starts everything and resolves when people can use it. All of it ends with this process.
 * @throws when any part cannot be started, after stopping the others; the message says what to do
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { dataDir, log = () => {}, signal, host = 'localhost' } = options
  const progress = (line: string) => log('start', line)
  const port = options.port ?? (await findFreePort())
  const url = `http://localhost:${port}`
  const release = lockDataDirectory(dataDir, url)
  const sayLittleRoom = () => {
    const said = findLittleRoom(dataDir)
    if (said !== null) progress(said)
  }
  sayLittleRoom()
  const scripts = scriptsOf(repositoryRoot)
  const bundles = options.isWatching ? unbundled : bundle(repositoryRoot, scripts, progress)
  const bundled = Promise.all(scripts.map(bundles))
  // Heard with the servers below.
  bundled.catch(() => {})
  const parts: Parts = {
    progress,
    services: new Map(),
    postgres: undefined,
    nats: undefined,
    mailCatcher: undefined,
    paymentSandbox: undefined,
    databaseLock: undefined,
    isStopped: false,
  }
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopParts(parts).finally(release)
    return stopping
  }

  try {
    await requirePort(port, host)
    const publicUrl = options.publicUrl ?? url
    const [mail, payment] = [
      await prepareMail(options, parts, bundles),
      await preparePayment(options, publicUrl, parts, bundles),
    ]
    // Only the gateway needs the pages, and nothing needs the stand-ins at its start.
    const web =
      options.buildsWeb === false ? undefined : buildWeb(repositoryRoot, { withDevPages: !isProduction() }, progress)
    const standIns = bundled.then(() => startAll(parts, [parts.mailCatcher, parts.paymentSandbox]))
    // Whoever fails is heard below.
    for (const early of [web, standIns]) early?.catch(() => {})
    const [natsUrlOf, { adminDatabaseUrl, databaseUrls }] = await unlessAborted(
      // A source that cannot be read is said once, and not of each process.
      Promise.all([prepareNats(options, parts), prepareDatabase(options, parts), bundled]),
      signal,
    )
    const surroundings: Surroundings = {
      inherited: inheritedEnvironment(),
      instances: await chooseInstances(port, options.auctionInstances ?? 1, options.copies ?? 1),
      databaseUrls,
      natsUrlOf,
      ...mail,
      ...payment,
      vapidPrivateKey: vapidPrivateKey(dataDir),
      dataDir,
      publicUrl,
      publicHost: host,
      webDist: join(repositoryRoot, 'web', 'dist'),
      hasCopies: (options.copies ?? 1) > 1,
      rateLimitFactor: options.rateLimitFactor ?? (isProduction() ? 1 : 20),
      logLevel: options.logLevel ?? 'warn',
      seed: options.seed ?? 'none',
      overrides: options.environment ?? {},
    }
    await unlessAborted(Promise.all([startServices(options, surroundings, parts, { bundles, web }), standIns]), signal)
    const natsUrl = natsUrlOf('operator')
    // What fails because the start was given up is no news.
    const told = (line: string) => signal?.aborted || progress(line)
    const seeded =
      options.seed === 'demo'
        ? await unlessAborted(seed({ url, natsUrl, log: told, toldFile: join(dataDir, 'demo-deals.json') }), signal)
        : undefined
    const { services, postgres, nats, mailCatcher, paymentSandbox, databaseLock } = parts
    const inboxUrl = mailCatcher && `${publicUrl}/dev/inbox`
    const servers = { postgres, nats, natsUrl, mailCatcher, paymentSandbox, inboxUrl, databaseUrls, adminDatabaseUrl }
    return { url, port, services, ...servers, seeded, databaseTaken: databaseLock?.taken, stop }
  } catch (error) {
    // Again, as the last line before what went wrong, and while what takes the room is there.
    sayLittleRoom()
    await stop()
    throw error
  }
}

interface Parts {
  readonly progress: (line: string) => void
  readonly services: Map<string, ServiceHandle>
  postgres: SupervisedProcess | undefined
  nats: NatsHandle | undefined
  mailCatcher: SupervisedProcess | undefined
  paymentSandbox: SupervisedProcess | undefined
  databaseLock: DatabaseLock | undefined
  isStopped: boolean
}

async function stopParts(parts: Parts): Promise<void> {
  parts.isStopped = true
  const { services, postgres, nats, mailCatcher, paymentSandbox, databaseLock } = parts
  const gateways = [...services.values()].filter(({ service }) => service === 'gateway')
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  await Promise.all([...services.values()].map((service) => service.stop()))
  await mailCatcher?.stop()
  await paymentSandbox?.stop()
  await nats?.stop()
  await postgres?.stop()
  await databaseLock?.release()
}

async function prepareDatabase(options: SystemOptions, parts: Parts) {
  const { dataDir, databaseUrl, auctionInstances = 1, log = () => {} } = options
  if (databaseUrl) {
    await checkPostgres(databaseUrl, auctionInstances)
    const told = (line: string) => log('start', line)
    const { lock, ...urls } = await setUpExternalDatabase({ databaseUrl, dataDir, log: told })
    parts.databaseLock = lock
    // It took a while, and the others may have been stopped meanwhile.
    if (parts.isStopped) await lock.release()
    return urls
  }
  if (options.backupDir !== undefined) requireSameCluster(dataDir, options.backupDir)
  const port = await findFreePort()
  let serverUrl = ''
  parts.postgres = supervise({
    name: 'postgres',
    log: (line) => log('start', `postgres ${line}`),
    async launch() {
      const server = await launchPostgres({
        dataDir,
        port,
        log: (line) => log('postgres', line),
        connectionsMin: connectionsNeeded(auctionInstances, options.copies),
        settings: {
          ...(options.backupDir !== undefined && archiveSettings(options.backupDir)),
          ...options.postgresSettings,
        },
      })
      serverUrl = server.url
      return server
    },
  })
  await startPart(parts, parts.postgres)
  const databaseUrls = await ensureServiceRoles({
    adminUrl: serverUrl,
    database: DATABASE,
    services: databaseServices,
    passwords: loadSecrets(dataDir, databaseServices),
  })
  return { adminDatabaseUrl: withDatabase(serverUrl, DATABASE), databaseUrls }
}

/** @returns the address by which each of them may do what it needs; one address for all when the server is not ours */
async function prepareNats(options: SystemOptions, parts: Parts): Promise<(user: NatsUser) => string> {
  const { dataDir, natsUrl, log = () => {} } = options
  if (natsUrl) {
    await checkNats(natsUrl)
    return () => natsUrl
  }
  const binary = await locateNatsServer((line) => log('start', line))
  const [port, monitoringPort] = [await findFreePort(), await findFreePort()]
  const passwords = loadNatsPasswords(dataDir)
  const nats = supervise({
    name: 'nats',
    log: (line) => log('start', `nats ${line}`),
    launch: () => launchNats({ dataDir, port, monitoringPort, binary, passwords, log: (line) => log('nats', line) }),
  })
  parts.nats = Object.assign(nats, { storeDirectory: join(dataDir, 'nats', 'store') })
  await startPart(parts, nats)
  return (user) => natsUrlFor(user, passwords, port)
}

/** What catches mails when there is nobody to send them; not started yet. In production a service says what is missing then. */
async function prepareMail(options: SystemOptions, parts: Parts, bundles: Bundles) {
  const { dataDir, smtpUrl, logLevel = 'warn', log = () => {} } = options
  if (smtpUrl || isProduction()) return { smtpUrl, mailInboxUrl: undefined }
  const catcher = await prepareMailCatcher({ dataDir, logLevel, log, bundles })
  parts.mailCatcher = catcher.process
  return { smtpUrl: catcher.smtpUrl, mailInboxUrl: catcher.url }
}

/** What stands in for the payment provider where none is configured; not started yet. In production nothing can be bought then. */
async function preparePayment(options: SystemOptions, publicUrl: string, parts: Parts, bundles: Bundles) {
  const { dataDir, logLevel = 'warn', log = () => {} } = options
  const { BILLPLZ_API_KEY: key, BILLPLZ_API_KEY_FILE: file } = inheritedEnvironment()
  if (key || file || isProduction()) return {}
  const sandbox = await preparePaymentSandbox({ dataDir, publicUrl, logLevel, log, bundles })
  parts.paymentSandbox = sandbox.process
  return { paymentSandboxUrl: sandbox.url }
}

/** Who we are to push services: what the environment says, else a key of the data directory's own. In production nothing is pushed without one. */
function vapidPrivateKey(dataDir: string): string | undefined {
  const { VAPID_PRIVATE_KEY: key, VAPID_PRIVATE_KEY_FILE: file } = inheritedEnvironment()
  if (key || file || isProduction()) return undefined
  return loadSecrets(dataDir, ['vapid'], newVapidKey).vapid
}

/** Each process keeps its port over all its restarts. */
async function chooseInstances(gatewayPort: number, owners: number, copies: number): Promise<Instance[]> {
  const instances: Instance[] = []
  for (const service of databaseServices) {
    if (!mainScript(repositoryRoot, service)) continue
    if (service === 'auction') instances.push(...(await auctionInstances(owners, findFreePort, copies)))
    else for (const id of idsOf(service, copies)) instances.push({ id, service, port: await findFreePort() })
  }
  if (!mainScript(repositoryRoot, 'gateway')) return instances
  for (const id of idsOf('gateway', copies)) {
    const port = id === 'gateway' ? gatewayPort : await findFreePort()
    instances.push({ id, service: 'gateway', port })
  }
  return instances
}

/** All at once, but the gateway after the others and the pages, so that whoever reaches it finds everything ready. */
async function startServices(
  options: SystemOptions,
  surroundings: Surroundings,
  parts: Parts,
  builds: Builds,
): Promise<void> {
  const { log = () => {} } = options
  log('start', `Starting ${surroundings.instances.map(({ id }) => id).join(', ')} …`)
  for (const instance of surroundings.instances) {
    parts.services.set(instance.id, superviseService(instance, options, surroundings, builds))
  }
  const services = [...parts.services.values()]
  const isGateway = ({ service }: ServiceHandle) => service === 'gateway'
  await Promise.all([
    startAll(
      parts,
      services.filter((service) => !isGateway(service)),
    ),
    builds.web,
  ])
  await startAll(parts, services.filter(isGateway))
}

interface Builds {
  readonly bundles: Bundles
  /** The folder that has the web app; without it what `surroundings` name is served. */
  readonly web: Promise<string | undefined> | undefined
}

function superviseService(
  instance: Instance,
  options: SystemOptions,
  surroundings: Surroundings,
  { bundles, web }: Builds,
): ServiceHandle {
  const { log = () => {}, isWatching = false, rootOf = () => repositoryRoot } = options
  const environment: NodeJS.ProcessEnv = {}
  const url = urlOf(instance)
  const supervised = supervise({
    name: instance.id,
    log: (line) => log('start', `${instance.id} ${line}`),
    launch: async () => {
      const workingDirectory = rootOf(instance.service)
      const script = await bundles(mainScript(workingDirectory, instance.service) ?? '')
      const webDist = (instance.service === 'gateway' ? await web : undefined) ?? surroundings.webDist
      return launchService({
        args: [...(isWatching ? ['--watch', '--watch-preserve-output'] : []), script],
        workingDirectory,
        environment: { ...environmentOf(instance, { ...surroundings, webDist }), ...environment },
        url,
        onLine: (line) => log(instance.id, line),
      })
    },
  })
  return Object.assign(supervised, { service: instance.service, url, environment })
}

/** The seeding is a program of its own that uses the system as people do. */
async function seed(options: SeedOptions): Promise<unknown> {
  const file = join(import.meta.dirname, 'seed.ts')
  if (!existsSync(file)) return undefined
  const { seedDemo } = (await import(pathToFileURL(file).href)) as {
    seedDemo(options: SeedOptions): Promise<unknown>
  }
  return seedDemo(options)
}

interface SeedOptions {
  readonly url: string
  readonly natsUrl: string
  readonly log: (line: string) => void
  readonly toldFile: string
}

async function startAll(parts: Parts, all: readonly (SupervisedProcess | undefined)[]): Promise<void> {
  await Promise.all(all.map((each) => each && startPart(parts, each)))
}

/** Resolves when the part is ready. Nothing is started any more once the others are being stopped. */
async function startPart(parts: Parts, supervised: SupervisedProcess): Promise<void> {
  if (parts.isStopped) throw new Error(`${supervised.name} is not wanted any more.`)
  await startWithin(supervised, { noticeMs: startNoticeMs, timeoutMs: startTimeoutMs, log: parts.progress })
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  // What a start that is given up leaves behind is stopped, and fails by that.
  promise.catch(() => {})
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
