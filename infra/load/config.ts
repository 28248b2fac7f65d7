import { homedir } from 'node:os'
import { delimiter, resolve } from 'node:path'
import { z } from 'zod'
import type { GivenSizes } from './options.ts'
import type { Limits } from './thresholds.ts'

const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max))

const variables = z.object({
  BASE_URL: z
    .string()
    .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'must be an address such as https://host')
    .optional(),
  BIDDERS: wholeNumber(1, 5000).optional(),
  WATCHERS: wholeNumber(0, 20_000).optional(),
  AUCTIONS: wholeNumber(1, 5000).optional(),
  RATE: wholeNumber(1, 100_000).optional(),
  VISITORS: wholeNumber(1, 5000).optional(),
  PAGES: wholeNumber(1, 10_000).optional(),
  PAIRS: wholeNumber(1, 1000).optional(),
  DEALS: wholeNumber(1, 10_000).optional(),
  BOOSTS: wholeNumber(0, 600).optional(),
  DURATION_S: wholeNumber(1, 24 * 3600).default(10),
  PROCESSES: wholeNumber(1, 32).default(1),
  ACCEPT_P95_MS: wholeNumber(1, 60_000).default(250),
  LAG_P95_MS: wholeNumber(1, 60_000).default(500),
  PAGE_P95_MS: wholeNumber(1, 60_000).default(500),
  MESSAGE_P95_MS: wholeNumber(1, 60_000).default(250),
  STEP_P95_MS: wholeNumber(1, 60_000).default(500),
  RATE_LIMIT_FACTOR: wholeNumber(1, 1_000_000).default(1000),
  OUT_DIR: z.string().optional(),
  MAILPIT_URL: z.url().optional(),
  DISTURBED: z.enum(['0', '1']).default('0'),
})

/** What was asked of a run; sizes that are not given are each script's own. */
export interface LoadConfig {
  /** A system that runs already; without it one is started here. */
  readonly baseUrl: string | undefined
  /** Where Mailpit shows the mails of that system; they are at `/dev/inbox` without it. */
  readonly mailpitUrl: string | undefined
  /** Whether parts of it are killed meanwhile. */
  readonly isDisturbed: boolean
  readonly sizes: GivenSizes
  readonly durationS: number
  /** How many processes of k6 share the work. */
  readonly processes: number
  readonly limits: Limits
  /** Of the system that is started here. */
  readonly rateLimitFactor: number
  /** Where to leave what was prepared and measured, an absolute path; nowhere when not given. */
  readonly outDirectory: string | undefined
}

/**
 * What the environment says about a run.
 * @throws one error that names every variable with a value that cannot be used
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): LoadConfig {
  // An empty value means the same as none, as in a shell's `RATE= npm run load`.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0])
      return `  ${name}=${environment[name]}: ${message}`
    })
    throw new Error(`The environment has values that cannot be used:\n${problems.join('\n')}`)
  }
  const values = parsed.data
  return {
    baseUrl: values.BASE_URL?.replace(/\/+$/, ''),
    mailpitUrl: values.MAILPIT_URL?.replace(/\/+$/, ''),
    isDisturbed: values.DISTURBED === '1',
    sizes: {
      bidders: values.BIDDERS,
      watchers: values.WATCHERS,
      auctions: values.AUCTIONS,
      ratePerS: values.RATE,
      visitors: values.VISITORS,
      pagesPerS: values.PAGES,
      pairs: values.PAIRS,
      dealsPerMinute: values.DEALS,
      boostsPerMinute: values.BOOSTS,
    },
    durationS: values.DURATION_S,
    processes: values.PROCESSES,
    limits: {
      acceptP95Ms: values.ACCEPT_P95_MS,
      lagP95Ms: values.LAG_P95_MS,
      pageP95Ms: values.PAGE_P95_MS,
      messageP95Ms: values.MESSAGE_P95_MS,
      stepP95Ms: values.STEP_P95_MS,
    },
    rateLimitFactor: values.RATE_LIMIT_FACTOR,
    outDirectory: values.OUT_DIR === undefined ? undefined : resolve(values.OUT_DIR),
  }
}

/** Where k6 may be on this machine, and what to run it with. */
export interface K6Search {
  /** The folders of the PATH in their order. */
  readonly searchPath: readonly string[]
  /** Where a copy of ours is kept between runs and shared between checkouts. */
  readonly cacheDirectory: string
  readonly environment: NodeJS.ProcessEnv
}

export function k6Search(environment: NodeJS.ProcessEnv = process.env): K6Search {
  return {
    searchPath: (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    cacheDirectory: resolve(environment['XDG_CACHE_HOME'] || resolve(homedir(), '.cache'), 'wangian'),
    environment,
  }
}

/**
 * The person's environment without what would change a script's options behind its back: `K6_VUS` and the like, and our own
 * variables, which are in what was prepared.
 */
export function k6Environment(
  extra: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('K6_') && !(name in variables.shape))
  return { ...Object.fromEntries(kept), K6_AUTO_EXTENSION_RESOLUTION: 'false', ...extra }
}
