// npm run bench [-- --keep] [--only gateway,deals]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tellingTo } from './config.ts'
import { compare, type Figure, type Kept, keep, keptText } from './figures.ts'

/*
 * All benches one after the other, as short as says something: about twelve minutes. Each figure is printed beside the last kept one; worse than noise is
 * a failure. With --keep the figures are added to kept.json, which has those of the last runs on a quiet machine.
 */

const benches = {
  auction: ['--quick', '--only=G1,G1b,G1d,G2b'],
  gateway: ['--rounds', '2'],
  catalogue: ['--quick', '--products', '20000', '--only', 'gateway'],
  deals: ['--conversations', '1000', '--seconds', '5', '--rates', '200'],
  admin: ['--rows', '20000', '--seconds', '1'],
  neighbours: ['readers'],
  home: ['--runs', '2'],
} as const
type Bench = keyof typeof benches

const { values: flags } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const wanted = flags.only.split(',').filter((name) => name !== '')
const chosen = (Object.keys(benches) as Bench[]).filter((name) => wanted.length === 0 || wanted.includes(name))
const keptFile = join(import.meta.dirname, 'kept.json')

async function main(): Promise<void> {
  const kept: Kept = existsSync(keptFile) ? JSON.parse(readFileSync(keptFile, 'utf8')) : {}
  console.log(`A load of ${loadavg()[0]?.toFixed(1)} before.`)
  const figures: Figure[] = []
  const failed: Bench[] = []
  for (const name of chosen) {
    const startedAtMs = performance.now()
    const { told, isWell } = await run(name)
    figures.push(...told)
    if (!isWell) failed.push(name)
    console.log(`${name}: ${told.length} figures in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
  }
  const compared = compare(figures, kept)
  console.log('\n| | now | before | |\n|---|---|---|---|')
  for (const { name, value, before, unit, verdict } of compared)
    console.log(`| ${name} | ${shown(value)} ${unit} | ${before === undefined ? '-' : shown(before)} | ${verdict} |`)
  if (flags.keep) writeFileSync(keptFile, keptText(keep(figures, kept)))
  const worse = compared.filter(({ verdict }) => verdict === 'worse')
  for (const name of failed) console.log(`${name} ended with an error.`)
  console.log(`${compared.length} figures, ${worse.length} worse than noise.`)
  process.exit(worse.length + failed.length === 0 ? 0 : 1)
}

/** Its own output is shown only when it fails. */
async function run(name: Bench): Promise<{ told: readonly Figure[]; isWell: boolean }> {
  const directory = mkdtempSync(join(tmpdir(), 'wangian-bench-'))
  const file = join(directory, 'figures')
  try {
    const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...benches[name]], {
      env: tellingTo(file),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    const [code] = await once(child, 'close')
    if (code !== 0) console.error(said)
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    return { told: lines.map((line) => JSON.parse(line)), isWell: code === 0 }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Three digits, or all of those before the point. */
const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

await main()
