import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataDirectory, removeLeftBehind } from './data-directory-lock.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-lock-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('a data directory', () => {
  it('is given to one system at a time', () => {
    const release = lockDataDirectory(dataDir, 'http://localhost:8080')
    expect(() => lockDataDirectory(dataDir, 'http://localhost:8081')).toThrow(
      /already runs at http:\/\/localhost:8080 .*another DATA_DIR/,
    )
    release()
    lockDataDirectory(dataDir, 'http://localhost:8081')()
  })

  it('that cannot be made is told as DATA_DIR', () => {
    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    for (const unusable of [file, join(file, 'below'), '/proc/wangian', '/proc/wangian/below']) {
      expect(() => lockDataDirectory(unusable, 'http://localhost:8080')).toThrow(
        `The folder ${unusable} (DATA_DIR) cannot be used: `,
      )
    }
  })

  it('is taken over from a holder that died, even when its process id lives on', () => {
    const { pid } = spawnSync('true')
    const url = 'http://localhost:8080'
    writeFileSync(join(dataDir, 'running.json'), JSON.stringify({ pid, start: '', url }))
    lockDataDirectory(dataDir, url)()
    writeFileSync(join(dataDir, 'running.json'), JSON.stringify({ pid: process.pid, start: 'earlier', url }))
    lockDataDirectory(dataDir, url)()
    writeFileSync(join(dataDir, 'running.json'), '{"pid":')
    lockDataDirectory(dataDir, url)()
  })

  it('keeps the lock of another start that took it over at the same moment', () => {
    const { pid } = spawnSync('true')
    const file = join(dataDir, 'running.json')
    const url = 'http://localhost:8080'
    writeFileSync(file, JSON.stringify({ pid, start: '', url }))
    removeLeftBehind(file)
    expect(readdirSync(dataDir)).toEqual([])
    const release = lockDataDirectory(dataDir, url)
    removeLeftBehind(file)
    expect(() => lockDataDirectory(dataDir, url)).toThrow('already runs at')
    expect(readdirSync(dataDir)).toEqual(['running.json'])
    release()
  })
})
