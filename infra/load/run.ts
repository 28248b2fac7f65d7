// `npm run load`: k6 replays bid bursts through /ws, and what was acknowledged is compared with what is stored.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTo } from '../local/log.ts'
import { inParallel } from '../local/seed/in-parallel.ts'
import { startSystem } from '../local/system.ts'
import { k6Environment, k6Search, type LoadConfig, loadConfig } from './config.ts'
import { findK6 } from './k6-binary.ts'
import { parseScripts, sized } from './options.ts'
import { type LoadUser, loadTerms, openAuctions, signUpUsers } from './preparation.ts'
import { parseConsole, readStored, reconcile, type StoredAuction } from './reconciliation.ts'
import { type LoadResult, resultsTable } from './results-table.ts'
import type { ScriptPlan } from './scripts.ts'
import { type Site, siteAt } from './site.ts'
import type { Digest } from './summary.ts'

/** What a script may take beyond its measured time: start, sign-in, stragglers, summary. */
const SCRIPT_OVERHEAD_MS = 60_000
const READING_MAX = 8
const MINUTE_S = 60
const KILL_GRACE_MS = 5000
/** k6's exit code for a script that ran to its end and broke a threshold. */
const THRESHOLDS_BROKEN = 99

const plans = parseScripts(process.argv.slice(2))
if ('usage' in plans) {
  console.error(plans.usage)
  process.exit(2)
}
const stopRequest = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopRequest.abort(new Error('stopped')))
}
const temporaryDirectory = mkdtempSync(join(tmpdir(), 'wangian-load-'))
try {
  process.exitCode = (await main(plans)) ? 0 : 1
} catch (error) {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
} finally {
  rmSync(temporaryDirectory, { recursive: true, force: true, maxRetries: 5 })
}
// Sockets of fetch may linger.
process.exit()

/** Resolves to whether every threshold was kept and every acknowledged bid is stored. */
async function main(scripts: readonly ScriptPlan[]): Promise<boolean> {
  const config = loadConfig()
  const log = (line: string) => console.log(line)
  const k6 = await findK6(k6Search(), log)
  log(`k6 ${k6.version} (${k6.path})`)
  const system = config.baseUrl === undefined ? await startHere(config.rateLimitFactor) : undefined
  try {
    const site = siteAt(config.baseUrl ?? system?.url ?? '', log, stopRequest.signal)
    const results = await runAll(site, k6.path, config, scripts)
    console.log(`\n${resultsTable(results)}`)
    for (const { digest, problems } of results) {
      for (const problem of [...digest.broken, ...problems]) console.log(`BROKEN  ${digest.script}: ${problem}`)
    }
    return results.every(({ digest, problems }) => digest.broken.length === 0 && problems.length === 0)
  } finally {
    await system?.stop()
  }
}

async function startHere(rateLimitFactor: number) {
  const dataDir = join(temporaryDirectory, 'data')
  mkdirSync(dataDir)
  // The user who runs Postgres when we are root has to get in.
  chmodSync(temporaryDirectory, 0o755)
  // What its parts warn of explains what is measured.
  const log = printTo((text) => process.stderr.write(text), false)
  // A mail for each of thousands of accounts would only take time.
  const environment = { identity: { AUTH_MAILER_AUTOCONFIRM: 'true' } }
  return startSystem({ dataDir, rateLimitFactor, environment, buildsWeb: false, signal: stopRequest.signal, log })
}

async function runAll(
  site: Site,
  k6Path: string,
  config: LoadConfig,
  scripts: readonly ScriptPlan[],
): Promise<LoadResult[]> {
  const plans = scripts.map((plan) => sized(plan, config))
  const biddersMax = Math.max(...plans.map(({ bidders }) => bidders))
  const auctionsMax = plans.reduce((sum, { auctions }) => sum + auctions, 0)
  console.log(`Preparing at ${site.url}: bidders ${biddersMax}, auctions ${auctionsMax} …`)
  const [seller, ...bidders] = (await signUpUsers(site, biddersMax + 1)) as [LoadUser, ...LoadUser[]]
  const results: LoadResult[] = []
  for (const plan of plans) {
    stopRequest.signal.throwIfAborted()
    const endsInMinutes = Math.ceil(config.durationS / MINUTE_S) + 10
    const auctionIds = await openAuctions(site, seller, plan.auctions, endsInMinutes)
    results.push(await runScript({ site, k6Path, config, plan, bidders: bidders.slice(0, plan.bidders), auctionIds }))
  }
  return results
}

interface ScriptRun {
  readonly site: Site
  readonly k6Path: string
  readonly config: LoadConfig
  readonly plan: ScriptPlan
  readonly bidders: readonly LoadUser[]
  readonly auctionIds: readonly number[]
}

async function runScript({ site, k6Path, config, plan, bidders, auctionIds }: ScriptRun): Promise<LoadResult> {
  const { durationS, acceptP95Ms, lagP95Ms, outDirectory } = config
  const directory = outDirectory ?? temporaryDirectory
  mkdirSync(directory, { recursive: true })
  const file = (kind: string) => join(directory, `${plan.script}.${kind}`)
  const prepared = {
    ...plan,
    baseUrl: site.url,
    durationS,
    acceptP95Ms,
    lagP95Ms,
    incrementSen: loadTerms.incrementSen,
    bidders,
    auctionIds,
  }
  // It has the bidders' tokens.
  writeFileSync(file('prepared.json'), JSON.stringify(prepared), { mode: 0o600 })
  for (const kind of ['summary.json', 'console.txt']) rmSync(file(kind), { force: true })
  const exitCode = await runK6(k6Path, {
    script: join(import.meta.dirname, `${plan.script}.js`),
    consoleFile: file('console.txt'),
    timeoutMs: durationS * 1000 + SCRIPT_OVERHEAD_MS,
    environment: { PREPARED: file('prepared.json'), SUMMARY_FILE: file('summary.json'), ACKNOWLEDGEMENTS: '1' },
  })
  if (exitCode !== 0 && exitCode !== THRESHOLDS_BROKEN) {
    throw new Error(`k6 ended ${plan.script} with ${exitCode === null ? 'a signal' : `exit code ${exitCode}`}`)
  }
  const digest: Digest = JSON.parse(readFileSync(file('summary.json'), 'utf8'))
  const { acknowledged, remarks } = parseConsole(readFileSync(file('console.txt'), 'utf8'))
  for (const [remark, same] of Map.groupBy(remarks, (each) => each)) console.log(`  ${same.length} × ${remark}`)
  const stored = await readAll(site, auctionIds, acknowledged)
  const storedCount = stored.reduce((sum, { bidCount }) => sum + bidCount, 0)
  const problems = reconcile(acknowledged, stored, digest.unanswered)
  if (exitCode === THRESHOLDS_BROKEN && digest.broken.length === 0) problems.push('k6 says that a threshold was broken')
  if (acknowledged.length !== digest.accepted) {
    problems.push(`counted ${digest.accepted} accepted bids and noted ${acknowledged.length}`)
  }
  return { digest, acknowledged: acknowledged.length, stored: storedCount, problems }
}

async function readAll(
  site: Site,
  auctionIds: readonly number[],
  acknowledged: readonly { readonly auctionId: number }[],
): Promise<StoredAuction[]> {
  const promised = Map.groupBy(acknowledged, ({ auctionId }) => auctionId)
  const stored: StoredAuction[] = []
  await inParallel(READING_MAX, auctionIds, async (auctionId) => {
    stored.push(await readStored(site, auctionId, promised.get(auctionId)?.length ?? 0))
  })
  return stored
}

/** Resolves to the exit code, `null` when a signal ended it. */
async function runK6(
  k6Path: string,
  run: {
    readonly script: string
    readonly consoleFile: string
    readonly timeoutMs: number
    readonly environment: Readonly<Record<string, string>>
  },
): Promise<number | null> {
  console.log('')
  const args = ['run', '--quiet', '--no-usage-report', '--address', '', '--log-format', 'raw']
  const k6 = spawn(k6Path, [...args, '--console-output', run.consoleFile, run.script], {
    env: k6Environment(run.environment),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    k6.kill('SIGINT')
    killing ??= setTimeout(() => k6.kill('SIGKILL'), KILL_GRACE_MS)
  }
  const timeout = setTimeout(stop, run.timeoutMs)
  stopRequest.signal.addEventListener('abort', stop, { once: true })
  try {
    const [code] = (await once(k6, 'exit')) as [number | null]
    stopRequest.signal.throwIfAborted()
    return code
  } finally {
    clearTimeout(timeout)
    clearTimeout(killing)
    stopRequest.signal.removeEventListener('abort', stop)
  }
}
