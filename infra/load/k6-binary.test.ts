import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findK6, isUsable, versionIn } from './k6-binary.ts'

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wangian-k6-'))
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A folder with a program of that name that prints the line. */
function folderWith(name: string, line: string): string {
  const folder = mkdtempSync(join(directory, 'bin-'))
  writeFileSync(join(folder, name), `#!/bin/sh\necho '${line}'\n`)
  chmodSync(join(folder, name), 0o755)
  return folder
}

/** A search among these folders, with an empty cache and without Go. */
function searchIn(...searchPath: readonly string[]) {
  const cacheDirectory = mkdtempSync(join(directory, 'cache-'))
  return { searchPath, cacheDirectory, environment: { PATH: mkdtempSync(join(directory, 'none-')) } }
}

describe('k6', () => {
  it.each([
    ['k6 v1.8.1 (go1.26.8, linux/amd64)', '1.8.1'],
    ['k6-v1.8.1 v1.8.1 (go1.26.8, linux/amd64)', '1.8.1'],
    ['k6.exe v1.6.0 (commit/devel, go1.25, windows/amd64)', '1.6.0'],
    ['something else 1.8.1', undefined],
  ])('says in %j which version it is', (output, version) => expect(versionIn(output)).toBe(version))

  it.each([
    ['0.57.0', false],
    ['1.5.9', false],
    ['1.6.0', true],
    ['1.10.0', true],
    ['2.0.0', true],
  ])('%s can run the scripts: %s', (version, can) => expect(isUsable(version)).toBe(can))

  it('is taken from the PATH, past one that is too old', async () => {
    const old = folderWith('k6', 'k6 v0.49.0 (go1.21.7, linux/amd64)')
    const good = folderWith('k6', 'k6 v1.9.2 (go1.26.8, linux/amd64)')
    const lines: string[] = []
    const found = await findK6(searchIn(old, good), (line) => lines.push(line))
    expect(found).toEqual({ path: join(good, 'k6'), version: '1.9.2' })
    expect(lines).toEqual([`${join(old, 'k6')} is k6 0.49.0; the scripts need 1.6 or newer`])
  })

  it('is taken from the cache when it is not on the PATH', async () => {
    const search = searchIn()
    const cacheDirectory = folderWith('k6-v1.8.1', 'k6-v1.8.1 v1.8.1 (go1.26.8, linux/amd64)')
    const found = await findK6({ ...search, cacheDirectory }, () => {})
    expect(found.path).toBe(join(cacheDirectory, 'k6-v1.8.1'))
  })

  it('is built with Go into the cache, and only there', async () => {
    const go = folderWith('go', '')
    const fake = `printf '#!/bin/sh\\necho "k6 v1.8.1 (go)"\\n' > "$GOBIN/k6"; chmod 755 "$GOBIN/k6"`
    writeFileSync(join(go, 'go'), `#!/bin/sh\n[ "$1 $2" = "install go.k6.io/k6@v1.8.1" ] || exit 1\n${fake}\n`)
    const search = { ...searchIn(), environment: { PATH: `${go}:/usr/bin:/bin` } }
    const cacheDirectory = join(search.cacheDirectory, 'made')
    mkdirSync(cacheDirectory)
    const found = await findK6({ ...search, cacheDirectory }, () => {})
    expect(found).toEqual({ path: join(cacheDirectory, 'k6-v1.8.1'), version: '1.8.1' })
  })

  it('that is nowhere and cannot be built is asked for, with the reason', async () => {
    const search = searchIn()
    await expect(findK6(search, () => {})).rejects.toThrow(
      /could not be built[\s\S]*no Go on the PATH[\s\S]*Install k6 1\.6/,
    )
    const go = folderWith('go', '')
    writeFileSync(join(go, 'go'), '#!/bin/sh\necho "go: dial tcp: no such host" >&2\nexit 1\n')
    const offline = { ...search, environment: { PATH: go } }
    await expect(findK6(offline, () => {})).rejects.toThrow(/go: dial tcp: no such host/)
  })
})
