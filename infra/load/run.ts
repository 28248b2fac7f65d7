// `npm run load`: k6 replays what people do, and what they were told is compared with what is stored.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTo } from '../local/log.ts'
import { inParallel } from '../local/seed/in-parallel.ts'
import { type System, startSystem } from '../local/system.ts'
import { k6Search, type LoadConfig, loadConfig } from './config.ts'
import { findK6 } from './k6-binary.ts'
import { runK6 } from './k6-run.ts'
import { LEAN_BIDDERS, type LeanResult, runLeanClient } from './lean-client.ts'
import { parseScripts, sized } from './options.ts'
import { openMarket, type Stage } from './preparation.ts'
import {
  type Acknowledgement,
  type DealDone,
  readStored,
  reconcile,
  reconcileDeals,
  type StoredAuction,
} from './reconciliation.ts'
import { asHtml, asMarkdown, reportOf } from './report.ts'
import { bottleneckLines, brokenOf, type LoadResult, resultsTable } from './results-table.ts'
import type { ScriptPlan } from './scripts.ts'
import { type Site, siteAt } from './site.ts'
import { watchSoak } from './soak-watch.ts'
import { openStartLine, type Start } from './start-line.ts'
import { type Digest, describeDigest, refusalCount } from './summary.ts'
import { thresholdsOf } from './thresholds.ts'
import { judge } from './verdict.ts'

/** What a script may take beyond its measured time: start, waiting for each other, sign-in, stragglers, summary. */
const SCRIPT_OVERHEAD_MS = 240_000
const READING_MAX = 8
const MINUTE_S = 60

const asked = parseScripts(process.argv.slice(2))
if ('usage' in asked) {
  console.error(asked.usage)
  process.exit(2)
}
const stopRequest = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopRequest.abort(new Error('stopped')))
}
const temporaryDirectory = mkdtempSync(join(tmpdir(), 'wangian-load-'))
const log = (line: string) => console.log(line)
try {
  const config = loadConfig()
  const durationS = asked.durationS ?? config.durationS
  process.exitCode = (await main(
    asked.plans.map((plan) => sized(plan, config.sizes)),
    { ...config, durationS },
  ))
    ? 0
    : 1
} catch (error) {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
} finally {
  rmSync(temporaryDirectory, { recursive: true, force: true, maxRetries: 5 })
}
// Sockets of fetch may linger.
process.exit()

/** Resolves to whether every threshold was kept and everything that was acknowledged is stored. */
async function main(plans: readonly ScriptPlan[], config: LoadConfig): Promise<boolean> {
  const startedAt = new Date()
  const k6 = await findK6(k6Search(), log)
  log(`k6 ${k6.version} (${k6.path})`)
  const system = config.baseUrl === undefined ? await startHere(plans, config.rateLimitFactor) : undefined
  try {
    const { baseUrl = system?.url ?? '', mailpitUrl } = config
    const site = siteAt({ url: baseUrl, mailpitUrl }, log, stopRequest.signal)
    const results = await runAll({ site, system, k6Path: k6.path, config }, plans)
    log(`\n${resultsTable(results)}`)
    for (const line of bottleneckLines(results)) log(line)
    const broken = results.flatMap((result) => brokenOf(result).map((line) => `${result.digest.script}: ${line}`))
    for (const line of broken) log(`BROKEN  ${line}`)
    if (config.outDirectory !== undefined) {
      const facts = { startedAt, url: site.url, k6Version: k6.version, processes: config.processes }
      const report = reportOf(results, facts)
      writeFileSync(join(config.outDirectory, 'report.md'), asMarkdown(report))
      writeFileSync(join(config.outDirectory, 'report.html'), asHtml(report))
      log(`The report is ${join(config.outDirectory, 'report.md')}, and report.html beside it.`)
    }
    return broken.length === 0
  } finally {
    await system?.stop()
  }
}

async function startHere(plans: readonly ScriptPlan[], rateLimitFactor: number): Promise<System> {
  const dataDir = join(temporaryDirectory, 'data')
  mkdirSync(dataDir)
  // The user who runs Postgres when we are root has to get in.
  chmodSync(temporaryDirectory, 0o755)
  return startSystem({
    dataDir,
    rateLimitFactor,
    // A mail for each of thousands of accounts would only take time.
    environment: { identity: { AUTH_MAILER_AUTOCONFIRM: 'true' } },
    // Only who browses sees pages.
    buildsWeb: plans.some(({ visitors }) => visitors > 0),
    signal: stopRequest.signal,
    // What its parts warn of explains what is measured.
    log: printTo((text) => process.stderr.write(text), false),
  })
}

interface Run {
  readonly site: Site
  /** Undefined when it is somebody else's. */
  readonly system: System | undefined
  readonly k6Path: string
  readonly config: LoadConfig
}

async function runAll(run: Run, plans: readonly ScriptPlan[]): Promise<LoadResult[]> {
  const { site, config } = run
  const most = (size: 'bidders' | 'visitors' | 'pairs') => Math.max(...plans.map((plan) => plan[size]))
  log(`Preparing at ${site.url}: bidders ${most('bidders')}, sellers with a buyer ${most('pairs')} …`)
  const market = await openMarket(site, {
    bidders: most('bidders'),
    leanBidders: most('bidders') > 0 && isWithoutTls(site) ? LEAN_BIDDERS : 0,
    pairs: most('pairs'),
    hasVisitors: most('visitors') > 0,
    hasBoosts: plans.some(({ boostsPerMinute }) => boostsPerMinute > 0),
  })
  const results: LoadResult[] = []
  for (const plan of plans) {
    stopRequest.signal.throwIfAborted()
    const endsInMinutes = Math.ceil(config.durationS / MINUTE_S) + 10
    results.push(await runScript(run, plan, await market.stageFor(plan, endsInMinutes)))
  }
  return results
}

/** The lean client speaks no TLS. */
function isWithoutTls({ url }: Site): boolean {
  return url.startsWith('http:')
}

async function runScript(run: Run, plan: ScriptPlan, stage: Stage): Promise<LoadResult> {
  const { site, system, k6Path, config } = run
  const directory = config.outDirectory ?? temporaryDirectory
  mkdirSync(directory, { recursive: true })
  const { says: _, isUsual: __, ...sizes } = plan
  // Without a sandbox nobody can pay.
  const boostsPerMinute = stage.boostPackageId === undefined ? 0 : plan.boostsPerMinute
  const shape = { ...sizes, boostsPerMinute, durationS: config.durationS, isDisturbed: config.isDisturbed }
  const startLine = await openStartLine(config.processes)
  log('')
  const watch = plan.isUsual || system === undefined ? undefined : watchSoak(system, log)
  const ended = new AbortController()
  try {
    const [k6, lean] = await Promise.all([
      runK6({
        k6Path,
        directory,
        shape,
        parts: stage.parts(config.processes, { shape, limits: config.limits }),
        startLine: startLine.url,
        timeoutMs: config.durationS * 1000 + SCRIPT_OVERHEAD_MS,
        signal: stopRequest.signal,
      }).finally(() => ended.abort()),
      runBeside(site, stage, config, untilStarted(startLine.started, ended.signal)),
    ])
    const soak = watch?.stop()
    log(describeDigest(k6.digest))
    for (const [remark, same] of Map.groupBy(k6.remarks, (each) => each)) log(`  ${same.length} × ${remark}`)
    const acknowledged = (k6.told.get('ack') ?? []) as Acknowledgement[]
    const stored = await readAll(site, stage.auctionIds, acknowledged)
    const problems = [
      ...reconcile(acknowledged, stored, undecided(k6.digest)),
      ...(await reconcileDeals(site, (k6.told.get('deal') ?? []) as DealDone[], stage.buyerToken)),
      ...(await leanProblems(site, stage, lean)),
      ...miscounted(k6.digest, acknowledged.length),
    ]
    const beside = { lean, coresMax: k6.coresMax }
    const judged = judge(k6.digest, thresholdsOf(shape, config.limits), beside)
    const storedCount = stored.reduce((sum, { bidCount }) => sum + bidCount, 0)
    return {
      digest: k6.digest,
      judged,
      ...beside,
      acknowledged: acknowledged.length,
      stored: storedCount,
      problems,
      soak,
    }
  } finally {
    watch?.stop()
    await startLine.close()
  }
}

/** Rejects when k6 ends before it has begun. */
function untilStarted(started: Promise<Start>, ended: AbortSignal): Promise<Start> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  over.catch(() => {})
  ended.addEventListener('abort', () => reject(new Error('k6 ended before it began')), { once: true })
  return Promise.race([started, over])
}

async function runBeside(
  site: Site,
  { lean, auctionIds: [followedId] }: Stage,
  { durationS }: LoadConfig,
  started: Promise<Start>,
): Promise<LeanResult | undefined> {
  if (lean === undefined || followedId === undefined) return undefined
  return runLeanClient({ site, ...lean, followedId, durationMs: durationS * 1000, started })
}

async function leanProblems(site: Site, { lean }: Stage, result: LeanResult | undefined): Promise<string[]> {
  if (lean === undefined || result === undefined) return []
  const { count, highestSeq } = result.accepted
  const { bidCount } = await readStored(site, lean.auctionId, Math.max(count, highestSeq))
  const problems: string[] = []
  if (bidCount < highestSeq || bidCount < count) {
    problems.push(
      `the lean client was told of ${count} accepted bids, the last with number ${highestSeq}; ${bidCount} are stored`,
    )
  }
  if (result.unanswered > 0) problems.push(`the lean client had no answer to ${result.unanswered} bids`)
  return problems
}

/** Bids of which their bidder does not know whether they were accepted. */
function undecided({ counts }: Digest): number {
  return (counts['bids_unanswered'] ?? 0) + (counts[refusalCount('outcome-unknown')] ?? 0)
}

/** Where counts, times and what was printed do not agree, something of a process of k6 is lost. */
function miscounted({ counts, times, bidders }: Digest, acknowledged: number): string[] {
  if (bidders === 0) return []
  const accepted = counts['bids_accepted'] ?? 0
  if (accepted === acknowledged && accepted === (times.bid_accept_time?.count ?? 0)) return []
  return [`counted ${accepted} accepted bids, noted ${acknowledged} and timed ${times.bid_accept_time?.count ?? 0}`]
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
