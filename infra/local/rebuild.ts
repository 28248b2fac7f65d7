// npm run rebuild -- catalogue products
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './config.ts'
import { runServiceCommand } from './service-command.ts'
import { type DatabaseService, databaseServices } from './services.ts'

/*
 * Makes tables of a service anew from the logs, while the system that runs with this DATA_DIR goes on. Without a projection: all of the
 * service's.
 */

const hasProjections = (service: DatabaseService) =>
  existsSync(join(repositoryRoot, 'services', service, 'src', 'rebuild.ts'))
const [name, ...args] = process.argv.slice(2)
const service = databaseServices.filter(hasProjections).find((known) => known === name)

if (service === undefined) {
  console.error(`npm run rebuild -- <${databaseServices.filter(hasProjections).join(' | ')}> [projection]`)
  process.exit(2)
}
process.exit(await runServiceCommand({ service, script: 'rebuild.ts', args }))
