import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { openPool } from '@wangian/kit/database/postgres.ts'
import { readConfig } from './config.ts'
import { generateListings } from './generator/generated-listings.ts'

/** A command: lists very many made-up bottles. `--products 100000` says how many. */
const { values } = parseArgs({ options: { products: { type: 'string', default: '100000' } } })
const count = Number(values.products)
if (!Number.isSafeInteger(count) || count < 1 || count > 1_000_000) {
  process.stderr.write('--products takes a number from 1 to 1000000\n')
  process.exit(64)
}
const config = readConfig()
// What is listed is in the log for good.
if (config.nodeEnv === 'production') {
  process.stderr.write('Made-up bottles are not for production.\n')
  process.exit(64)
}
// The service may never have been started with this database.
const directory = fileURLToPath(new URL('../migrations', import.meta.url))
await migrate({ url: config.databaseUrl, schema: 'catalogue', directory })
const pool = await openPool({ url: config.databaseUrl, applicationName: 'catalogue-generate' })
await generateListings(pool, count, (made) =>
  process.stdout.write(process.stdout.isTTY ? `\r${made} of ${count} products` : `${made} of ${count} products\n`),
)
await pool.end()
if (process.stdout.isTTY) process.stdout.write('\n')
