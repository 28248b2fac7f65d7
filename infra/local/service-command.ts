import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE, ensureServiceRoles } from '../postgres/roles.ts'
import { inheritedEnvironment, type LocalConfig, loadConfig, repositoryRoot } from './config.ts'
import { lockDataDirectory } from './data-directory-lock.ts'
import { loadSecrets } from './secrets.ts'
import { externalDatabaseUrls } from './servers/external-database.ts'
import { loadNatsPasswords, natsUrlFor } from './servers/nats.ts'
import { launchPostgres } from './servers/postgres.ts'
import { requireDatabase } from './servers/postgres-directory.ts'
import { findRunningPostgres } from './servers/running-postgres.ts'
import { type DatabaseService, databaseServices } from './services.ts'

/** For a command that does not use it. */
const NOWHERE = '127.0.0.1:1'
/** In production there has to be a user. */
const NO_NATS = `nats://nobody:nothing@${NOWHERE}`

interface ServiceCommand {
  readonly service: DatabaseService
  /** The name of a file in the service's `src`. */
  readonly script: string
  readonly args: readonly string[]
  /** Whether it makes a database where there is none. */
  readonly beginsWithNothing?: boolean
}

/**
 * Runs a script of a service with the service's database: that of a system that runs with this DATA_DIR, or, when none does, its database
 * alone, which is started for it. With DATABASE_URL, that one. What keeps it from running is printed.
 * @returns the script's exit code
 */
export async function runServiceCommand(command: ServiceCommand): Promise<number> {
  try {
    return await runWithDatabase(command)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  }
}

async function runWithDatabase(command: ServiceCommand): Promise<number> {
  const { service } = command
  const config = loadConfig()
  const { dataDir, databaseUrl, port } = config
  const run = (urls: Map<string, string>): Promise<number> => runScript(command, urls.get(service) ?? '', config)
  if (databaseUrl !== undefined) return run(await externalDatabaseUrls({ databaseUrl, dataDir }))
  if (!command.beginsWithNothing) requireDatabase(dataDir)
  const passwords = loadSecrets(dataDir, databaseServices)
  const ensureRoles = (adminUrl: string) =>
    ensureServiceRoles({ adminUrl, database: DATABASE, services: databaseServices, passwords })
  const { postgres: password } = loadSecrets(dataDir, ['postgres'])
  const running = findRunningPostgres(dataDir, password)
  if (running !== null) return run(await ensureRoles(running))
  const unlock = lockDataDirectory(dataDir, `http://localhost:${port}`)
  const postgres = await launchPostgres({ dataDir })
  try {
    await postgres.ready
    return await run(await ensureRoles(postgres.url))
  } finally {
    await postgres.stop()
    unlock()
  }
}

/** The service's address of the NATS that was started last with this data directory; `null` when none was. */
function findRunningNats(dataDir: string, service: DatabaseService): string | null {
  try {
    const port = /^port: (\d+)$/m.exec(readFileSync(join(dataDir, 'nats', 'nats-server.conf'), 'utf8'))?.[1]
    return port === undefined ? null : natsUrlFor(service, loadNatsPasswords(dataDir), Number(port))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The service's own command, which says how far it has come. It reads the configuration of its service, which in production has to be whole. */
async function runScript(
  { service, script, args }: ServiceCommand,
  databaseUrl: string,
  { dataDir, natsUrl, publicUrl, smtpUrl }: LocalConfig,
): Promise<number> {
  const child = spawn(process.execPath, [join(repositoryRoot, 'services', service, 'src', script), ...args], {
    stdio: 'inherit',
    env: {
      NODE_ENV: 'development',
      ...inheritedEnvironment(),
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl ?? findRunningNats(dataDir, service) ?? NO_NATS,
      IDENTITY_URL: `http://${NOWHERE}`,
      INSTANCE_ID: script.replace('.ts', ''),
      SERVICE_PORT: '0',
      ...(publicUrl && { PUBLIC_URL: publicUrl }),
      ...(smtpUrl && { SMTP_URL: smtpUrl }),
    },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
