import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataDirectory } from './data-directory-lock.ts'

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
})
