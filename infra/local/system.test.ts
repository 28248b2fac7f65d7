import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startSystem } from './system.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-system-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))

it('that is given up while it starts stops what it has begun, and nothing fails by that', async () => {
  const signal = AbortSignal.abort(new Error('not wanted any more'))
  await expect(startSystem({ dataDir, buildsWeb: false, signal })).rejects.toThrow('not wanted any more')
  expect(readdirSync(dataDir)).not.toContain('running.json')
})
