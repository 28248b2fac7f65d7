import { type DatabasePool, openPool } from '../database/postgres.ts'

const REBUILD_TIMEOUT_MS = 30 * 60 * 1000

/**
 * What the command `rebuild.ts` of a service does: empties what the service reads of its log, fills it again, and says from how many events.
 * @param options.what the rows are, in words
 * @param options.rebuild empties and fills, and gives the number of events
 */
export async function runRebuild(options: {
  readonly databaseUrl: string
  readonly what: string
  readonly rebuild: (pool: DatabasePool) => Promise<number>
}): Promise<void> {
  const { databaseUrl, what, rebuild } = options
  const pool = await openPool({
    url: databaseUrl,
    applicationName: `rebuild-${what}`,
    statementTimeoutMs: REBUILD_TIMEOUT_MS,
  })
  const count = await rebuild(pool)
  await pool.end()
  process.stdout.write(`rebuilt ${what} from ${count} events\n`)
}
