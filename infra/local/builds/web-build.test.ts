import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildWeb } from './web-build.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wangian-web-build-'))
  write('pnpm-lock.yaml', '')
  write('packages/contracts/src/ids.ts', '')
  write('web/package.json', '{}')
  write('web/index.html', '')
  write('web/node_modules/vite/package.json', '{}')
  // Stands for Vite: what is built says where the community meets.
  write(
    'web/node_modules/vite/bin/vite.js',
    `const { mkdirSync, writeFileSync } = require('node:fs')
const directory = process.argv[process.argv.indexOf('--outDir') + 1]
mkdirSync(directory, { recursive: true })
writeFileSync(directory + '/index.html', process.env.VITE_COMMUNITY_URL || 'nowhere')`,
  )
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true })
})

function write(path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** @returns what is served then, and how often that was built */
async function build() {
  const log: string[] = []
  const built = await buildWeb(root, { withDevPages: false }, (line) => log.push(line))
  return [served(built), log.length]
}

const served = (built = '') => readFileSync(join(built, 'index.html'), 'utf8')

it('the web app is built anew when a variable that it is built with has changed, and not otherwise', async () => {
  expect(await build()).toEqual(['nowhere', 1])
  expect(await build()).toEqual(['nowhere', 0])
  vi.stubEnv('VITE_COMMUNITY_URL', 'https://meet.example.com')
  expect(await build()).toEqual(['https://meet.example.com', 1])
  expect(await build()).toEqual(['https://meet.example.com', 0])
  vi.stubEnv('VITE_COMMUNITY_URL', '')
  expect(await build()).toEqual(['nowhere', 0])
})

it('what one start serves stays as it is when another one beside it builds with other settings', async () => {
  const production = await buildWeb(root, { withDevPages: false }, () => {})
  vi.stubEnv('VITE_COMMUNITY_URL', 'https://rehearsal.example.com')
  const rehearsal = await buildWeb(root, { withDevPages: true }, () => {})
  expect([served(production), served(rehearsal)]).toEqual(['nowhere', 'https://rehearsal.example.com'])
})
