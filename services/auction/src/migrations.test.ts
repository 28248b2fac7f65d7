import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { testServers } from '@wangian/kit/testing/config.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const directory = fileURLToPath(new URL('../migrations', import.meta.url))
const database = `test_auction_migrations_${randomBytes(6).toString('hex')}`
const url = Object.assign(new URL(testServers().databaseUrl), { pathname: `/${database}` }).href

async function run(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
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
})
afterAll(() => run(testServers().databaseUrl, `drop database ${database} with (force)`))

describe('the migrations', () => {
  it('are done once by two processes at once, and again change nothing', async () => {
    await Promise.all([migrate({ url, schema: 'auction', directory }), migrate({ url, schema: 'auction', directory })])
    await run(url, `update auction.partition_leases set owner = 'auction-1', epoch = 7 where part = 3`)
    await migrate({ url, schema: 'auction', directory })
    expect(await run(url, 'select count(*)::int, min(part), max(part) from auction.partition_leases')).toEqual([
      { count: 64, min: 0, max: 63 },
    ])
    expect(await run(url, 'select owner, epoch from auction.partition_leases where part = 3')).toEqual([
      { owner: 'auction-1', epoch: '7' },
    ])
  })
  it('have what was published told again, once', async () => {
    await run(url, `delete from auction.migrations where name = '0006-tell-again'`)
    await run(
      url,
      `insert into auction.relay_cursor (name, tx, position, stream_created, stream_seq) values ('auction', '9', 7, 'then', 7)`,
    )
    await migrate({ url, schema: 'auction', directory })
    const cursor = () => run(url, 'select position, stream_created from auction.relay_cursor')
    expect(await cursor()).toEqual([{ position: '7', stream_created: '' }])
    await run(url, `update auction.relay_cursor set stream_created = 'now'`)
    await migrate({ url, schema: 'auction', directory })
    expect(await cursor()).toEqual([{ position: '7', stream_created: 'now' }])
  })
})
