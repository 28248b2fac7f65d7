import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { extensionsSchema, kitMigrationsDirectory, migrate } from '../database/migrate.ts'
import { type DatabasePool, openPool } from '../database/postgres.ts'
import { testServers } from './config.ts'

export interface TestDatabase {
  /** Of a superuser, with the service's schema first on the search path. */
  readonly url: string
  readonly pool: DatabasePool
  /** Closes the pool, cuts whoever is still connected, and removes the database. */
  drop(): Promise<void>
}

/** Many files of tests share the server and the machine: what a service would call out of reach is only slow here. */
const CONNECT_TIMEOUT_MS = 10_000

/** A pool that waits that long for its connections. */
export function openTestPool(options: Parameters<typeof openPool>[0]): Promise<DatabasePool> {
  return openPool({ connectTimeoutMs: CONNECT_TIMEOUT_MS, ...options })
}

/** What `infra/postgres` gives every service besides its schema. */
const extensions = ['pg_trgm', 'unaccent', 'citext']

/**
 * A database of one's own with a service's schema, cloned from a template that is migrated once per set of migrations.
 * @param options.migrationsDirectory the service's migrations; without it there are only the kit's tables
 */
export async function createTestDatabase(options: {
  readonly service: string
  readonly migrationsDirectory?: string
  readonly connectionsMax?: number
}): Promise<TestDatabase> {
  const { databaseUrl } = testServers()
  const template = await templateOf(databaseUrl, options.service, options.migrationsDirectory)
  const name = `test_${options.service}_${randomBytes(6).toString('hex')}`
  const client = await sharedAdmin(databaseUrl)
  await client.query(
    `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} strategy file_copy`,
  )
  await setSearchPath(client, name, options.service)
  const url = withDatabase(databaseUrl, name)
  const pool = await openTestPool({
    url,
    applicationName: name,
    ...(options.connectionsMax !== undefined && { connectionsMax: options.connectionsMax }),
  })
  return {
    url,
    pool,
    async drop() {
      await pool.end()
      await (await sharedAdmin(databaseUrl)).query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
    },
  }
}

/** By what they are made from. Files of a worker share what they import, and migrations do not change while it runs. */
const templates = new Map<string, Promise<string>>()

function templateOf(serverUrl: string, service: string, directory: string | undefined): Promise<string> {
  const key = `${service} ${directory}`
  const template = templates.get(key) ?? ensureTemplate(serverUrl, service, directory)
  templates.set(key, template)
  return template
}

/** @returns the name of a database that holds the migrated schema and nothing else, and that nobody is connected to */
async function ensureTemplate(serverUrl: string, service: string, directory: string | undefined): Promise<string> {
  const directories = directory === undefined ? [kitMigrationsDirectory] : [kitMigrationsDirectory, directory]
  const template = `template_${service}_${await contentHash(directories)}`
  await asAdmin(serverUrl, async (admin) => {
    // Held until this connection ends, so that of several workers one makes it and the others find it.
    await admin.query(`select pg_advisory_lock(hashtext('wangian-template'), hashtext($1))`, [template])
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
    if (rowCount === 1) return
    // Under another name until it is complete: a worker may be stopped in the middle.
    const unfinished = `${template}_new`
    await admin.query(`drop database if exists ${escapeIdentifier(unfinished)} with (force)`)
    await admin.query(`create database ${escapeIdentifier(unfinished)}`)
    await setSearchPath(admin, unfinished, service)
    const url = withDatabase(serverUrl, unfinished)
    await asAdmin(url, async (client) => {
      await client.query(`create schema ${extensionsSchema}`)
      for (const extension of extensions) await client.query(`create extension ${extension} schema ${extensionsSchema}`)
    })
    await migrate({ url, schema: service, ...(directory !== undefined && { directory }) })
    await admin.query(`alter database ${escapeIdentifier(unfinished)} rename to ${escapeIdentifier(template)}`)
  })
  return template
}

async function contentHash(directories: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(extensions.join())
  for (const directory of directories) {
    for (const name of (await readdir(directory)).sort())
      hash.update(name).update(await readFile(join(directory, name)))
  }
  return hash.digest('hex').slice(0, 12)
}

async function setSearchPath(admin: Client, database: string, service: string): Promise<void> {
  const path = `${escapeIdentifier(service)}, ${extensionsSchema}`
  await admin.query(`alter database ${escapeIdentifier(database)} set search_path = ${path}`)
}

let admin: Promise<Client> | undefined

/** Connected once for all files of a worker, and until it ends: to connect takes nearly half of the time of making a database. */
function sharedAdmin(url: string): Promise<Client> {
  admin ??= connectAdmin(url).then((client) => client.on('error', () => (admin = undefined)))
  return admin
}

async function connectAdmin(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'test-database',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  return client
}

async function asAdmin<T>(url: string, work: (admin: Client) => Promise<T>): Promise<T> {
  const client = await connectAdmin(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
