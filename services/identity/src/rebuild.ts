import { openPool } from '@wangian/kit/postgres.ts'
import { readConfig } from './config.ts'
import { rebuildUsers } from './projections.ts'

/** A command: empties what the service reads of its log and fills it again, while the service may go on running. */
const REBUILD_TIMEOUT_MS = 30 * 60 * 1000

const config = readConfig()
const pool = await openPool({
  url: config.databaseUrl,
  applicationName: 'identity-rebuild',
  statementTimeoutMs: REBUILD_TIMEOUT_MS,
})
const count = await rebuildUsers(pool)
await pool.end()
process.stdout.write(`rebuilt users from ${count} events\n`)
