import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { k6Environment } from './config.ts'
import { type Histogram, merged, timesOf } from './histogram.ts'
import { usageOf } from './process-usage.ts'
import { type Digest, type Shape, type Timed, timed } from './summary.ts'

/** k6's exit code for a script that ran to its end and broke a threshold. */
const THRESHOLDS_BROKEN = 99
const KILL_GRACE_MS = 5000
const LOOK_EVERY_MS = 500

export interface K6Run {
  readonly k6Path: string
  /** Where its files are left. */
  readonly directory: string
  readonly shape: Shape
  /** What each process is to do: the content of its file. */
  readonly parts: readonly object[]
  /** Where they wait for each other. */
  readonly startLine: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What all processes measured together, and what they printed beside it. */
export interface K6Result {
  readonly digest: Digest
  /** By what they are: `ack`, `deal`. */
  readonly told: ReadonlyMap<string, readonly unknown[]>
  readonly remarks: readonly string[]
  /** Cores that all processes of k6 were busy with at the most, over half a second; `undefined` where it cannot be known. */
  readonly coresMax: number | undefined
}

/** Runs a script in as many processes as there are parts. @throws when one does not run to its end */
export async function runK6(run: K6Run): Promise<K6Result> {
  const processes = run.parts.map((part, index) => startPart(run, part, index))
  const usage = followUsage(processes.map(({ pid }) => pid))
  let exitCodes: readonly (number | null)[]
  try {
    exitCodes = await Promise.all(processes.map(({ ended }) => ended))
  } finally {
    usage.stop()
  }
  run.signal.throwIfAborted()
  const wrong = exitCodes.find((code) => code !== 0 && code !== THRESHOLDS_BROKEN)
  if (wrong !== undefined) {
    throw new Error(`k6 ended ${run.shape.script} with ${wrong === null ? 'a signal' : `exit code ${wrong}`}`)
  }
  const summaries = processes.map(({ file }) => readCounts(file('summary.json')))
  const consoles = processes.map(({ file }) => parseConsole(readFileSync(file('console.txt'), 'utf8')))
  const told = new Map<string, unknown[]>()
  for (const { facts } of consoles) {
    for (const [what, all] of facts) told.set(what, [...(told.get(what) ?? []), ...all])
  }
  const tallies = (told.get('tally') ?? []) as Partial<Record<Timed, Histogram>>[]
  return {
    digest: { ...run.shape, counts: sumOf(summaries), times: timesIn(tallies) },
    told,
    remarks: consoles.flatMap(({ remarks }) => remarks),
    coresMax: usage.coresMax(),
  }
}

const fact = /^(ack|deal|tally) (\{.*\})$/

/** Takes apart what a script printed: facts by what they are, and what it had to say beside them. */
export function parseConsole(output: string): {
  readonly facts: ReadonlyMap<string, readonly unknown[]>
  readonly remarks: readonly string[]
} {
  const facts = new Map<string, unknown[]>()
  const remarks: string[] = []
  for (const line of output.split('\n')) {
    const [, what, json] = fact.exec(line) ?? []
    if (what !== undefined && json !== undefined) {
      const others = facts.get(what)
      if (others === undefined) facts.set(what, [JSON.parse(json)])
      else others.push(JSON.parse(json))
    } else if (line.trim() !== '') remarks.push(line)
  }
  return { facts, remarks }
}

/** Counts add up; times do by their histograms, which an average of percentiles would not. */
export function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const each of counts) for (const [name, count] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

function timesIn(tallies: readonly Partial<Record<Timed, Histogram>>[]): Digest['times'] {
  const measured = (Object.keys(timed) as Timed[]).filter((name) => tallies.some((tally) => tally[name] !== undefined))
  return Object.fromEntries(measured.map((name) => [name, timesOf(merged(tallies.map((tally) => tally[name] ?? {})))]))
}

function readCounts(file: string): Record<string, number> {
  return (JSON.parse(readFileSync(file, 'utf8')) as { counts: Record<string, number> }).counts
}

function startPart(run: K6Run, part: object, index: number) {
  const name = index === 0 ? run.shape.script : `${run.shape.script}-${index + 1}`
  const file = (kind: string) => join(run.directory, `${name}.${kind}`)
  // It has the tokens of people.
  writeFileSync(file('prepared.json'), JSON.stringify(part), { mode: 0o600 })
  for (const kind of ['summary.json', 'console.txt']) rmSync(file(kind), { force: true })
  const args = ['run', '--quiet', '--no-usage-report', '--address', '', '--log-format', 'raw']
  const script = join(import.meta.dirname, 'people.js')
  const k6 = spawn(run.k6Path, [...args, '--console-output', file('console.txt'), script], {
    env: k6Environment({
      PREPARED: file('prepared.json'),
      SUMMARY_FILE: file('summary.json'),
      START_LINE: run.startLine,
      PRINTS: '1',
    }),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return { pid: k6.pid, file, ended: untilEnded(k6, run) }
}

/** Resolves to the exit code, `null` when a signal ended it. */
async function untilEnded(k6: ReturnType<typeof spawn>, { timeoutMs, signal }: K6Run): Promise<number | null> {
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    k6.kill('SIGINT')
    killing ??= setTimeout(() => k6.kill('SIGKILL'), KILL_GRACE_MS)
  }
  const timeout = setTimeout(stop, timeoutMs)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [code] = (await once(k6, 'exit')) as [number | null]
    return code
  } finally {
    clearTimeout(timeout)
    clearTimeout(killing)
    signal.removeEventListener('abort', stop)
  }
}

/** Notes how many cores these processes keep busy together. */
function followUsage(pids: readonly (number | undefined)[]) {
  const cpuS = () => pids.reduce<number>((sum, pid) => sum + ((pid !== undefined && usageOf(pid)?.cpuS) || 0), 0)
  const isKnown = pids.some((pid) => pid !== undefined && usageOf(pid) !== undefined)
  let coresMax = 0
  let before = { atMs: performance.now(), cpuS: cpuS() }
  const timer = setInterval(() => {
    const now = { atMs: performance.now(), cpuS: cpuS() }
    coresMax = Math.max(coresMax, ((now.cpuS - before.cpuS) * 1000) / (now.atMs - before.atMs))
    before = now
  }, LOOK_EVERY_MS)
  return { stop: () => clearInterval(timer), coresMax: () => (isKnown ? coresMax : undefined) }
}
