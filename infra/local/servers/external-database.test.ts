import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withDatabase } from '../../postgres/roles.ts'
import { query } from '../../postgres/testing/query.ts'
import { type SupervisedProcess, supervise } from '../processes/supervisor.ts'
import { externalDatabaseUrls, setUpExternalDatabase } from './external-database.ts'
import { startPostgres } from './postgres.ts'

let directory: string
let serverUrl = ''
let postgres: SupervisedProcess

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'wangian-external-'))
  const port = await findFreePort()
  postgres = supervise({
    name: 'postgres',
    log: () => {},
    launch: async () => {
      const server = await startPostgres({ dataDir: directory, port, settings: { shared_buffers: '16MB' } })
      serverUrl = server.url
      return server
    },
  })
  await postgres.start()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** A start with a DATA_DIR of that name, and what it logs. */
async function start(dataDir: string, database: string) {
  const lines: string[] = []
  const options = { databaseUrl: withDatabase(serverUrl, database), dataDir: join(directory, dataDir) }
  return { ...(await setUpExternalDatabase({ ...options, log: (line) => lines.push(line) })), lines, options }
}

it('is refused to a second DATA_DIR before the passwords of the first are changed, and free when that one has stopped', async () => {
  const first = await start('first', 'shared')
  await expect(start('second', 'shared')).rejects.toThrow(
    /^The database "shared" at 127\.0\.0\.1:\d+ \(DATABASE_URL\) is in use by another Wangian.*\(wangian-start \d+ on .*\)\. Stop that one/,
  )
  expect(await query(first.databaseUrls.get('auction'), 'select current_schema() as schema')).toEqual([
    { schema: 'auction' },
  ])
  const elsewhere = await start('second', 'another')
  await elsewhere.lock.release()
  await first.lock.release()
  const second = await start('second', 'shared')
  await query(second.databaseUrls.get('auction'), 'select')
  await second.lock.release()
})

it('has commands of the DATA_DIR that works with it, of another one only while nobody does', async () => {
  const { lock, databaseUrls, options } = await start('first', 'commanded')
  const other = { ...options, dataDir: join(directory, 'second') }
  expect(await externalDatabaseUrls(options)).toEqual(databaseUrls)
  await expect(externalDatabaseUrls(other)).rejects.toThrow(/in use by another Wangian.*Run this with that DATA_DIR/)
  await query(databaseUrls.get('auction'), 'select')
  await lock.release()
  await query((await externalDatabaseUrls(other)).get('auction'), 'select')
})

it('is kept over a restart of Postgres', async () => {
  const { lock, lines } = await start('first', 'restarted')
  await postgres.kill('SIGQUIT')
  await eventually(() => expect(lines.at(-1)).toBe('other starts are kept from the database again'))
  await expect(start('second', 'restarted')).rejects.toThrow('is in use')
  await lock.release()
})

it('that another start has by the time Postgres is back is told as taken', async () => {
  const { lock } = await start('first', 'taken')
  const other = new Client({
    connectionString: withDatabase(serverUrl, 'taken'),
    application_name: 'wangian-start elsewhere',
  })
  await other.connect()
  const taking = other.query(`select pg_advisory_lock(hashtext('wangian-start'), hashtext('taken:taken_'))`)
  await eventually(async () =>
    expect(await query(serverUrl, `select from pg_locks where locktype = 'advisory' and not granted`)).toHaveLength(1),
  )
  await query(serverUrl, `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted`)
  await taking
  expect((await lock.taken).message).toMatch(/in use by another Wangian.*\(wangian-start elsewhere\).*this one stops/)
  await lock.release()
  await other.end()
})
