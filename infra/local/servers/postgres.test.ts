import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveSettings } from '../../backup/archive.ts'
import { query } from '../../postgres/testing/query.ts'
import { type SupervisedProcess, supervise } from '../processes/supervisor.ts'
import { launchPostgres } from './postgres.ts'
import { makeDataDirectory } from './postgres-directory.ts'

let dataDir: string
let backupDir: string
let url = ''
let postgres: SupervisedProcess

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-postgres-'))
  // Postgres' user has to get to the backup in it.
  makeDataDirectory(dataDir)
  backupDir = join(dataDir, 'backup')
  const port = await findFreePort()
  postgres = supervise({
    name: 'postgres',
    log: () => {},
    launch: async () => {
      const settings = { ...archiveSettings(backupDir), archive_timeout: '1', shared_buffers: '16MB' }
      const server = await launchPostgres({ dataDir, port, settings })
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

/** Its process id once it waits for work: before Postgres answers, so that nobody has asked it for a checkpoint, and with nothing that others wait for. */
async function idleCheckpointer(): Promise<number> {
  for (;;) {
    const { pid } = postgres
    const children = pid === undefined ? '' : read(`/proc/${pid}/task/${pid}/children`)
    const found = children.split(' ').find((child) => read(`/proc/${child}/cmdline`).includes('checkpointer'))
    if (found !== undefined && read(`/proc/${found}/wchan`).includes('poll')) return Number(found)
    await nextTurn()
  }
}

/** Nothing of a process that is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

describe('the embedded Postgres', () => {
  it('is durable, and sorts and folds text in the same way everywhere', async () => {
    expect(
      await query(url, `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`),
    ).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
    expect(await query(url, `select lower('ÉLIXIR') as folded, 'Z' < 'a' as by_code_point`)).toEqual([
      { folded: 'élixir', by_code_point: true },
    ])
  })

  it('archives what is not full within archive_timeout, also when it has just been started again', async () => {
    await postgres.restart()
    await query(url, 'create table written as select 1 as row')
    const [{ piece } = { piece: '' }] = (await query(
      url,
      'select pg_walfile_name(pg_current_wal_insert_lsn()) as piece',
    )) as {
      piece: string
    }[]
    await eventually(() => expect(readdirSync(join(backupDir, 'wal'))).toContain(piece))
  })

  it('is ready though its first checkpoint goes on, and may crash meanwhile', async () => {
    const isAsked = () =>
      eventually(
        async () => (await query(url, `select from pg_stat_activity where query = 'checkpoint'`)).length === 1,
        {
          timeoutMs: 2_000,
        },
      ).catch(() => false)
    const startHeldUp = async () => {
      await postgres.stop()
      const started = postgres.start()
      const checkpointer = await idleCheckpointer()
      process.kill(checkpointer, 'SIGSTOP')
      await started
      return checkpointer
    }
    let checkpointer = await startHeldUp()
    // Its first checkpoint was over already.
    while (!(await isAsked())) {
      process.kill(checkpointer, 'SIGCONT')
      checkpointer = await startHeldUp()
    }
    process.kill(checkpointer, 'SIGKILL')
    await eventually(async () => expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]))
  })

  it.each(['SIGKILL', 'SIGQUIT'] as const)('is back with all that was committed after %s', async (signal) => {
    const table = `survivor_${signal.toLowerCase()}`
    await query(url, `create table ${table} as select 7 as bids`)
    const { pid } = postgres
    await postgres.kill(signal)
    await postgres.whenReady()
    expect(postgres.pid).not.toBe(pid)
    expect(await query(url, `select bids from ${table}`)).toEqual([{ bids: 7 }])
  })
})
