import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { type Bundles, bundle } from '../local/builds/bundles.ts'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'
import { launchService } from '../local/processes/service-process.ts'
import { type SupervisedProcess, supervise } from '../local/processes/supervisor.ts'
import { loadSecrets } from '../local/secrets.ts'
import { launchNats, locateNatsServer } from '../local/servers/nats.ts'
import { launchPostgres } from '../local/servers/postgres.ts'
import { makeDataDirectory } from '../local/servers/postgres-directory.ts'
import {
  auctionInstances,
  environmentOf,
  type Instance,
  mainScript,
  type Surroundings,
  scriptsOf,
  urlOf,
} from '../local/services.ts'
import { ensureServiceRoles, withDatabase } from '../postgres/roles.ts'
import { OpenedAuctions } from './opened-auctions.ts'

export interface AuctionRigOptions {
  readonly auctionInstances?: number
  readonly log?: (source: string, line: string) => void
  readonly postgresSettings?: Readonly<Record<string, string>>
  /** Additions to the environment of Postgres, for example LD_PRELOAD. */
  readonly postgresEnvironment?: NodeJS.ProcessEnv
  readonly logLevel?: string
  /** So high by default that nobody meets a limit; 1 is production. */
  readonly rateLimitFactor?: number
  /** How many servers of NATS keep the streams together; one by default. */
  readonly natsServers?: 1 | 3
  /** Whether the catalogue runs, too. */
  readonly hasCatalogue?: boolean
  /** Whether messaging runs, too. */
  readonly hasMessaging?: boolean
  /** Given the port of Postgres, the port that the owners are told instead: of whatever stands between. */
  readonly routeDatabase?: (port: number) => Promise<number>
  /** Given the port of the only server of NATS, the port that the gateway is told instead. */
  readonly routeGatewayBus?: (port: number) => Promise<number>
  /** Where the rig's data are; the system's folder for such when not given. */
  readonly parentDirectory?: string
}

export interface AuctionProcess extends SupervisedProcess {
  readonly url: string
  /** Additions to its environment from the next start on. */
  readonly environment: NodeJS.ProcessEnv
}

export interface NatsProcess extends SupervisedProcess {
  readonly storeDirectory: string
}

/** The real processes between a bidder's socket and the log, and nothing else: no web app, no accounts, no catalogue. */
export interface AuctionRig {
  readonly gatewayUrl: string
  readonly socketUrl: string
  /** Of all servers of NATS, with commas. */
  readonly natsUrl: string
  /** Of the server's superuser, for the services' database. */
  readonly adminDatabaseUrl: string
  readonly auctionDatabaseUrl: string
  /** Of the catalogue, if it runs. */
  readonly catalogue: { readonly url: string; readonly databaseUrl: string; readonly process: SupervisedProcess } | null
  /** Of messaging, if it runs. */
  readonly messaging: { readonly url: string; readonly databaseUrl: string; readonly process: SupervisedProcess } | null
  /** Of a schema that no process of the rig uses: for whoever follows the auctions' events. */
  readonly followerDatabaseUrl: string
  readonly postgres: SupervisedProcess
  /** The only server of NATS, or the first. */
  readonly nats: NatsProcess
  readonly natsServers: readonly NatsProcess[]
  readonly gateway: SupervisedProcess
  /** Those that judge bids. */
  readonly auctions: readonly AuctionProcess[]
  /** The one that answers who reads. */
  readonly auctionPages: AuctionProcess
  readonly opened: OpenedAuctions
  /** Of this process, for what a test sends or hears itself. */
  readonly natsConnection: NatsConnection
  /** An application token, signed by a key that only this rig's processes accept. */
  tokenFor(userId: number): Promise<string>
  /** The newest output of all processes, for the message of a failure. */
  recentOutput(): string
  stop(): Promise<void>
}

const database = 'wangian'
const recentLinesMax = 200
/** What one address and one bidder may do is not what most rigs measure. */
const UNLIMITED_FACTOR = 1_000_000

/** Starts Postgres (everything durable), NATS, the auction owners and a gateway on free ports, with data of their own. */
export async function startAuctionRig(options: AuctionRigOptions = {}): Promise<AuctionRig> {
  const dataDir = mkdtempSync(join(options.parentDirectory ?? tmpdir(), 'wangian-rig-'))
  makeDataDirectory(dataDir)
  const lines: string[] = []
  const log = (source: string, line: string) => {
    lines.push(`${source}: ${line}`)
    if (lines.length > recentLinesMax) lines.shift()
    options.log?.(source, line)
  }
  const removeData = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  // Whoever is interrupted does not come to stop it; the processes end by themselves.
  process.once('exit', removeData)
  const cleanUps: (() => unknown)[] = [removeData, () => process.off('exit', removeData)]
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  }

  try {
    const tokens = await createTestTokens()
    const keys = await tokens.serveKeys()
    cleanUps.push(() => keys.stop())
    const [servers, nats] = await Promise.all([
      startDatabase(options, dataDir, log, cleanUps),
      startBus(options, dataDir, log, cleanUps),
    ])
    const natsConnection = await connectNats({ url: nats.url, name: 'rig' })
    cleanUps.push(() => natsConnection.close())
    // In identity's place, of which there is only the key: no session has ended.
    serveRequests(natsConnection, 'identity', identityRequests.listRevocations, () => ({
      revocations: [],
      settledId: 0,
    }))
    const surroundings = await surroundingsOf(options, {
      dataDir,
      identityPort: Number(new URL(keys.jwksUrl).port),
      databaseUrls: servers.databaseUrls,
      natsUrl: nats.url,
      gatewayNatsUrl: nats.gatewayUrl,
    })
    const bundles = bundle(repositoryRoot, scriptsOf(repositoryRoot), (line) => log('rig', line))
    const launched = surroundings.instances
      .filter(({ service }) => isThere(service, options))
      .map((instance) => superviseService(instance, surroundings, bundles, log))
    cleanUps.push(async () => {
      for (const service of launched.toReversed()) await service.stop()
    })
    await Promise.all(launched.map((service) => service.start()))
    const gateway = launched.find(({ name }) => name === 'gateway')
    if (gateway === undefined) throw new Error('a rig has a gateway')
    const partOf = (name: 'catalogue' | 'messaging') => {
      const process = launched.find((service) => service.name === name)
      return process ? { url: process.url, databaseUrl: servers.databaseUrls.get(name) ?? '', process } : null
    }
    const auctionPages = launched.find(({ auctionRole }) => auctionRole === 'pages')
    if (auctionPages === undefined) throw new Error('a rig has pages of auctions')

    return {
      gatewayUrl: gateway.url,
      socketUrl: `${gateway.url.replace('http', 'ws')}/ws`,
      natsUrl: nats.url,
      adminDatabaseUrl: servers.adminDatabaseUrl,
      auctionDatabaseUrl: servers.databaseUrls.get('auction') ?? '',
      catalogue: partOf('catalogue'),
      messaging: partOf('messaging'),
      followerDatabaseUrl: servers.databaseUrls.get('admin') ?? '',
      postgres: servers.postgres,
      nats: nats.first,
      natsServers: nats.servers,
      gateway,
      auctions: launched.filter(({ auctionRole }) => auctionRole === 'owner'),
      auctionPages,
      opened: new OpenedAuctions(natsConnection),
      natsConnection,
      tokenFor: (userId) => tokens.tokenFor({ id: userId, isSeller: false }),
      recentOutput: () => lines.join('\n'),
      stop,
    }
  } catch (error) {
    await stop()
    throw new Error(`the rig did not start:\n${lines.join('\n')}`, { cause: error })
  }
}

/** Others have an address here and do not run. */
function isThere(service: string, { hasCatalogue = false, hasMessaging = false }: AuctionRigOptions): boolean {
  if (service === 'catalogue') return hasCatalogue
  if (service === 'messaging') return hasMessaging
  return service === 'auction' || service === 'gateway'
}

type Log = (source: string, line: string) => void

async function startDatabase(options: AuctionRigOptions, dataDir: string, log: Log, cleanUps: (() => unknown)[]) {
  const port = await findFreePort()
  let serverUrl = ''
  const postgres = supervise({
    name: 'postgres',
    log: (line) => log('rig', `postgres ${line}`),
    async launch() {
      const server = await launchPostgres({
        dataDir,
        port,
        log: (line) => log('postgres', line),
        settings: options.postgresSettings ?? {},
        environment: options.postgresEnvironment ?? {},
      })
      serverUrl = server.url
      return server
    },
  })
  cleanUps.push(() => postgres.stop())
  await postgres.start()
  const more = (['catalogue', 'messaging'] as const).filter((service) => isThere(service, options))
  const services = ['auction', 'admin', ...more]
  const databaseUrls = await ensureServiceRoles({
    adminUrl: serverUrl,
    database,
    services,
    passwords: loadSecrets(dataDir, services),
  })
  if (options.routeDatabase) {
    const routed = new URL(databaseUrls.get('auction') ?? '')
    routed.port = String(await options.routeDatabase(port))
    databaseUrls.set('auction', routed.href)
  }
  return { postgres, databaseUrls, adminDatabaseUrl: withDatabase(serverUrl, database) }
}

async function startBus(
  { natsServers: count = 1, routeGatewayBus }: AuctionRigOptions,
  dataDir: string,
  log: Log,
  cleanUps: (() => unknown)[],
) {
  const binary = await locateNatsServer((line) => log('nats', line))
  const ports: { readonly client: number; readonly monitoring: number; readonly route: number }[] = []
  for (let number = 0; number < count; number++)
    ports.push({ client: await findFreePort(), monitoring: await findFreePort(), route: await findFreePort() })
  const natsAddress = (port: number) => `nats://127.0.0.1:${port}`
  const routes = ports.map(({ route }) => natsAddress(route))
  const servers = ports.map(({ client, monitoring, route }, index): NatsProcess => {
    const name = count === 1 ? 'nats' : `nats-${index + 1}`
    const ownDir = count === 1 ? dataDir : join(dataDir, name)
    const server = supervise({
      name,
      log: (line) => log('rig', `${name} ${line}`),
      launch: () =>
        launchNats({
          dataDir: ownDir,
          port: client,
          monitoringPort: monitoring,
          binary,
          ...(count > 1 && { cluster: { serverName: name, port: route, routes } }),
          log: (line) => log(name, line),
        }),
    })
    return Object.assign(server, { storeDirectory: join(ownDir, 'nats', 'store') })
  })
  cleanUps.push(() => Promise.all(servers.map((server) => server.stop())))
  // Several are ready only together.
  await Promise.all(servers.map((server) => server.start()))
  const [[first], [firstPort]] = [servers, ports]
  if (first === undefined || firstPort === undefined) throw new Error('a rig has a server of NATS')
  const url = ports.map(({ client }) => natsAddress(client)).join(',')
  const gatewayUrl = routeGatewayBus ? natsAddress(await routeGatewayBus(firstPort.client)) : url
  return { servers, first, url, gatewayUrl }
}

async function surroundingsOf(
  { auctionInstances: owners = 1, logLevel = 'warn', rateLimitFactor = UNLIMITED_FACTOR }: AuctionRigOptions,
  facts: {
    dataDir: string
    identityPort: number
    databaseUrls: ReadonlyMap<string, string>
    natsUrl: string
    gatewayNatsUrl: string
  },
): Promise<Surroundings> {
  const instances: Instance[] = [
    // Serves our keys, and is asked for nothing else.
    { id: 'identity', service: 'identity', port: facts.identityPort },
    { id: 'catalogue', service: 'catalogue', port: await findFreePort() },
    // The gateway has to know where they would be.
    { id: 'messaging', service: 'messaging', port: await findFreePort() },
    { id: 'boost', service: 'boost', port: await findFreePort() },
    { id: 'admin', service: 'admin', port: await findFreePort() },
  ]
  instances.push(...(await auctionInstances(owners, findFreePort)))
  const gateway: Instance = { id: 'gateway', service: 'gateway', port: await findFreePort() }
  return {
    inherited: inheritedEnvironment(),
    instances: [...instances, gateway],
    databaseUrls: facts.databaseUrls,
    natsUrlOf: (user) => (user === 'gateway' ? facts.gatewayNatsUrl : facts.natsUrl),
    dataDir: facts.dataDir,
    publicUrl: urlOf(gateway),
    publicHost: '127.0.0.1',
    webDist: '',
    hasCopies: false,
    rateLimitFactor,
    logLevel,
    seed: 'none',
    overrides: {},
  }
}

function superviseService(instance: Instance, surroundings: Surroundings, bundles: Bundles, log: Log) {
  const environment: NodeJS.ProcessEnv = {}
  const url = urlOf(instance)
  const supervised = supervise({
    name: instance.id,
    log: (line) => log('rig', `${instance.id} ${line}`),
    launch: async () =>
      launchService({
        args: [await bundles(mainScript(repositoryRoot, instance.service) ?? '')],
        workingDirectory: repositoryRoot,
        environment: { ...environmentOf(instance, surroundings), ...environment },
        url,
        onLine: (line) => log(instance.id, line),
      }),
  })
  return Object.assign(supervised, { url, environment, auctionRole: instance.auctionRole })
}
