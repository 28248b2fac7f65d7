import { openPool } from '@wangian/kit/postgres.ts'
import { readConfig } from './config.ts'
import { rebuildAuctions } from './projections.ts'

/** A command: empties what the service reads and fills it from the log. Meanwhile bids are refused as `unavailable`. */
const REBUILD_TIMEOUT_MS = 30 * 60 * 1000

const config = readConfig()
const pool = await openPool({
  url: config.databaseUrl,
  applicationName: 'auction-rebuild',
  statementTimeoutMs: REBUILD_TIMEOUT_MS,
})
const count = await rebuildAuctions(pool)
await pool.end()
process.stdout.write(`rebuilt auctions from ${count} events\n`)
