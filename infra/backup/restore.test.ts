import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'
import { startPostgres } from '../local/servers/postgres.ts'
import { makeDataDirectory } from '../local/servers/postgres-directory.ts'
import { DATABASE, withDatabase } from '../postgres/roles.ts'
import { query } from '../postgres/testing/query.ts'
import { archiveSettings } from './archive.ts'
import { backUp } from './back-up.ts'
import { restore } from './restore.ts'

let root: string
let backupDir: string
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'wangian-restore-'))
  makeDataDirectory(root)
  backupDir = join(root, 'backup')
  const dataDir = join(root, 'data')
  const postgres = await startPostgres({ dataDir, settings: archiveSettings(backupDir) })
  try {
    await query(postgres.url, `create database ${DATABASE}`)
    const statements = "create schema identity; create table identity.signing_keys as select 'application' as purpose"
    await query(withDatabase(postgres.url, DATABASE), statements)
    await backUp({ adminUrl: postgres.url, dataDir, backupDir })
  } finally {
    await postgres.stop()
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

/** Runs the command until it reads what was archived, and kills it then. */
async function killInTheMiddle(dataDir: string): Promise<void> {
  const script = join(repositoryRoot, 'infra/backup/restore-command.ts')
  const env = { ...inheritedEnvironment(), DATA_DIR: dataDir, BACKUP_DIR: backupDir }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  createInterface(child.stdout).on(
    'line',
    (line) => line.startsWith('Reading what was written') && child.kill('SIGKILL'),
  )
  expect(await ended).toEqual([null, 'SIGKILL'])
}

it('a restore that is killed leaves nothing to start with, and may be run once more', async () => {
  const dataDir = join(root, 'restored')
  await killInTheMiddle(dataDir)
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  await expect(startPostgres({ dataDir })).rejects.toThrow(`A restore to ${dataDir} was broken off`)
  await restore({ backupDir, dataDir, until: null })
  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'secrets.json'])
  const postgres = await startPostgres({ dataDir })
  try {
    const statement = 'select purpose from identity.signing_keys'
    expect(await query(withDatabase(postgres.url, DATABASE), statement)).toEqual([])
  } finally {
    await postgres.stop()
  }
})
