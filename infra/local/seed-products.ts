// npm run seed -- --products 100000
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureServiceRoles } from '../postgres/roles.ts'
import { inheritedEnvironment, loadConfig, repositoryRoot } from './config.ts'
import { lockDataDirectory } from './data-directory-lock.ts'
import { launchPostgres } from './postgres.ts'
import { findRunningPostgres } from './running-postgres.ts'
import { loadSecrets } from './secrets.ts'
import { databaseServices } from './services.ts'

/*
 * Fills the catalogue with very many made-up bottles: in the database of a system that runs with this DATA_DIR, or, when none does, in its
 * database alone, which is started for it. With DATABASE_URL, in that one.
 */

const DATABASE = 'wangian'
const { values: flags } = parseArgs({ options: { products: { type: 'string', default: '100000' } } })

async function main(): Promise<number> {
  const { dataDir, databaseUrl, port } = loadConfig()
  const passwords = loadSecrets(dataDir, databaseServices)
  const fill = async (adminUrl: string, rolePrefix = ''): Promise<number> => {
    const database = rolePrefix === '' ? DATABASE : rolePrefix.slice(0, -1)
    const urls = await ensureServiceRoles({ adminUrl, database, services: databaseServices, passwords, rolePrefix })
    return generate(urls.get('catalogue') ?? '')
  }
  if (databaseUrl !== undefined) {
    const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1)) || DATABASE
    return fill(databaseUrl, `${database}_`)
  }
  const { postgres: password } = loadSecrets(dataDir, ['postgres'])
  const running = findRunningPostgres(dataDir, password)
  if (running !== null) return fill(running)
  const unlock = lockDataDirectory(dataDir, `http://localhost:${port}`)
  const postgres = await launchPostgres({ dataDir })
  try {
    await postgres.ready
    return await fill(postgres.url)
  } finally {
    await postgres.stop()
    unlock()
  }
}

/** The service's own command, which says how far it has come. */
async function generate(databaseUrl: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [join(repositoryRoot, 'services/catalogue/src/generate.ts'), '--products', flags.products],
    {
      stdio: 'inherit',
      env: {
        ...inheritedEnvironment(),
        DATABASE_URL: databaseUrl,
        // Neither is used by the command.
        NATS_URL: 'nats://127.0.0.1:1',
        IDENTITY_URL: 'http://127.0.0.1:1',
        INSTANCE_ID: 'generate',
        SERVICE_PORT: '0',
      },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

process.exit(await main())
