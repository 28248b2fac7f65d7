import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isAlive } from '../processes/predecessor.ts'
import { CLUSTER_FOLDER, clearPredecessor, clusterOf } from './postgres-directory.ts'
import { findRunningPostgres } from './running-postgres.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-running-'))
  mkdirSync(join(dataDir, 'postgres', CLUSTER_FOLDER), { recursive: true })
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const lock = (...lines: readonly (string | number)[]) =>
  writeFileSync(join(dataDir, 'postgres', CLUSTER_FOLDER, 'postmaster.pid'), lines.join('\n'))

/** A process that looks like a Postgres of this directory. */
async function startStandIn(cluster: string): Promise<ChildProcess> {
  mkdirSync(cluster, { recursive: true })
  const standIn = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30_000)', '--', '-D', cluster], {
    argv0: 'postgres',
  })
  await once(standIn, 'spawn')
  return standIn
}

it('is found where its lock file says', async () => {
  const postgres = await startStandIn(clusterOf(dataDir))
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

it('is left alone, and is not taken for ours, when it is that of another data directory', async () => {
  const other = await startStandIn(join(dataDir, 'another', CLUSTER_FOLDER))
  try {
    lock(other.pid ?? 0, '/data', 1_763_000_000, 25_432, '', '127.0.0.1')
    expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
    await clearPredecessor(clusterOf(dataDir))
    expect(existsSync(join(clusterOf(dataDir), 'postmaster.pid'))).toBe(false)
    expect(isAlive(other.pid ?? 0)).toBe(true)
  } finally {
    other.kill()
  }
})

it('is not found when it has ended, or never began', () => {
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
  lock(2 ** 22 + 1, '/data', 1_763_000_000, 25_432)
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
  lock('')
  expect(findRunningPostgres(dataDir, 'secret')).toBeNull()
})
