import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  ConfigError,
  endsWithHost,
  logLevels,
  portNumber,
  loadConfig as readConfig,
  readVariables,
  siteAdvice,
} from '@wangian/kit/service/config.ts'
import { isOnThisMachine, productionProblems } from '@wangian/kit/service/production.ts'
import { z } from 'zod'
import type { NatsSearch } from './servers/nats-binary.ts'

/** Everybody who tries the system here shares one address. */
const DEVELOPMENT_RATE_LIMIT_FACTOR = 20

/** The root of the repository. */
export const repositoryRoot = resolve(fileURLToPath(new URL('../..', import.meta.url)))

const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max))

const isAddress = (value: string, protocols: readonly string[]): boolean =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)

const address = (example: string, ...protocols: string[]) =>
  z.string().refine((value) => isAddress(value, protocols), `must be an address such as ${example}`)

/** One, or those of a cluster. */
const addresses = (example: string, ...protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => value.split(',').every((part) => isAddress(part.trim(), protocols)),
      `must be an address such as ${example}, or several with commas`,
    )

/** The names of the services' roles have the database's in front, and Postgres keeps 63 bytes of a name. */
const DATABASE_NAME_BYTES_MAX = 63 - '_catalogue'.length

/** Whether what an address has after its host is one name, which every reader of the address takes for the same; or nothing. */
function namesOneDatabase(value: string): boolean {
  if (!URL.canParse(value)) return true
  const path = new URL(value).pathname.slice(1)
  try {
    const name = decodeURIComponent(path)
    return name === decodeURI(path) && !name.includes('/') && Buffer.byteLength(name) <= DATABASE_NAME_BYTES_MAX
  } catch {
    return false
  }
}

const variables = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).optional(),
  PORT: wholeNumber(1, 65_535).default(8080),
  HOST: z.string().default('localhost'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: address('postgres://user:password@host:5432/wangian', 'postgres:', 'postgresql:')
    .refine(
      namesOneDatabase,
      `must name one database after the host, of at most ${DATABASE_NAME_BYTES_MAX} bytes and without a slash`,
    )
    .optional(),
  NATS_URL: addresses('nats://host:4222', 'nats:', 'tls:').optional(),
  SMTP_URL: address('smtps://user:password@mail.example.com', 'smtp:', 'smtps:').optional(),
  SEED: z.enum(['demo', 'none']).optional(),
  /** Where people find the system; that of the port here when not given. */
  PUBLIC_URL: address('https://wangian.example.com', 'http:', 'https:')
    .refine(endsWithHost, siteAdvice)
    .transform((value) => new URL(value).origin)
    .optional(),
  /** A hosted auth provider, where the people of the demo have no accounts. */
  AUTH_URL: z.string().optional(),
  /** Where backups go; our own Postgres then archives there whatever it writes. */
  BACKUP_DIR: z.string().optional(),
  AUCTION_INSTANCES: wholeNumber(1, 16).default(1),
  RATE_LIMIT_FACTOR: wholeNumber(1, 1_000_000).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
})

export interface LocalConfig {
  readonly port: number
  /** Where the gateway listens: this machine only, unless somebody says otherwise (HOST=0.0.0.0 in a container). */
  readonly host: string
  /** As services get it, and the web app: where people find the system. */
  readonly publicUrl: string | undefined
  readonly dataDir: string
  /** Where backups go, and what Postgres writes is archived. */
  readonly backupDir: string | undefined
  readonly databaseUrl: string | undefined
  readonly natsUrl: string | undefined
  /** The server that sends mails; without one they are caught, except in production. */
  readonly smtpUrl: string | undefined
  readonly seed: 'demo' | 'none'
  readonly auctionInstances: number
  /** How many times more than in production one address may ask, as everybody here shares one. */
  readonly rateLimitFactor: number
  readonly logLevel: string
  readonly isColoured: boolean
}

/**
 * What the environment says about a start.
 * @throws one error that names every variable with a value that cannot be used
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): LocalConfig {
  const read = readVariables(Object.keys(variables.shape), environment)
  if (read.problems.length > 0) throw new ConfigError(read.problems)
  // An empty value means the same as none, as in a shell's `PORT= npm start`.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const given = { ...set, ...read.values }
  const parsed = variables.safeParse(given)
  if (!parsed.success) {
    // The values themselves are not repeated: an address may hold a password.
    const problems = parsed.error.issues.map(({ path, message }) => `  ${String(path[0])}: ${message}`)
    throw new Error(`The environment has values that cannot be used:\n${problems.join('\n')}`)
  }
  const values = parsed.data
  const problems = isProduction(given)
    ? productionProblems(given, ['PUBLIC_URL', 'SMTP_URL'])
    : openedUnawares(values.NODE_ENV, given)
  if (problems.length > 0) throw new Error(`This start is not safe:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  if (values.SEED === 'demo' && values.AUTH_URL !== undefined) {
    throw new Error('SEED=demo: the people of the demo have no accounts at the hosted provider of AUTH_URL')
  }
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL,
    dataDir: resolve(repositoryRoot, values.DATA_DIR),
    backupDir: values.BACKUP_DIR === undefined ? undefined : resolve(repositoryRoot, values.BACKUP_DIR),
    databaseUrl: values.DATABASE_URL,
    natsUrl: values.NATS_URL,
    smtpUrl: values.SMTP_URL,
    seed: values.SEED ?? (values.AUTH_URL === undefined && !isProduction(given) ? 'demo' : 'none'),
    auctionInstances: values.AUCTION_INSTANCES,
    rateLimitFactor: values.RATE_LIMIT_FACTOR ?? (isProduction(given) ? 1 : DEVELOPMENT_RATE_LIMIT_FACTOR),
    logLevel: values.LOG_LEVEL,
    isColoured: Boolean(process.stdout.isTTY) && !environment.NO_COLOR,
  }
}

export function isProduction(environment: NodeJS.ProcessEnv = process.env): boolean {
  return readVariables(['NODE_ENV'], environment).values['NODE_ENV'] === 'production'
}

/** Others can get at a start for development, with its demo accounts and open mailbox, although nobody said that this is what it is. */
function openedUnawares(nodeEnv: string | undefined, { HOST, PUBLIC_URL }: NodeJS.ProcessEnv): string[] {
  if (nodeEnv !== undefined) return []
  const advice =
    'set NODE_ENV=production, or NODE_ENV=development if everybody may have the demo accounts and read all mails'
  return Object.entries({ HOST, PUBLIC_URL })
    .filter(([, value]) => value !== undefined && !isOnThisMachine(value))
    .map(([name, value]) => `${name}=${value} opens this system to others: ${advice}`)
}

/** What the mail catcher is told by the start that runs it. */
export function loadMailCatcherConfig() {
  return readConfig(
    z.object({
      servicePort: portNumber,
      smtpPort: portNumber,
      dataDir: z.string(),
      logLevel: z.enum(logLevels).default('warn'),
    }),
  )
}

/** Where nats-server may come from on this machine. */
export function natsSearch(environment: NodeJS.ProcessEnv = process.env): NatsSearch {
  return {
    environment,
    cacheDirectory: resolve(environment.XDG_CACHE_HOME || resolve(homedir(), '.cache'), 'wangian'),
    isRoot: process.getuid?.() === 0,
  }
}

/** What the build of the web app is told: whether pages that only developers need are in it. */
export function webBuildEnvironment(
  withDevPages: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return { ...environment, DEV_PAGES: withDevPages ? 'yes' : 'no' }
}

/** What this start tells each process itself: as a file besides, it would be given twice. */
const toldOn = ['NODE_ENV', 'RATE_LIMIT_FACTOR', 'LOG_LEVEL']

/**
 * What every service inherits: the person's own environment (storage and payment settings among it), without
 * what npm and this start mean for themselves, so that no service sees a database but its own.
 */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const ours = new Set([
    'PORT',
    'HOST',
    'DATA_DIR',
    'DATABASE_URL',
    'NATS_URL',
    'SMTP_URL',
    'SEED',
    'PUBLIC_URL',
    'BACKUP_DIR',
    'AUCTION_INSTANCES',
    'NODE_CHANNEL_FD',
  ])
  const inherited = Object.entries(environment).filter(
    ([name]) =>
      !ours.has(name.replace(/_FILE$/, '')) &&
      !toldOn.some((told) => name === `${told}_FILE`) &&
      !/^(npm_|VITEST|TEST_)/.test(name),
  )
  return { ...Object.fromEntries(inherited), ...readVariables(toldOn, environment).values }
}
