import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../local/servers/postgres.ts'
import { ensureServiceRoles, ForeignSchemasError, isSameDatabase, MissingRightsError, withDatabase } from './roles.ts'
import { query } from './testing/query.ts'

const passwords = { auction: 'auction-password', catalogue: 'catalogue-password' }
const services = ['auction', 'catalogue']

let dataDir: string
let server: PostgresServer
let urls: Map<string, string>

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-roles-'))
  server = await startPostgres({ dataDir, settings: { shared_buffers: '16MB' } })
  urls = await ensureServiceRoles({ adminUrl: server.url, database: 'wangian', services, passwords })
})

afterAll(async () => {
  await server?.stop('immediate')
  rmSync(dataDir, { recursive: true, force: true })
})

const urlOf = (service: string) => urls.get(service) ?? ''

describe('a service role', () => {
  it('works in its own schema without naming it, with the extensions at hand', async () => {
    await query(urlOf('auction'), 'create table bid (amount_sen bigint, bidder citext)')
    await query(urlOf('auction'), `insert into bid values (150, 'Aisyah')`)
    const rows = await query(
      urlOf('auction'),
      `select current_schema() as schema, similarity(unaccent('Hermès'), 'Hermes') as likeness from auction.bid where bidder = 'AISYAH'`,
    )
    expect(rows).toEqual([{ schema: 'auction', likeness: 1 }])
  })

  it.each([
    'select * from auction.bid',
    'insert into auction.bid values (1)',
    'create table auction.intruder (id int)',
    'drop table auction.bid',
    'create table public.intruder (id int)',
    'create table extensions.intruder (id int)',
    'create schema intruder',
    'create role intruder',
    'set role auction',
  ])('is refused: %s', async (statement) => {
    await query(urlOf('auction'), 'create table if not exists bid (amount_sen bigint, bidder citext)')
    await expect(query(urlOf('catalogue'), statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a server that is set up already', () => {
  it('is left as it is, and changed only where a password is new', async () => {
    const again = await ensureServiceRoles({ adminUrl: server.url, database: 'wangian', services, passwords })
    expect(again).toEqual(urls)
    const renewed = await ensureServiceRoles({
      adminUrl: server.url,
      database: 'wangian',
      services,
      passwords: { ...passwords, catalogue: 'another' },
    })
    expect(await query(renewed.get('catalogue') ?? '', 'select current_user::text as role')).toEqual([
      { role: 'catalogue' },
    ])
    urls = renewed
  })

  it('takes a second database with the same roles, from two starts at once', async () => {
    const options = {
      adminUrl: server.url,
      database: 'second',
      services,
      passwords: { ...passwords, catalogue: 'another' },
    }
    const [first, second] = await Promise.all([ensureServiceRoles(options), ensureServiceRoles(options)])
    expect(first).toEqual(second)
    const rows = await query(
      first.get('catalogue') ?? '',
      'select current_schema() as schema, current_database() as database',
    )
    expect(rows).toEqual([{ schema: 'catalogue', database: 'second' }])
  })
})

describe('a database whose schemas are of the roles of another, as after it was copied or renamed', () => {
  it('is not worked with until an administrator has handed them over, by the statements that are said', async () => {
    await query(server.url, 'create database original')
    const original = { adminUrl: server.url, database: 'original', services, passwords, rolePrefix: 'original_' }
    const before = await ensureServiceRoles(original)
    await query(before.get('auction') ?? '', 'create table kept (id int); insert into kept values (1)')
    await query(server.url, 'create database copied template original')
    const copied = { ...original, database: 'copied', rolePrefix: 'copied_' }
    for (const _ of ['once', 'twice']) {
      const error = await ensureServiceRoles(copied).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ForeignSchemasError)
      expect((error as ForeignSchemasError).message).toContain(
        'The schema "auction" of the database "copied" belongs to the role "original_auction" and not to "copied_auction"',
      )
      expect((error as ForeignSchemasError).statements).toEqual([
        'reassign owned by "original_auction" to "copied_auction"',
        'reassign owned by "original_catalogue" to "copied_catalogue"',
      ])
    }
    await query(
      withDatabase(server.url, 'copied'),
      'reassign owned by "original_auction" to "copied_auction"; reassign owned by "original_catalogue" to "copied_catalogue"',
    )
    const after = await ensureServiceRoles(copied)
    expect(await query(after.get('auction') ?? '', 'select id from kept')).toEqual([{ id: 1 }])
    expect(await query(before.get('auction') ?? '', 'select id from kept')).toEqual([{ id: 1 }])
  })
})

it('an administrator keeps the password, though a service is to work by that name', async () => {
  const administrator = { name: 'admin', password: 'of-the-administrator' }
  await query(server.url, `create role admin superuser login password '${administrator.password}'`)
  const own = withDatabase(server.url, 'postgres', administrator)
  for (const adminUrl of [own, server.url]) {
    const options = { adminUrl, database: 'owned', services: ['admin'], passwords: { admin: 'of-the-service' } }
    await expect(ensureServiceRoles(options)).rejects.toThrow('The role "admin" is an administrator')
    expect(await query(own, 'select current_user::text as role')).toEqual([{ role: 'admin' }])
  }
})

describe('an administrator who is no superuser', () => {
  const limited = { name: 'limited', password: 'limited' }

  it('sets everything up with createrole and rights on the database', async () => {
    await query(server.url, `create role builder login createrole password 'builder'`)
    await query(server.url, 'create database built owner builder')
    const adminUrl = withDatabase(server.url, 'built', { name: 'builder', password: 'builder' })
    const built = await ensureServiceRoles({ adminUrl, database: 'built', services, passwords, rolePrefix: 'built_' })
    const rows = await query(
      built.get('auction') ?? '',
      'select current_user::text as role, current_schema() as schema',
    )
    expect(rows).toEqual([{ role: 'built_auction', schema: 'auction' }])
  })

  it('is told the statements, after which an ordinary role is enough', async () => {
    await query(server.url, `create role limited login password 'limited'`)
    await query(server.url, 'create database prepared')
    const adminUrl = withDatabase(server.url, 'prepared', limited)
    const options = { adminUrl, database: 'prepared', services, passwords, rolePrefix: 'prepared_' }
    const error = await ensureServiceRoles(options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(MissingRightsError)
    const { statements } = error as MissingRightsError
    expect(statements).toContain(`create role "prepared_auction" login password 'auction-password'`)

    await query(withDatabase(server.url, 'prepared'), statements.join(';\n'))
    const prepared = await ensureServiceRoles(options)
    const rows = await query(prepared.get('catalogue') ?? '', 'select current_schema() as schema')
    expect(rows).toEqual([{ schema: 'catalogue' }])
  })
})

describe('two addresses', () => {
  it.each([
    ['postgres://postgres:secret@db/wangian', true],
    ['postgresql://db:5432/wangian?sslmode=require', true],
    ['postgres://identity@db:6432/wangian', false],
    ['postgres://identity@other/wangian', false],
    ['postgres://identity@db/other', false],
  ])('lead to one database or to two: %s', (address, isSame) => {
    for (const port of ['', ':5432']) {
      expect(isSameDatabase(new URL(address), new URL(`postgres://auction:its-own@db${port}/wangian`))).toBe(isSame)
    }
  })
})
