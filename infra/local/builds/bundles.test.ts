import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundle, withSources } from './bundles.ts'

let root: string
let log: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wangian-bundles-'))
  log = []
  for (const folder of ['packages/contracts', 'packages/kit', 'infra/local'])
    mkdirSync(join(root, folder), { recursive: true })
  write('pnpm-lock.yaml', '')
  write('services/a/src/words.txt', 'from beside')
  write(
    'services/a/src/words.ts',
    `import { readFileSync } from 'node:fs'
interface Words { readonly text: string }
export function read(): Words {
  return { text: readFileSync(new URL('./words.txt', import.meta.url), 'utf8') }
}
export function fail(): never {
  throw new Error('on purpose')
}`,
  )
  write('services/a/src/later.ts', `export const later = 'and later'`)
  write(
    main,
    `import { fail, read } from './words.ts'
const { later } = await import('./later.ts')
console.log(read().text, later)
if (process.argv.includes('--fail')) fail()`,
  )
})
afterEach(() => rmSync(root, { recursive: true }))

const main = 'services/a/src/main.ts'
const bundles = () => join(root, 'infra', 'node_modules', '.bundles')

function write(path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const bundled = () => bundle(root, [join(root, main)], (line) => log.push(line))(join(root, main))
const outputOf = (script: string) => execFileSync(process.execPath, [script], { encoding: 'utf8' })

it('does what its sources do', async () => {
  const script = await bundled()
  expect(script).toMatch(/\/services\/a\/src\/main\.mjs$/)
  expect(outputOf(script)).toBe('from beside and later\n')
})

it('is plain letters only, which Node holds in half of the memory', async () => {
  write(
    'services/a/src/later.ts',
    `/** “Later”, as it is said → here. */
export const later = /^…$/.test('…') ? 'and “later”' : \`not …\``,
  )
  const script = await bundled()
  expect(outputOf(script)).toBe('from beside and “later”\n')
  const files = readdirSync(dirname(script)).filter((name) => name.endsWith('.mjs'))
  const text = files.map((name) => readFileSync(join(dirname(script), name), 'utf8')).join('')
  expect([...text].filter((letter) => letter > '\u007f')).toEqual([])
})

it('is made once, and anew when a source changes', async () => {
  const [first, same] = await Promise.all([bundled(), bundled()])
  expect(same).toBe(first)
  expect(await bundled()).toBe(first)
  expect(readdirSync(bundles())).toHaveLength(1)

  write('services/a/src/later.ts', `export const later = 'and changed'`)
  const changed = await bundled()
  expect([first, changed].map(outputOf)).toEqual(['from beside and later\n', 'from beside and changed\n'])
  expect(log.length).toBeLessThanOrEqual(3)
})

it('is made anew when the repository has moved', async () => {
  await bundled()
  const before = root
  root = `${before}-moved`
  renameSync(before, root)
  expect(outputOf(await bundled())).toBe('from beside and later\n')
})

it('is removed when nobody has run it for a day, and another one is made', async () => {
  const aDayAgo = new Date(Date.now() - 25 * 3_600_000)
  const only = () => join(bundles(), readdirSync(bundles())[0] ?? '')
  await bundled()
  utimesSync(only(), aDayAgo, aDayAgo)
  await bundled()
  await eventually(() => expect(statSync(only()).mtimeMs).toBeGreaterThan(aDayAgo.getTime() + 3_600_000))

  utimesSync(only(), aDayAgo, aDayAgo)
  write('services/a/src/later.ts', `export const later = 'and changed'`)
  await bundled()
  expect(readdirSync(bundles())).toHaveLength(1)
})

it('says which source cannot be read', async () => {
  write('services/a/src/later.ts', 'export const = 1')
  const { message } = await bundled().then(
    () => new Error('it was bundled'),
    (error: Error) => error,
  )
  expect(message).toMatch(/^The services could not be built:\n.*services\/a\/src\/later\.ts:1:14/s)
  expect(message).not.toMatch(/bundle\.ts|^ +at /m)
  expect(readdirSync(bundles())).toEqual([])
})

it('leaves other scripts as they are', async () => {
  expect(await bundle(root, [], () => {})('/somewhere/main.ts')).toBe('/somewhere/main.ts')
})

it('tells of places in the sources', async () => {
  const { stderr } = spawnSync(process.execPath, [await bundled(), '--fail'], { encoding: 'utf8' })
  expect(stderr).toContain('.mjs:')
  const lines = stderr.split('\n').map(withSources)
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}at fail \(.*\/services\/a\/src\/words\.ts:7:\d+\)$/))
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}at .*\/services\/a\/src\/main\.ts:4:\d+\)?$/))
  // What was thrown is shown above it, without a column.
  expect(lines[0]).toMatch(/\/services\/a\/src\/words\.ts:7$/)
  expect(lines.filter((line) => line.includes('.mjs:'))).toEqual([])
})

it('leaves places that it does not know', () => {
  const line = 'at run (/nowhere/.bundles/1/services/a/src/main.mjs:1:1)'
  expect(withSources(line)).toBe(line)
})
