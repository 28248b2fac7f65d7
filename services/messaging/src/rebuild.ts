import { openPool } from '@wangian/kit/postgres.ts'
import { readConfig } from './config.ts'
import { rebuildMessages } from './projections.ts'

/** A command: empties what the service reads and fills it from the log, while the service may go on running. */
const REBUILD_TIMEOUT_MS = 30 * 60 * 1000

const config = readConfig()
const pool = await openPool({
  url: config.databaseUrl,
  applicationName: 'messaging-rebuild',
  statementTimeoutMs: REBUILD_TIMEOUT_MS,
})
const count = await rebuildMessages(pool)
await pool.end()
process.stdout.write(`rebuilt messages from ${count} events\n`)
