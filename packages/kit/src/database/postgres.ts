import type { ConnectionOptions } from 'node:tls'
import { createPgDriverFactory } from '@slonik/pg-driver'
import { Client } from 'pg'
import {
  type CommonQueryMethods,
  createPool,
  type DatabaseTransactionConnection,
  type DriverTypeParser,
  type Interceptor,
  InvalidInputError,
  type DatabasePool as Pool,
  type QuerySqlToken,
  sql as sqlTag,
  UniqueIntegrityConstraintViolationError,
} from 'slonik'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { type Logger, silentLogger } from '../service/logger.ts'

/**
 * The tag of all statements: `` sql.type(zodSchema)`select …` `` parses each row, `` sql.unsafe`…` `` is for statements
 * whose rows nobody reads. Values are always bound, never spliced into the text.
 */
export const sql = sqlTag

/** A part of a statement, with its values. */
export type Fragment = ReturnType<typeof sql.fragment>

/**
 * Prepares statements whose texts are put together from parts, as the filters of a list are, and so have no names of their own. What people write is never a
 * part of a text. Each connection keeps the plan of each text: of more than `max` those that come last are planned each time.
 * @param name what the names of these statements begin with
 */
export function textPreparer(name: string, max = 100) {
  const names = new Map<string, string>()
  return <Row extends z.ZodType>(statement: QuerySqlToken<Row>): QuerySqlToken<Row> => {
    const { sql: text } = statement
    if (!names.has(text) && names.size < max) names.set(text, `${name}-${names.size}`)
    const known = names.get(text)
    return known === undefined ? statement : { ...statement, name: known }
  }
}

/** Rows that many statements have. A shape is made once and not with each statement: that, and to compile it, takes longer than to parse. */
export const IdRow = z.object({ id: z.number() })
export const CountRow = z.object({ count: z.number() })
/** Of what nobody reads. */
export const NoRow = z.object({})

export type DatabasePool = Pool
/** What a store function takes first: the pool, or the transaction that it must be part of. */
export type Executor = CommonQueryMethods
export type Transaction = DatabaseTransactionConnection

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 5_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 5_000
const LOCK_NOT_AVAILABLE = '55P03'
/** The pool gives out the connection that was used last (`patches/`), so that those beyond what is needed at once rest this long and are closed. */
const IDLE_CONNECTION_TIMEOUT_MS = 15_000
/** What an address says of TLS that the pool would read for itself. */
const sslParameters = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert'] as const
/** Callers beyond this many per connection are turned away at once: they would time out in the queue anyway. */
const WAITING_PER_CONNECTION_MAX = 50

/**
 * Opens a pool of connections; it replaces the ones that break by itself. What comes out of it: `int8` and `numeric`
 * (counts, sums, averages) are numbers, `timestamptz` is ISO 8601 in UTC with milliseconds, `date` and `timestamp` are
 * text, `json` is parsed. An integer beyond 2^53 throws instead of being rounded. Columns named `seller.id` and `seller.name` are an object
 * `seller`, or `null` when all of them are: for less than JSON costs, which Postgres writes and we parse.
 * @throws when the database cannot be reached now; later queries throw while it cannot and work again when it can
 */
export async function openPool(options: {
  readonly url: string
  /** Seen in pg_stat_activity, e.g. `auction-1`. */
  readonly applicationName: string
  readonly connectionsMax?: number
  readonly connectTimeoutMs?: number
  readonly statementTimeoutMs?: number
  /**
   * Whether statements are planned without their values, and those that are prepared only once. As it comes Postgres plans one anew each time whose
   * plan seems cheaper with them: without them it assumes ten elements of an array, so it does for each that has fewer.
   */
  readonly plansOnce?: boolean
  readonly log?: Logger
}): Promise<DatabasePool> {
  const log = options.log ?? silentLogger
  const connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX
  const url = new URL(options.url)
  url.searchParams.set('application_name', options.applicationName)
  if (options.plansOnce) {
    const given = url.searchParams.get('options') ?? ''
    url.searchParams.set('options', `${given} -c plan_cache_mode=force_generic_plan`.trim())
  }

  const ssl = tlsOf(options.url)
  for (const name of sslParameters) url.searchParams.delete(name)

  const pool: DatabasePool = await createPool(url.href, {
    driverFactory: createPgDriverFactory(),
    ...(ssl !== null && { ssl }),
    maxPoolSize: connectionsMax,
    connectionTimeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statementTimeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    idleInTransactionSessionTimeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    idleTimeout: IDLE_CONNECTION_TIMEOUT_MS,
    gracefulTerminationTimeout: 1_000,
    // A caller knows better than the driver what may be done twice.
    connectionRetryLimit: 0,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    // The default, `discard all`, costs a round trip per query. Nobody here sets session state through the pool.
    resetConnection: async () => {},
    typeParsers,
    interceptors: [
      {
        name: 'turn-away',
        beforePoolConnection: () => {
          if (pool.state().waitingClients < connectionsMax * WAITING_PER_CONNECTION_MAX) return null
          throw new Failure('too many callers wait for a database connection')
        },
      },
      parseRows,
    ],
  })
  pool.on('error', (error) => {
    // What is wrong with a statement is told to whoever sent it, and no matter of the connection.
    if (!isOfStatement(error)) log.warn({ err: error }, 'a database connection broke')
  })
  return pool
}

/** How the address wants TLS, as all our other connections read it. The pool itself refuses most of Postgres' modes, and overlooks certificates. */
function tlsOf(address: string): ConnectionOptions | null {
  // Its type knows of no options.
  const { ssl }: { readonly ssl: boolean | ConnectionOptions } = new Client({ connectionString: address })
  if (ssl === true) return {}
  return ssl || null
}

/** Whether the database answers; for readiness, so a failure is an answer too. */
export async function canRead(executor: Executor): Promise<boolean> {
  try {
    await executor.query(sql.unsafe`select 1`)
    return true
  } catch {
    return false
  }
}

/** Whether a statement failed because a row with these unique values exists; `constraint` narrows it to one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof UniqueIntegrityConstraintViolationError)) return false
  return constraint === undefined || error.constraint === constraint
}

/** Of the SQLSTATEs those of data, constraints and conflicts. */
function isOfStatement(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Of these slonik tells no code.
    if (cause instanceof InvalidInputError) return true
    if ('code' in cause && typeof cause.code === 'string' && /^(2[0-9A-Z]|40|42|P0)[0-9A-Z]{3}$/.test(cause.code))
      return true
  }
  return false
}

/** Whether a statement failed because somebody else held a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
}

/** A row did not have the shape that its statement promises: a bug of ours. */
export class UnexpectedRow extends Error {
  override readonly name = 'UnexpectedRow'
}

/** Parses each row with the schema of its statement; slonik itself leaves that to its users. */
const parseRows: Interceptor = {
  name: 'parse-rows',
  transformRow: (context, query, row, fields) => {
    const parsed = context.resultParser?.['~standard'].validate(gather(row, layoutOf(fields)))
    if (parsed === undefined) return row
    invariant(!(parsed instanceof Promise), 'row schemas are synchronous')
    if (!parsed.issues) return parsed.value as typeof row
    const problems = parsed.issues.map((issue) => `${issue.path?.join('.') ?? ''}: ${issue.message}`).join('; ')
    throw new UnexpectedRow(`a row of "${query.sql.trim().slice(0, 200)}" does not fit: ${problems}`)
  },
}

type Fields = readonly { readonly name: string }[]
type Row = Readonly<Record<string, unknown>>

/** Which columns of a result belong together. */
interface Layout {
  readonly fields: Fields
  readonly single: readonly string[]
  readonly groups: readonly {
    readonly name: string
    readonly members: readonly (readonly [column: string, key: string])[]
  }[]
}

/** Of the result that was looked at last: all rows of one come in a row, with the same fields. */
let lastLayout: Layout = { fields: [], single: [], groups: [] }

function layoutOf(fields: Fields): Layout {
  if (lastLayout.fields === fields) return lastLayout
  const groups = new Map<string, { name: string; members: [string, string][] }>()
  const single: string[] = []
  for (const { name: column } of fields) {
    const dotAt = column.indexOf('.')
    if (dotAt === -1) {
      single.push(column)
      continue
    }
    const name = column.slice(0, dotAt)
    const group = groups.get(name) ?? { name, members: [] }
    groups.set(name, group)
    group.members.push([column, column.slice(dotAt + 1)])
  }
  lastLayout = { fields, single, groups: [...groups.values()] }
  return lastLayout
}

/** Makes an object of each group of columns, see {@link openPool}. */
function gather(row: Row, { single, groups }: Layout): Row {
  if (groups.length === 0) return row
  const gathered: Record<string, unknown> = {}
  for (const column of single) gathered[column] = row[column]
  for (const { name, members } of groups) {
    let group: Record<string, unknown> | null = null
    if (members.some(([column]) => row[column] !== null)) {
      group = {}
      for (const [column, key] of members) group[key] = row[column]
    }
    gathered[name] = group
  }
  return gathered
}

const text = (name: string): DriverTypeParser => ({ name, parse: (value) => value })

const typeParsers: readonly DriverTypeParser[] = [
  { name: 'int8', parse: parseNumber },
  { name: 'numeric', parse: parseNumber },
  { name: 'timestamptz', parse: parseInstant },
  text('date'),
  text('timestamp'),
]

const usualInstant = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/

function parseNumber(value: string): number {
  const parsed = Number(value)
  invariant(!Number.isInteger(parsed) || Number.isSafeInteger(parsed), `${value} is too large for a number`)
  return parsed
}

/** `2026-11-21 16:00:00.123456+08` to `2026-11-21T08:00:00.123Z`. `infinity` and `-infinity` stay as they are. */
function parseInstant(value: string): string {
  // What Postgres writes nearly always, as connections are in UTC; the rest is left to Date.
  const [, date, time, fraction = ''] = usualInstant.exec(value) ?? []
  if (date !== undefined) return `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  if (value.endsWith('infinity')) return value
  const parsed = new Date(value.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))
  invariant(!Number.isNaN(parsed.getTime()), `${value} is no instant`)
  return parsed.toISOString()
}
