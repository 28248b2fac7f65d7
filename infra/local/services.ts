import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Every service with a database, in the order of the architecture. Each has a schema and a role of its name. */
export const databaseServices = ['identity', 'catalogue', 'auction', 'messaging', 'boost', 'admin'] as const

export type DatabaseService = (typeof databaseServices)[number]
export type ServiceName = DatabaseService | 'gateway'

/** One process to run. */
export interface Instance {
  /** `identity`, and `identity-2` for a further copy; owners of auctions have numbers from the first on: `auction-1`. */
  readonly id: string
  readonly service: ServiceName
  readonly port: number
  /** Of auction: whether it judges bids or answers who reads. */
  readonly auctionRole?: 'owner' | 'pages'
}

/** So many processes that judge bids, and beside them copies for whoever reads, so that no reader is felt by those who bid. */
export async function auctionInstances(
  owners: number,
  findPort: () => Promise<number>,
  copies = 1,
): Promise<Instance[]> {
  const instances: Instance[] = []
  for (let number = 1; number <= owners; number++) {
    instances.push({ id: `auction-${number}`, service: 'auction', port: await findPort(), auctionRole: 'owner' })
  }
  for (const id of idsOf('auction-pages', copies)) {
    instances.push({ id, service: 'auction', port: await findPort(), auctionRole: 'pages' })
  }
  return instances
}

/** What the copies of a process are called: the first one as if it were alone. */
export function idsOf(name: string, copies: number): string[] {
  return Array.from({ length: copies }, (_, index) => (index === 0 ? name : `${name}-${index + 1}`))
}

/** The script of a service, or undefined while the service does not exist. */
export function mainScript(repositoryRoot: string, service: ServiceName): string | undefined {
  const script = join(repositoryRoot, 'services', service, 'src', 'main.ts')
  return existsSync(script) ? script : undefined
}

export function mailCatcherScript(repositoryRoot: string): string {
  return join(repositoryRoot, 'infra', 'local', 'mail-catcher', 'main.ts')
}

export function paymentSandboxScript(repositoryRoot: string): string {
  return join(repositoryRoot, 'services', 'boost', 'src', 'sandbox', 'main.ts')
}

/** The scripts of all processes of ours. */
export function scriptsOf(repositoryRoot: string): readonly string[] {
  const services = [...databaseServices, 'gateway' as const].flatMap((name) => mainScript(repositoryRoot, name) ?? [])
  return [...services, mailCatcherScript(repositoryRoot), paymentSandboxScript(repositoryRoot)]
}

export interface Surroundings {
  /** What every process inherits. */
  readonly inherited: NodeJS.ProcessEnv
  readonly instances: readonly Instance[]
  /** By service. */
  readonly databaseUrls: ReadonlyMap<string, string>
  /** By who connects. */
  readonly natsUrlOf: (user: ServiceName) => string
  /** Undefined when there is none, and in production services then refuse to start. */
  readonly smtpUrl?: string | undefined
  /** Where caught mails are shown; undefined when they are really sent. */
  readonly mailInboxUrl?: string | undefined
  /** Where the bills of a payment sandbox are; undefined when payment is real, or not configured. */
  readonly paymentSandboxUrl?: string | undefined
  /** Undefined when the environment has one, and in production. */
  readonly vapidPrivateKey?: string | undefined
  readonly dataDir: string
  readonly publicUrl: string
  /** Where the gateway listens. The other services are reachable from this machine only. */
  readonly publicHost: string
  readonly webDist: string
  readonly rateLimitFactor: number
  /** Whether another process takes over from one that stops: otherwise nobody is helped by its going on for a while. */
  readonly hasCopies: boolean
  readonly logLevel: string
  readonly seed: 'demo' | 'none'
  /** Additions by service (`auction`), by instance (`auction-1`), or for all (`*`). */
  readonly overrides: Readonly<Record<string, NodeJS.ProcessEnv>>
}

/** The whole environment of one process; no service learns another's database. */
export function environmentOf(instance: Instance, surroundings: Surroundings): NodeJS.ProcessEnv {
  const { inherited, databaseUrls, overrides } = surroundings
  const isGateway = instance.service === 'gateway'
  const databaseUrl = databaseUrls.get(instance.service)
  const { smtpUrl, mailInboxUrl, paymentSandboxUrl, vapidPrivateKey } = surroundings
  return {
    NODE_ENV: 'development',
    ...inherited,
    INSTANCE_ID: instance.id,
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: String(instance.port),
    METRICS_PORT: '0',
    ...(instance.auctionRole && { AUCTION_ROLE: instance.auctionRole }),
    ...(isGateway && { HOST: surroundings.publicHost, PORT: String(instance.port), WEB_DIST: surroundings.webDist }),
    ...addresses(surroundings.instances),
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    NATS_URL: surroundings.natsUrlOf(instance.service),
    ...(!isGateway && smtpUrl && { SMTP_URL: smtpUrl }),
    ...(isGateway && mailInboxUrl && { MAIL_INBOX_URL: mailInboxUrl }),
    ...(isGateway && paymentSandboxUrl && { PAYMENT_SANDBOX_URL: paymentSandboxUrl }),
    ...(instance.service === 'boost' && paymentSandboxUrl && { BILLPLZ_URL: `${paymentSandboxUrl}/api` }),
    ...(instance.service === 'messaging' && vapidPrivateKey && { VAPID_PRIVATE_KEY: vapidPrivateKey }),
    DATA_DIR: surroundings.dataDir,
    PUBLIC_URL: surroundings.publicUrl,
    RATE_LIMIT_FACTOR: String(surroundings.rateLimitFactor),
    ...(!surroundings.hasCopies && { DRAIN_MS: '0' }),
    LOG_LEVEL: surroundings.logLevel,
    SEED: surroundings.seed,
    ...overrides['*'],
    ...overrides[instance.service],
    ...overrides[instance.id],
  }
}

export function urlOf(instance: Instance): string {
  return `http://127.0.0.1:${instance.port}`
}

/** IDENTITY_URL, CATALOGUE_URL, … and AUCTION_URLS, separated by commas, as there may be several. Owners are asked by nobody. */
function addresses(instances: readonly Instance[]): NodeJS.ProcessEnv {
  const variables: NodeJS.ProcessEnv = {}
  for (const service of databaseServices) {
    const urls = instances
      .filter((instance) => instance.service === service && instance.auctionRole !== 'owner')
      .map(urlOf)
    if (urls.length === 0) continue
    variables[service === 'auction' ? 'AUCTION_URLS' : `${service.toUpperCase()}_URL`] = urls.join(',')
  }
  return variables
}
