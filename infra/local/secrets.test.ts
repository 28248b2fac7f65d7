import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadSecrets } from './secrets.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-secrets-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it.each(['', '{"postgres": "cut o', '["postgres"]'])(
  'a file of secrets that holds none is named, and kept: %o',
  (text) => {
    const file = join(dataDir, 'secrets.json')
    writeFileSync(file, text)
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => loadSecrets(dataDir, ['postgres'])).toThrow(`${file} does not hold the passwords of this DATA_DIR`)
    }
  },
)
