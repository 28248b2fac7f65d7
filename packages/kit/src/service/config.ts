import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { z } from 'zod'
import { productionProblems } from './production.ts'

/** What `sysexits.h` calls EX_CONFIG: a supervisor need not start the process again before somebody has changed it. */
export const EXIT_CODE_CONFIG = 78

/** The environment has values that cannot be used; `problems` names each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The environment has values that cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** A whole number in a variable, e.g. `wholeNumber(1, 16)`. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
}

/** Addresses and networks (`10.0.0.0/8`), separated by commas. */
export const networks = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .pipe(z.array(z.string().refine(isNetwork, 'must be addresses or networks such as 10.0.0.5,10.1.0.0/16')))

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

/** A TCP port; 0 lets the system choose. */
export const portNumber = wholeNumber(0, 65_535)

/** An address with one of these protocols (`http:`), as text without a trailing slash. */
export function address(...protocols: readonly string[]) {
  return z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )
    .transform((value) => value.replace(/\/+$/, ''))
}

/** Where people find a site, as its origin. Its pages are right below the host: with anything behind that no link in a mail would lead to one. */
export function siteAddress(...protocols: readonly string[]) {
  return address(...protocols)
    .refine(endsWithHost, siteAdvice)
    .transform((value) => new URL(value).origin)
}

export const siteAdvice = 'must end with the host, or with its port'

/** Whether an address names a site and nothing within it. What is no address at all is told so elsewhere. */
export function endsWithHost(value: string): boolean {
  if (!URL.canParse(value)) return true
  const { username, password, pathname, search, hash } = new URL(value)
  return [username, password, search, hash].every((part) => part === '') && /^\/*$/.test(pathname)
}

/** Several addresses, separated by commas. */
export function addresses(...protocols: readonly string[]) {
  return z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(address(...protocols)).min(1))
}

/** `true` or `false`, also `1` or `0`. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1')

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** A Postgres URL, for services with a database: `serviceEnvironment.extend({ databaseUrl: databaseAddress })`. */
export const databaseAddress = address('postgres:', 'postgresql:')

/** The variables that every service has, by the names that the values get; extend it with a service's own. */
export const serviceEnvironment = z.object({
  serviceHost: z.string().default('127.0.0.1'),
  servicePort: portNumber,
  /** Tells the copies of one service apart, e.g. `auction-1`; of `auction-{hostname}` each machine or container makes its own. */
  instanceId: z
    .string()
    .transform((value) =>
      value.replace(
        '{hostname}',
        hostname()
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-'),
      ),
    )
    .pipe(z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be a name such as auction-1')),
  natsUrl: z
    .string()
    .refine(
      (value) => value.split(',').every((part) => URL.canParse(part) && /^(nats|tls):$/.test(new URL(part).protocol)),
      'must be one or more addresses such as nats://127.0.0.1:4222',
    ),
  logLevel: z.enum(logLevels).default('info'),
  /** Whoever forgets it has the careful one. */
  nodeEnv: z.enum(['development', 'production', 'test']).default('production'),
  dataDir: z.string().default('.data'),
  publicUrl: siteAddress('http:', 'https:').default('http://localhost:8080'),
  /** Of identity's copies; for each service one address or several. */
  identityUrl: addresses('http:', 'https:'),
  /** For how long a process that is told to stop goes on answering, so that whoever asks it notices and asks another one; no longer than anybody is connected. */
  drainMs: wholeNumber(0, 8000).default(1500),
  /** How many times more than in production one address may ask. */
  rateLimitFactor: wholeNumber(1, 1_000_000).default(1),
  seed: z.enum(['demo', 'none']).default('none'),
  /** The OpenTelemetry collector that traces are sent to by OTLP over HTTP, e.g. `http://collector:4318`; without it there are none. */
  otelExporterOtlpEndpoint: address('http:', 'https:').optional(),
  /** How much of all traces is kept. */
  otelTracesSamplerArg: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
  /** Whose word counts for who is asking, and whether by TLS: what stands in front of us. This machine's own processes come on top. */
  trustedProxies: networks.default([]),
})
/** Where a service keeps pictures: extend with these, and refine with {@link hasWholeBucket}. */
export const pictureSettings = {
  /** The server that speaks S3; without it pictures are in the data directory. */
  s3Endpoint: address('http:', 'https:').optional(),
  s3Bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  s3Region: z.string().default('us-east-1'),
  s3AccessKeyId: z.string().optional(),
  s3SecretAccessKey: z.string().optional(),
}

/** Whether a bucket is named with all that it takes: `.refine(hasWholeBucket, wholeBucketAdvice)`. */
export function hasWholeBucket(values: {
  s3Endpoint?: string | undefined
  s3Bucket?: string | undefined
  s3AccessKeyId?: string | undefined
  s3SecretAccessKey?: string | undefined
}): boolean {
  const { s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey } = values
  return (
    new Set([s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey].map((value) => value === undefined)).size === 1
  )
}

export const wholeBucketAdvice = {
  path: ['s3Endpoint'],
  message: 'is needed together with S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
  params: { advice: 'it is needed together with S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY' },
}

/** How a service sends mail. In production there must be a server. */
export const mailSettings = {
  /** Without one mails wait in the queue, which only development allows. */
  smtpUrl: address('smtp:', 'smtps:').optional(),
  mailFrom: z
    .string()
    .regex(/^[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/, 'must be like Wangian <no-reply@example.com>')
    .default('Wangian <no-reply@wangian.test>'),
}

export type ServiceEnvironment = z.infer<typeof serviceEnvironment>

/**
 * What is set of these variables, in the environment or in the file that `<NAME>_FILE` names, as secrets are given to containers. What is
 * empty counts as absent.
 * @returns the values by variable, and a sentence for each variable that cannot be read
 */
export function readVariables(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): { readonly values: Readonly<Record<string, string>>; readonly problems: readonly string[] } {
  const values: Record<string, string> = {}
  const problems: string[] = []
  for (const name of names) {
    const file = environment[`${name}_FILE`] || undefined
    if (file !== undefined && environment[name]) problems.push(`${name} and ${name}_FILE are both set: use one of them`)
    try {
      const value = file === undefined ? environment[name] : readFileSync(file, 'utf8').trim()
      if (value) values[name] = value
    } catch (error) {
      problems.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return { values, problems }
}

/**
 * Reads the variables of `shape` from the environment, see {@link readVariables}: the value `servicePort` comes from `SERVICE_PORT`. When values cannot be used, all of them are named at once on stderr and the process ends
 * with {@link EXIT_CODE_CONFIG}.
 * @throws ConfigError instead when an `environment` other than the process's is given (tests)
 */
export function loadConfig<Shape extends z.ZodObject>(
  shape: Shape,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.infer<Shape> {
  const names = Object.keys(shape.shape)
  const read = readVariables(names.map(variableName), environment)
  const given: Record<string, string> = {}
  for (const name of names) {
    const value = read.values[variableName(name)]
    if (value !== undefined) given[name] = value
  }
  const parsed = shape.safeParse(given)
  const problems =
    read.problems.length > 0
      ? read.problems
      : parsed.success
        ? problemsOf(shape, parsed.data, given)
        : parsed.error.issues.map((issue) => describe(issue, given))
  if (parsed.success && problems.length === 0) return parsed.data
  const error = new ConfigError(problems)
  if (environment !== process.env) throw error
  process.stderr.write(`${error.message}\n`)
  return process.exit(EXIT_CODE_CONFIG)
}

/** What is wrong in production with values that each for itself could be used. */
function problemsOf(shape: z.ZodObject, values: unknown, given: Readonly<Record<string, string>>): string[] {
  if ((values as { nodeEnv?: string }).nodeEnv !== 'production') return []
  const variables = Object.fromEntries(Object.entries(given).map(([name, value]) => [variableName(name), value]))
  const needed = (['publicUrl', 'smtpUrl'] as const).filter((name) => name in shape.shape)
  return productionProblems(
    variables,
    needed.map((name) => (name === 'publicUrl' ? 'PUBLIC_URL' : 'SMTP_URL')),
  )
}

/** `servicePort` to `SERVICE_PORT`. */
export function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

function describe(issue: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string {
  const name = String(issue.path[0] ?? '')
  if (name === '') return issue.message
  const value = given[name]
  // The value itself is not repeated: it may hold a password.
  if (value !== undefined) return `${variableName(name)}: ${issue.message}`
  const advice = issue.code === 'custom' ? issue.params?.['advice'] : undefined
  return `${variableName(name)} is missing${advice === undefined ? '' : `: ${advice}`}`
}
