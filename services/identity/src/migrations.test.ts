import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { testServers } from '@wangian/kit/testing/config.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { openTestPool } from '@wangian/kit/testing/test-database.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usersProjection } from './projections.ts'
import { findAccount, findUserId } from './store.ts'

const directory = fileURLToPath(new URL('../migrations', import.meta.url))
const database = `test_identity_migrations_${randomBytes(6).toString('hex')}`
const url = Object.assign(new URL(testServers().databaseUrl), { pathname: `/${database}` }).href
const firstOnly = mkdtempSync(join(tmpdir(), 'wangian-migrations-'))

async function run(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, options: '-c search_path=identity' })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  await run(testServers().databaseUrl, `create database ${database}`)
  await run(url, 'create schema extensions')
  for (const name of ['pg_trgm', 'unaccent']) await run(url, `create extension ${name} schema extensions`)
  await run(url, `alter database ${database} set search_path = identity, extensions`)
})
afterAll(async () => {
  rmSync(firstOnly, { recursive: true })
  await run(testServers().databaseUrl, `drop database ${database} with (force)`)
})

describe('the migrations', () => {
  it('take names out of a log that has some, and lose none', async () => {
    copyFileSync(join(directory, '0001-accounts.sql'), join(firstOnly, '0001-accounts.sql'))
    await migrate({ url, schema: 'identity', directory: firstOnly })
    await run(
      url,
      `insert into users (id, username, is_seller, is_admin, registered_at) values
         (1, 'Rose', true, false, '2026-11-01'), (2, 'iris', false, true, '2026-11-02');
       insert into people (user_id, auth_id, email, created_at, updated_at) values
         (1, gen_random_uuid(), 'rose@example.com', '2026-11-01', '2026-11-01'),
         (2, gen_random_uuid(), 'iris@example.com', '2026-11-02', '2026-11-02');
       insert into events (stream, version, event_id, type, data, metadata)
         select 'user-' || id, 1, gen_random_uuid(), 'UserRegistered',
                jsonb_build_object('userId', id, 'username', username, 'isSeller', is_seller, 'isAdmin', is_admin,
                                   'registeredAt', '2026-11-01T00:00:00.000Z'),
                '{"actorId": null, "correlationId": "old", "causationId": null, "commandId": null}'
           from users;
       insert into events (stream, version, event_id, type, data, metadata)
         select 'user-1', n + 1, gen_random_uuid(), 'UserBanned',
                jsonb_build_object('userId', 1, 'reason', 'reason ' || n, 'bannedAt', '2026-11-03T00:00:00.000Z'), '{}'
           from generate_series(1, 2) n`,
    )
    await Promise.all([1, 2].map(() => migrate({ url, schema: 'identity', directory })))

    expect(await run(url, `select data from events where type = 'UserRegistered' order by stream`)).toEqual([
      {
        data: { userId: 1, isSeller: true, isAdmin: false, registeredAt: '2026-11-01T00:00:00.000Z', person: null },
      },
      {
        data: { userId: 2, isSeller: false, isAdmin: true, registeredAt: '2026-11-01T00:00:00.000Z', person: null },
      },
    ])
    expect(await run(url, 'select user_id, reason from moderation_reasons')).toEqual([
      { user_id: '1', reason: 'reason 2' },
    ])
    expect(await run(url, `select data, schema_version from events where type = 'UserBanned'`)).toEqual(
      [1, 2].map(() => ({ data: { userId: 1, bannedAt: '2026-11-03T00:00:00.000Z' }, schema_version: 2 })),
    )
    const pool = await openTestPool({ url, applicationName: 'migrations-test' })
    expect(await findUserId(pool, 'ROSE')).toBe(1)
    expect(await findAccount(pool, 1)).toMatchObject({ username: 'Rose', email: 'rose@example.com' })
    expect(await rebuildTables(pool, 'identity', usersProjection)).toBe(4)
    expect(await findAccount(pool, 2)).toMatchObject({ username: 'iris', isAdmin: true })
    await pool.end()
    await expect(run(url, `update people set username = 'IRIS' where user_id = 1`)).rejects.toThrow(
      'people_by_username',
    )
  })
})
