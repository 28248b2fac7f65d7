import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { clusterDirectory } from './postgres-directory.ts'
import { unprivilegedUser } from './unprivileged-user.ts'

it('a database that was elsewhere and is not there is not begun anew', () => {
  // Its user cannot enter this folder when we are root, as below /root: its database is elsewhere.
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-moved-'))
  const elsewhere = join(dataDir, 'on another machine')
  symlinkSync(elsewhere, join(dataDir, 'postgres'))
  try {
    expect(() => clusterDirectory(dataDir, unprivilegedUser(), () => {})).toThrow(
      `The database of ${dataDir} (DATA_DIR) is in ${elsewhere}, and that is not there.`,
    )
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
