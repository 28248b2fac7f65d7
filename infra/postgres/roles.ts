import { Client, type ClientBase, escapeIdentifier, escapeLiteral } from 'pg'

/** Of our own server, and of another one whose address names none. */
export const DATABASE = 'wangian'

/** Of a server whose address names none. */
const PORT = '5432'

export interface ServiceRolesOptions {
  /** Of a role that may create roles and schemas in the server. */
  readonly adminUrl: string
  /** Created when it is missing. */
  readonly database: string
  readonly services: readonly string[]
  /** The password of each service's role. */
  readonly passwords: Readonly<Record<string, string>>
  /** Set in front of the roles' names where the server may have roles of other programs. Schemas keep their names. */
  readonly rolePrefix?: string
  /** What the role of a service is called, where that is not the prefix with the service's name. */
  readonly roleNames?: Readonly<Record<string, string>>
}

/** The administrator's role may not do what is needed; `statements` is what somebody who may has to run. */
export class MissingRightsError extends Error {
  readonly statements: readonly string[]

  constructor(database: string, statements: readonly string[], cause: unknown) {
    super(
      `The role of DATABASE_URL may not set up the services' roles and schemas (${(cause as Error).message}).\n` +
        `Let an administrator run this in the database "${database}", then start again:\n\n${statements.map((statement) => `${statement};`).join('\n')}`,
      { cause },
    )
    this.statements = statements
  }
}

/** The schemas are there and belong to others; `statements` is what hands them over. */
export class ForeignSchemasError extends Error {
  readonly statements: readonly string[]

  constructor(database: string, schemas: readonly [ForeignSchema, ...ForeignSchema[]]) {
    const [{ schema, owner, role }] = schemas
    const statements = schemas.map(
      (one) => `reassign owned by ${escapeIdentifier(one.owner)} to ${escapeIdentifier(one.role)}`,
    )
    super(
      `The schema "${schema}" of the database "${database}" belongs to the role "${owner}" and not to "${role}", as which its service works here.\n` +
        'Was the database copied, renamed or restored? Start with the DATABASE_URL that made it, or, if nothing else works with it, ' +
        `let an administrator run this in the database "${database}", then start again:\n\n${statements.map((statement) => `${statement};`).join('\n')}`,
    )
    this.statements = statements
  }
}

/** A service is to work as a role that is no service's, and whose password is not ours to change. */
export class AdministratorError extends Error {
  constructor(role: string, service: string) {
    super(
      `The role "${role}" is an administrator of this Postgres, and ${service} is to work by that name with another password. ` +
        `Give ${service} a role of its own: in containers, by another name in its database-url.`,
    )
  }
}

interface ForeignSchema {
  readonly schema: string
  readonly owner: string
  /** As which the service works. */
  readonly role: string
}

/** Holds the extensions, so that every service can use them and none owns them. */
const extensionSchema = 'extensions'
const extensions = ['pg_trgm', 'unaccent', 'citext']

const insufficientPrivilege = '42501'
const duplicateObjects = new Set(['42P04', '42P06', '42710', '23505'])
const concurrentUpdate = 'XX000'

/**
 * Gives every service a role of its own that can touch only its own schema (both named after the service), and all of
 * them the extensions. Does only what is still missing, so it may run at every start and by two at once.
 * @returns the database URL of each service, by its name
 * @throws MissingRightsError with the statements to run when the administrator's role may not do it
 * @throws ForeignSchemasError when a schema is there and its service's role may not work in it
 * @throws AdministratorError when a service's role would be an administrator's
 */
export async function ensureServiceRoles(options: ServiceRolesOptions): Promise<Map<string, string>> {
  await ensureDatabase(options)
  const client = new Client({ connectionString: withDatabase(options.adminUrl, options.database) })
  await client.connect()
  try {
    for (let attempt = 0; ; attempt++) {
      const statements = await missingStatements(client, options)
      try {
        for (const statement of statements) await client.query(statement)
        break
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === insufficientPrivilege) throw new MissingRightsError(options.database, statements, error)
        // Another start did the same at this moment: look again at what is left.
        const isRace = code !== undefined && (duplicateObjects.has(code) || code === concurrentUpdate)
        if (!isRace || attempt >= 5) throw error
      }
    }
    const [first, ...others] = await foreignSchemas(client, options)
    if (first !== undefined) throw new ForeignSchemasError(options.database, [first, ...others])
  } finally {
    await client.end()
  }
  return new Map(options.services.map((service) => [service, serviceUrl(options, service)]))
}

/** The database URL of each service as {@link ensureServiceRoles} has it; `null` when a role is missing or has another password. */
export async function existingServiceUrls(options: ServiceRolesOptions): Promise<Map<string, string> | null> {
  for (const service of options.services) if (!(await canConnect(serviceUrl(options, service)))) return null
  return new Map(options.services.map((service) => [service, serviceUrl(options, service)]))
}

/** `url` with another database, and optionally another user. */
export function withDatabase(url: string, database: string, user?: { name: string; password: string }): string {
  const changed = new URL(url)
  changed.pathname = `/${encodeURIComponent(database)}`
  if (user) {
    changed.username = encodeURIComponent(user.name)
    changed.password = encodeURIComponent(user.password)
  }
  return changed.href
}

/** Whether two addresses lead to the same database of the same server, whoever signs in. One without a port means the usual one. */
export function isSameDatabase(one: URL, other: URL): boolean {
  const [place, otherPlace] = [one, other].map(
    ({ hostname, port, pathname }) => `${hostname}:${port || PORT}${decodeURIComponent(pathname)}`,
  )
  return place === otherPlace
}

function serviceUrl(options: ServiceRolesOptions, service: string): string {
  const user = { name: roleName(options, service), password: options.passwords[service] ?? '' }
  return withDatabase(options.adminUrl, options.database, user)
}

function roleName({ rolePrefix = '', roleNames = {} }: ServiceRolesOptions, service: string): string {
  return roleNames[service] ?? `${rolePrefix}${service}`
}

/**
 * Makes the database when it is missing.
 * @throws MissingRightsError when the administrator's role may not do it
 */
export async function ensureDatabase({
  adminUrl,
  database,
}: Pick<ServiceRolesOptions, 'adminUrl' | 'database'>): Promise<void> {
  if (await canConnect(withDatabase(adminUrl, database))) return
  const client = new Client({ connectionString: withDatabase(adminUrl, 'postgres') })
  await client.connect()
  const statement = `create database ${escapeIdentifier(database)}`
  try {
    await client.query(statement)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === insufficientPrivilege) throw new MissingRightsError('postgres', [statement], error)
    if (code === undefined || !duplicateObjects.has(code)) throw error
  } finally {
    await client.end()
  }
}

/** Whether the URL's role can sign in to its database. Anything else that goes wrong is thrown. */
async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  try {
    await client.connect()
    return true
  } catch (error) {
    // No such database; no such role or a wrong password; not allowed into this database.
    if (['3D000', '28P01', '28000', insufficientPrivilege].includes((error as { code?: string }).code ?? ''))
      return false
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

async function missingStatements(client: ClientBase, options: ServiceRolesOptions): Promise<string[]> {
  const statements: string[] = []
  if (!(await exists(client, 'select from pg_namespace where nspname = $1', extensionSchema))) {
    statements.push(`create schema ${extensionSchema}`)
  }
  for (const extension of extensions) {
    if (await exists(client, extensionQuery, extension, extensionSchema)) continue
    const isElsewhere = await exists(client, 'select from pg_extension where extname = $1', extension)
    statements.push(
      isElsewhere
        ? `alter extension ${extension} set schema ${extensionSchema}`
        : `create extension if not exists ${extension} schema ${extensionSchema}`,
    )
  }
  if (await exists(client, schemaUsageQuery, 'public', 'public')) {
    statements.push('revoke all on schema public from public')
  }
  for (const service of options.services) statements.push(...(await missingForService(client, options, service)))
  return statements
}

async function missingForService(client: ClientBase, options: ServiceRolesOptions, service: string): Promise<string[]> {
  const { database } = options
  const name = roleName(options, service)
  const role = escapeIdentifier(name)
  const schema = escapeIdentifier(service)
  const password = escapeLiteral(options.passwords[service] ?? '')
  const searchPath = `${service}, ${extensionSchema}`
  const statements: string[] = []

  const roleExists = await exists(client, 'select from pg_roles where rolname = $1', name)
  if (!roleExists) {
    statements.push(`create role ${role} login password ${password}`)
  } else if (!(await canConnect(serviceUrl(options, service)))) {
    if (await exists(client, administratorQuery, name)) throw new AdministratorError(name, service)
    statements.push(`alter role ${role} login password ${password}`)
  }
  if (!roleExists || !(await exists(client, searchPathQuery, name, `search_path=${searchPath}`))) {
    statements.push(`alter role ${role} set search_path = ${schema}, ${extensionSchema}`)
  }

  if (!(await exists(client, 'select from pg_namespace where nspname = $1', service))) {
    // Only a member of a role may hand it a schema, and since version 16 creating a role does not make one a member.
    const isMember = roleExists
      ? await exists(client, `select where pg_has_role($1, 'member')`, name)
      : await exists(client, 'select from pg_roles where rolname = current_user and rolsuper')
    if (!isMember) statements.push(`grant ${role} to current_user`)
    statements.push(`create schema ${schema} authorization ${role}`)
  }
  if (!roleExists || !(await exists(client, schemaUsageQuery, name, extensionSchema))) {
    statements.push(`grant usage on schema ${extensionSchema} to ${role}`)
  }
  if (
    !roleExists ||
    !(await exists(client, `select where has_database_privilege($1, $2, 'connect')`, name, database))
  ) {
    statements.push(`grant connect, temporary on database ${escapeIdentifier(database)} to ${role}`)
  }
  return statements
}

async function foreignSchemas(client: ClientBase, options: ServiceRolesOptions): Promise<ForeignSchema[]> {
  const roles = options.services.map((service) => roleName(options, service))
  const { rows } = await client.query<ForeignSchema>(foreignQuery, [options.services, roles])
  return rows
}

const foreignQuery = `
  select n.nspname as schema, pg_get_userbyid(n.nspowner) as owner, service.role
    from unnest($1::text[], $2::text[]) as service (name, role) join pg_namespace n on n.nspname = service.name
   where not has_schema_privilege(service.role, n.oid, 'create')
   order by 1`

const extensionQuery = `
  select from pg_extension e join pg_namespace n on n.oid = e.extnamespace
   where e.extname = $1 and n.nspname = $2`

/** False, too, while there is no such schema. */
const schemaUsageQuery = `select from pg_namespace where nspname = $2 and has_schema_privilege($1, oid, 'usage')`

/** By whom others get in as well, or we ourselves. */
const administratorQuery = 'select from pg_roles where rolname = $1 and (rolsuper or rolname = current_user)'

const searchPathQuery = `
  select from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
   where r.rolname = $1 and s.setdatabase = 0 and $2 = any (s.setconfig)`

async function exists(client: ClientBase, query: string, ...values: string[]): Promise<boolean> {
  const { rowCount } = await client.query(query, values)
  return rowCount === 1
}
