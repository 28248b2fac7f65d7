import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureChromium, findChromium } from './chromium.ts'

describe('the search for Chromium', () => {
  let first: string
  let second: string
  beforeAll(() => {
    first = mkdtempSync(join(tmpdir(), 'wangian-path-'))
    second = mkdtempSync(join(tmpdir(), 'wangian-path-'))
    for (const name of ['chromium', 'google-chrome']) {
      writeFileSync(join(second, name), '#!/bin/sh\n')
      chmodSync(join(second, name), 0o755)
    }
    writeFileSync(join(first, 'chromium'), 'not a program')
    chmodSync(join(first, 'chromium'), 0o644)
  })
  afterAll(() => {
    for (const folder of [first, second]) rmSync(folder, { recursive: true })
  })

  it('takes the first on the PATH that can be executed', () => {
    expect(findChromium({ chromiumPath: undefined, searchPath: [first, second] })).toBe(join(second, 'chromium'))
  })

  it('takes the shell first, which has no windows', () => {
    const third = mkdtempSync(join(tmpdir(), 'wangian-path-'))
    const shell = join(third, 'chromium-headless-shell')
    writeFileSync(shell, '#!/bin/sh\n')
    chmodSync(shell, 0o755)
    expect(findChromium({ chromiumPath: undefined, searchPath: [second, third] })).toBe(shell)
    rmSync(third, { recursive: true })
  })

  it('takes the one that it is given and no other', () => {
    const given = join(second, 'google-chrome')
    expect(findChromium({ chromiumPath: given, searchPath: [second] })).toBe(given)
    expect(findChromium({ chromiumPath: join(first, 'chromium'), searchPath: [second] })).toBeNull()
  })

  it('says what is wrong with the one that it is given', async () => {
    const config = {
      chromiumPath: join(first, 'chromium'),
      searchPath: [second],
      databaseUrl: undefined,
      natsUrl: undefined,
      natsBinary: undefined,
      usesContainers: undefined,
      engineAddresses: [],
      memoryDirectory: undefined,
    }
    expect(await ensureChromium(config)).toEqual({ missing: expect.stringContaining('CHROMIUM_PATH') })
  })

  it('says what to install when there is none and it may not install any', async () => {
    const config = {
      chromiumPath: undefined,
      searchPath: [first],
      databaseUrl: undefined,
      natsUrl: undefined,
      natsBinary: undefined,
      usesContainers: undefined,
      engineAddresses: [],
      memoryDirectory: undefined,
    }
    const missing = expect.stringContaining('apt-get install chromium-headless-shell fonts-noto-core')
    expect(await ensureChromium(config)).toEqual({ missing })
  })
})
