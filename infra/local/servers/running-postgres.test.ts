import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CLUSTER_FOLDER } from './postgres-directory.ts'
import { findRunningPostgres } from './running-postgres.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-running-'))
  mkdirSync(join(dataDir, 'postgres', CLUSTER_FOLDER), { recursive: true })
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const lock = (...lines: readonly (string | number)[]) =>
  writeFileSync(join(dataDir, 'postgres', CLUSTER_FOLDER, 'postmaster.pid'), lines.join('\n'))

it('is found where its lock file says', async () => {
  const postgres = spawn('sleep', ['30'], { argv0: 'postgres' })
  await once(postgres, 'spawn')
  try {
    lock(postgres.pid ?? 0, '/data', 1_763_000_000, 25_432, '', '127.0.0.1')
    expect(findRunningPostgres(dataDir, 'secret')).toBe('postgres://postgres:secret@127.0.0.1:25432/postgres')
  } finally {
    postgres.kill()
  }
})

it('is not found when another program has its process id since a crash of the machine', () => {
  lock(process.pid, '/data', 1_763_000_000, 25_432, '', '127.0.0.1')
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
})

it('is not found when it has ended, or never began', () => {
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
  lock(2 ** 22 + 1, '/data', 1_763_000_000, 25_432)
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
  lock('')
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
})
