import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StartError } from '../errors.ts'
import { createLogger } from '../service/logger.ts'
import { testServers } from '../testing/config.ts'
import { migrate } from './migrate.ts'

const database = `test_migrate_${randomBytes(6).toString('hex')}`
const role = `${database}_role`
const directory = mkdtempSync(join(tmpdir(), 'wangian-migrations-'))
let url: string
let roleUrl: string

beforeAll(async () => {
  const { databaseUrl } = testServers()
  await run(databaseUrl, `create database ${database}`)
  await run(databaseUrl, `create role ${role} login password 'secret'`)
  url = Object.assign(new URL(databaseUrl), { pathname: `/${database}` }).href
  roleUrl = Object.assign(new URL(url), { username: role, password: 'secret' }).href
  await run(url, 'create schema extensions')
  await run(url, 'create extension pg_trgm schema extensions')
  await run(url, `grant usage on schema extensions to ${role}`)
})
afterAll(async () => {
  const { databaseUrl } = testServers()
  await run(databaseUrl, `drop database ${database} with (force)`)
  await run(databaseUrl, `drop role ${role}`)
  rmSync(directory, { recursive: true })
})
beforeEach(() => {
  writeFileSync(
    join(directory, '0001-things.sql'),
    `-- Up Migration
create table things (id bigint primary key, name text not null);
create index things_by_name on things using gin (name gin_trgm_ops);
insert into things values (1, 'first');
-- Down Migration
drop table things;
`,
  )
  rmSync(join(directory, '0002-more.sql'), { force: true })
})

async function run(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

describe('an empty schema', () => {
  it('gets the tables of the kit and of the service, the extensions in reach', async () => {
    await migrate({ url, schema: 'fresh', directory })
    const tables = await run(url, `select tablename from pg_tables where schemaname = 'fresh' order by 1`)
    expect(tables.map(({ tablename }) => tablename)).toEqual([
      'consumer_positions',
      'dead_letters',
      'erased_people',
      'events',
      'inbox',
      'kit_migrations',
      'known_people',
      'log_state',
      'mails',
      'migrations',
      'relay_heads',
      'shared_limits',
      'things',
    ])
  })

  it('is migrated once by several processes at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate({ url, schema: 'crowded', directory })))
    expect(await run(url, 'select id from crowded.things')).toEqual([{ id: '1' }])
    expect(await run(url, 'select name from crowded.migrations')).toEqual([{ name: '0001-things' }])
  })

  it('needs no right but to the schema itself', async () => {
    await run(url, `create schema owned authorization ${role}`)
    await migrate({ url: roleUrl, schema: 'owned', directory })
    expect(await run(roleUrl, 'select id from owned.things')).toEqual([{ id: '1' }])
  })
})

describe('a migrated schema', () => {
  it('stays as it is when it is migrated again', async () => {
    await migrate({ url, schema: 'again', directory })
    await run(url, `insert into again.things values (2, 'kept')`)
    await migrate({ url, schema: 'again', directory })
    expect(await run(url, 'select id from again.things order by id')).toEqual([{ id: '1' }, { id: '2' }])
  })

  it('asks nothing of the library when nothing is new', async () => {
    const lines: string[] = []
    const log = createLogger({ name: 'test', level: 'debug', stream: { write: (line) => lines.push(line) } })
    await migrate({ url, schema: 'quiet', directory, log })
    expect(lines.join('')).toContain('0001-things')
    lines.length = 0
    await migrate({ url, schema: 'quiet', directory, log })
    expect(lines).toEqual([])
  })

  it('gets what is new, and keeps nothing of a migration that fails', async () => {
    await migrate({ url, schema: 'grown', directory })
    writeFileSync(join(directory, '0002-more.sql'), '-- Up Migration\ncreate table more (id bigint);\nselect 1 / 0;\n')
    const failing = migrate({ url, schema: 'grown', directory })
    await expect(failing).rejects.toThrow(StartError)
    await expect(failing).rejects.toThrow(
      /^The tables of grown could not be brought up to date: 0002-more says "division by zero"\.\nNothing was changed/,
    )
    expect(await run(url, `select from pg_tables where schemaname = 'grown' and tablename = 'more'`)).toHaveLength(0)
    writeFileSync(join(directory, '0002-more.sql'), '-- Up Migration\ncreate table more (id bigint);\n')
    await migrate({ url, schema: 'grown', directory })
    expect(await run(url, 'select * from grown.more')).toEqual([])
  })

  it('says which file is missing between two that have run', async () => {
    writeFileSync(join(directory, '0002-more.sql'), '-- Up Migration\ncreate table more (id bigint);\n')
    await migrate({ url, schema: 'gapped', directory })
    rmSync(join(directory, '0002-more.sql'))
    writeFileSync(join(directory, '0003-last.sql'), '-- Up Migration\nselect 1;\n')
    await expect(migrate({ url, schema: 'gapped', directory })).rejects.toThrow(/0003-last/)
    rmSync(join(directory, '0003-last.sql'))
  })

  it('is left alone while the database is out of reach', async () => {
    const away = Object.assign(new URL(url), { port: '1' }).href
    await expect(migrate({ url: away, schema: 'again', directory })).rejects.not.toThrow(StartError)
  })
})
