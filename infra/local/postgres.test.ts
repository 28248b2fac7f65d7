import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from './ports.ts'
import { launchPostgres } from './postgres.ts'
import { type SupervisedProcess, supervise } from './supervisor.ts'

let dataDir: string
let url = ''
let postgres: SupervisedProcess

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-postgres-'))
  const port = await findFreePort()
  postgres = supervise({
    name: 'postgres',
    log: () => {},
    launch: async () => {
      const server = await launchPostgres({ dataDir, port, settings: { shared_buffers: '16MB' } })
      url = server.url
      return server
    },
  })
  await postgres.start()
})

afterAll(async () => {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function query(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('the embedded Postgres', () => {
  it('is durable, and sorts and folds text in the same way everywhere', async () => {
    expect(await query(`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`)).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
    expect(await query(`select lower('ÉLIXIR') as folded, 'Z' < 'a' as by_code_point`)).toEqual([
      { folded: 'élixir', by_code_point: true },
    ])
  })

  it.each(['SIGKILL', 'SIGQUIT'] as const)('is back with all that was committed after %s', async (signal) => {
    const table = `survivor_${signal.toLowerCase()}`
    await query(`create table ${table} as select 7 as bids`)
    const { pid } = postgres
    await postgres.kill(signal)
    await postgres.whenReady()
    expect(postgres.pid).not.toBe(pid)
    expect(await query(`select bids from ${table}`)).toEqual([{ bids: 7 }])
  })
})
