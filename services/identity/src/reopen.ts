import { openPool } from '@wangian/kit/database/postgres.ts'
import { readConfig } from './config.ts'
import { reopenAccount } from './leaving/closing.ts'

/** A command for support: brings back an account that was closed and is not erased yet, while the service goes on running. */
const [name = ''] = process.argv.slice(2)
const config = readConfig()
const pool = await openPool({ url: config.databaseUrl, applicationName: 'identity-reopen' })
const isReopened = await reopenAccount(pool, name, new Date())
await pool.end()
process.stdout.write(isReopened ? 'the account is open again\n' : 'there is no closed account of that name\n')
process.exitCode = isReopened ? 0 : 1
