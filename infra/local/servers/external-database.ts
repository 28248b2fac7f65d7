import {
  DatabaseInUseError,
  type DatabaseLock,
  findDatabaseHolder,
  lockDatabase,
} from '../../postgres/database-lock.ts'
import {
  DATABASE,
  ensureDatabase,
  ensureServiceRoles,
  existingServiceUrls,
  withDatabase,
} from '../../postgres/roles.ts'
import { loadSecrets } from '../secrets.ts'
import { databaseServices } from '../services.ts'

interface ExternalDatabaseOptions {
  /** The administrator's, as DATABASE_URL says it. */
  readonly databaseUrl: string
  readonly dataDir: string
}

/**
 * Gives the services their roles in a Postgres that is not ours, and keeps other starts away from the database until `lock` is released.
 * @throws DatabaseInUseError before anything is changed when a system with another DATA_DIR works with it
 */
export async function setUpExternalDatabase(
  options: ExternalDatabaseOptions & { readonly log: (line: string) => void },
): Promise<{
  readonly adminDatabaseUrl: string
  readonly databaseUrls: Map<string, string>
  readonly lock: DatabaseLock
}> {
  const { dataDir, log } = options
  const roles = rolesOf(options)
  const adminDatabaseUrl = withDatabase(roles.adminUrl, roles.database)
  await ensureDatabase(roles)
  const lock = await lockDatabase({ url: adminDatabaseUrl, rolePrefix: roles.rolePrefix, dataDir, log })
  try {
    return { adminDatabaseUrl, databaseUrls: await ensureServiceRoles(roles), lock }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * The database URL of each service for a command beside a system that runs with the same DATA_DIR, or while none runs.
 * @throws DatabaseInUseError when one runs with another
 */
export async function externalDatabaseUrls(options: ExternalDatabaseOptions): Promise<Map<string, string>> {
  const roles = rolesOf(options)
  await ensureDatabase(roles)
  const url = withDatabase(roles.adminUrl, roles.database)
  const holder = await findDatabaseHolder(url, roles.rolePrefix)
  if (holder === null) return ensureServiceRoles(roles)
  const urls = await existingServiceUrls(roles)
  if (urls === null) throw new DatabaseInUseError(url, holder, 'Run this with that DATA_DIR.')
  return urls
}

function rolesOf({ databaseUrl, dataDir }: ExternalDatabaseOptions) {
  const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1)) || DATABASE
  return {
    adminUrl: databaseUrl,
    database,
    services: databaseServices,
    passwords: loadSecrets(dataDir, databaseServices),
    // The server may have roles of other programs, or of another Wangian in another database.
    rolePrefix: `${database}_`,
  }
}
