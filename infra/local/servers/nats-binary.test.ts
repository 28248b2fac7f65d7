import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { findNatsServer, type NatsSource, natsSources } from './nats-binary.ts'
import { natsVersionMin } from './nats-version.ts'

const source = (name: string, outcome: string | undefined | Error, asked: string[] = []): NatsSource => ({
  name,
  obtain: async () => {
    asked.push(name)
    if (outcome instanceof Error) throw outcome
    return outcome
  },
})

describe('the search for nats-server', () => {
  it('takes the first that is found and asks no further', async () => {
    const asked: string[] = []
    const sources = [
      source('first', undefined, asked),
      source('second', '/second', asked),
      source('third', '/third', asked),
    ]
    expect(await findNatsServer(sources, () => {})).toBe('/second')
    expect(asked).toEqual(['first', 'second'])
  })

  it('goes on after a failure, saying so in a line', async () => {
    const lines: string[] = []
    const sources = [source('download', new Error('no network\nand more')), source('build', '/built')]
    expect(await findNatsServer(sources, (line) => lines.push(line))).toBe('/built')
    expect(lines).toEqual(['download: no network'])
  })

  it('ends with what failed and what to do', async () => {
    const sources = [source('PATH', undefined), source('download', new Error('no network'))]
    await expect(findNatsServer(sources, () => {})).rejects.toThrow(
      /not found[\s\S]*download: no network[\s\S]*NATS_URL/,
    )
  })
})

describe('the sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wangian-path-'))
  const binary = join(folder, 'nats-server')
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const install = (version: string) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(binary, `#!/bin/sh\necho "nats-server: v${version}"\n`)
    chmodSync(binary, 0o755)
  }

  it('come cheapest first, and the PATH leads', async () => {
    install(natsVersionMin)
    const sources = natsSources({ environment: { PATH: folder }, cacheDirectory: '/nowhere', isRoot: false })
    expect(sources.map(({ name }) => name)).toEqual([
      'PATH',
      'cache',
      'official release',
      'go install',
      'system packages',
    ])
    expect(await sources[0]?.obtain(() => {})).toBe(binary)
    expect(await sources[1]?.obtain(() => {})).toBeUndefined()
    expect(await sources[4]?.obtain(() => {})).toBeUndefined()
  })

  it('leave out a server that is too old, and say what is needed', async () => {
    install('2.9.9')
    const [path] = natsSources({ environment: { PATH: folder }, cacheDirectory: '/nowhere', isRoot: false })
    const needed = `${binary} is version 2.9.9, and ${natsVersionMin} or newer is needed`
    await expect(path?.obtain(() => {})).rejects.toThrow(needed)
  })
})
