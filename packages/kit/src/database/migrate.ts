import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, escapeIdentifier } from 'pg'
import { isUnavailability, StartError } from '../errors.ts'
import { continueRestoredLog } from '../log/restored-log.ts'
import { type Logger, silentLogger } from '../service/logger.ts'

/** Where extensions live that all services use; each role may use it and none owns it. */
export const extensionsSchema = 'extensions'

/** The kit's own tables: the log, how far it is published, the positions of consumers, the dead letters, mails. */
export const kitMigrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))

const CONNECT_TIMEOUT_MS = 10_000
/** A table that somebody else works with is waited for this long. */
const LOCK_TIMEOUT_MS = 60_000
/** Another process that migrates the same schema is waited for as long. */
const STATEMENT_TIMEOUT_MS = 300_000

/**
 * Brings a service's schema up to date: first the kit's tables, then the service's own. What has run is recorded in
 * `kit_migrations` and `migrations`. Safe to run again, and by several processes at once: one does it, the others wait.
 * The schema is created only when it is missing, for a service's role owns its schema but may not create one.
 * @param options.directory the service's SQL files, `0001-name.sql` with `-- Up Migration` and `-- Down Migration`; without
 * it there are the kit's tables only
 * @throws StartError when a statement fails, after everything of that run was rolled back; anything else when the database is out of reach
 */
export async function migrate(options: {
  readonly url: string
  readonly schema: string
  readonly directory?: string
  readonly log?: Logger
}): Promise<void> {
  const { schema, log = silentLogger } = options
  const client = new Client({
    connectionString: options.url,
    application_name: `${schema}-migrate`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: LOCK_TIMEOUT_MS,
  })
  // A connection that breaks fails the query under way, too, and that is where it is reported.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('wangian-migrate'), hashtext($1))`, [schema])
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
    if (rowCount === 0) await client.query(`create schema ${escapeIdentifier(schema)}`)
    await runDirectory(client, schema, kitMigrationsDirectory, 'kit_migrations', log)
    if (options.directory !== undefined) await runDirectory(client, schema, options.directory, 'migrations', log)
    if (await continueRestoredLog(client, schema)) log.warn({ schema }, 'the log comes from another server, it goes on')
  } finally {
    await client.end()
  }
}

async function runDirectory(client: Client, schema: string, directory: string, table: string, log: Logger) {
  if (await haveAllRun(client, schema, directory, table)) return
  // Only who has something to run pays for loading it: each process would hold it from then on.
  const { runner } = await import('node-pg-migrate')
  let current = 'the list of migrations'
  const ran = await runner({
    dbClient: client,
    dir: directory,
    direction: 'up',
    schema: [schema, extensionsSchema],
    migrationsSchema: schema,
    migrationsTable: table,
    singleTransaction: true,
    // Ours waits, and is one per schema.
    noLock: true,
    logger: {
      debug: (message) => log.debug(message),
      info(message) {
        current = /^### MIGRATION (\S+) /.exec(message)?.[1] ?? current
        log.debug(message)
      },
      // Whatever it warns of is followed by an error, which has all of it.
      warn: (message) => log.debug(message),
      error: (message) => log.debug(message),
    },
  }).catch((cause: unknown) => {
    throw isUnavailability(cause) ? cause : migrationFailed(schema, current, cause)
  })
  for (const { name } of ran) log.info({ schema, migration: name }, 'migrated')
}

/** Whether those that have run are the files of the directory, in their order. */
async function haveAllRun(client: Client, schema: string, directory: string, table: string): Promise<boolean> {
  const { rows: tables } = await client.query('select from pg_tables where schemaname = $1 and tablename = $2', [
    schema,
    table,
  ])
  if (tables.length === 0) return false
  const { rows } = await client.query<{ name: string }>(
    `select name from ${escapeIdentifier(schema)}.${escapeIdentifier(table)} order by run_on, id`,
  )
  const files = (await readdir(directory)).filter((file) => !file.startsWith('.')).sort()
  return rows.length === files.length && files.every((file, index) => parse(file).name === rows[index]?.name)
}

function migrationFailed(schema: string, migration: string, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StartError(
    [
      `The tables of ${schema} could not be brought up to date: ${migration} says "${reason}".`,
      'Nothing was changed in them, so the version that ran last can be started again: check it out and start that.',
      'To go forward, mend what the migration stumbles over, or the migration, and start this version once more.',
    ].join('\n'),
    { cause },
  )
}
