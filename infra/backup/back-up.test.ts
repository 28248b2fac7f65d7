import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres } from '../local/servers/postgres.ts'
import { makeDataDirectory } from '../local/servers/postgres-directory.ts'
import { archiveSettings, partsOfBackup } from './archive.ts'
import { backUp, copyFiles, listCopies } from './back-up.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'wangian-back-up-'))
  makeDataDirectory(root)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

it('a copy is removed that Postgres has not outlived, and whoever makes it is told', async () => {
  const [dataDir, backupDir] = [join(root, 'data'), join(root, 'backup')]
  const { wal, copies } = partsOfBackup(backupDir)
  // The copy waits for its last piece, which is never archived.
  const settings = { ...archiveSettings(backupDir), archive_command: `sleep 600 # ${wal}` }
  const postgres = await startPostgres({ dataDir, settings })
  const outcome = backUp({ adminUrl: postgres.url, dataDir, backupDir }).catch((error: Error) => error.message)
  await eventually(() => expect(readdirSync(copies)).toHaveLength(1))
  postgres.kill()
  expect(await outcome).toBe('Connection terminated unexpectedly')
  expect(readdirSync(copies)).toEqual([])
})

it('a copy whose making was killed is removed by the next one, and by none while another is being made', async () => {
  const [dataDir, backupDir] = [join(root, 'killed'), join(root, 'killed-backup')]
  const { copies } = partsOfBackup(backupDir)
  const postgres = await startPostgres({ dataDir, settings: archiveSettings(backupDir) })
  const make = () => backUp({ adminUrl: postgres.url, dataDir, backupDir })
  try {
    const left = join(copies, '20261122T010000Z.unfinished')
    mkdirSync(join(left, 'cluster'), { recursive: true })
    const outcomes = await Promise.allSettled([make(), make()])
    const [made] = outcomes.filter((one) => one.status === 'fulfilled')
    const [refused] = outcomes.filter((one) => one.status === 'rejected')
    expect(String(refused?.reason)).toContain('Another backup of this database is being made')
    expect(readdirSync(copies).map((name) => join(copies, name))).toEqual([made?.value.directory])
  } finally {
    await postgres.stop()
  }
})

it('a copy that is just being deleted, or that was not on the disk when the power went, counts no more', () => {
  const backupDir = join(root, 'tidied')
  const { copies } = partsOfBackup(backupDir)
  const facts = { startedAt: '2026-11-22T01:00:00.000Z', finishedAt: '2026-11-22T01:00:09.000Z', version: '18.1' }
  for (const name of ['20261122T010000Z', '20261123T010000Z.unfinished', '20261121T010000Z', '20261124T010000Z']) {
    mkdirSync(join(copies, name, 'cluster'), { recursive: true })
    writeFileSync(join(copies, name, 'facts.json'), JSON.stringify(facts))
  }
  rmSync(join(copies, '20261121T010000Z', 'facts.json'))
  writeFileSync(join(copies, '20261124T010000Z', 'facts.json'), '')
  expect(listCopies(backupDir).map(({ directory }) => directory)).toEqual([join(copies, '20261122T010000Z')])
})

it('files that vanish while they are copied are no trouble, and those beside them are copied', async () => {
  const [dataDir, backupDir] = [join(root, 'busy'), join(root, 'busy-backup')]
  const pictures = join(dataDir, 'pictures')
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(pictures, 'z-full.webp'), 'a bottle')
  writeFileSync(join(dataDir, 'secrets.json'), '{}')
  const uploader = new Worker(
    `const { writeFileSync, rmSync } = require('node:fs')
     const { parentPort, workerData } = require('node:worker_threads')
     const names = Array.from({ length: 20 }, (_, index) => workerData + '/' + index + '.webp')
     for (let round = 0; ; round += 1) {
       for (const name of names) writeFileSync(name, 'a bottle of '.padEnd(round % 100))
       for (const name of names) rmSync(name)
       if (round === 0) parentPort.postMessage('busy')
     }`,
    { eval: true, workerData: pictures },
  )
  await once(uploader, 'message')
  try {
    for (let night = 0; night < 100; night += 1) copyFiles(dataDir, backupDir)
  } finally {
    await uploader.terminate()
  }
  expect(readFileSync(join(backupDir, 'files', 'pictures', 'z-full.webp'), 'utf8')).toBe('a bottle')
})

it('a backup below the data directory does not hold itself', () => {
  const dataDir = join(root, 'holder')
  const backupDir = join(dataDir, 'backups', 'nightly')
  mkdirSync(join(dataDir, 'pictures'), { recursive: true })
  writeFileSync(join(dataDir, 'pictures', 'full.webp'), 'a bottle')
  writeFileSync(join(dataDir, 'secrets.json'), '{}')
  for (let night = 0; night < 2; night += 1) {
    copyFiles(dataDir, backupDir)
    expect(readdirSync(backupDir).sort()).toEqual(['files', 'secrets.json'])
    expect(readdirSync(join(backupDir, 'files'))).toEqual(['pictures'])
  }
})
