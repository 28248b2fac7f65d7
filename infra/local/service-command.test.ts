import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('says what keeps a command from running, and nothing else', () => {
  const script = fileURLToPath(new URL('rebuild.ts', import.meta.url))
  const env = { ...process.env, DATABASE_URL: 'mysql://db/wangian' }
  const { status, stderr } = spawnSync(process.execPath, [script, 'catalogue'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/DATABASE_URL: must be an address such as/)
  expect(stderr).not.toMatch(/ at .*service-command/)
})
