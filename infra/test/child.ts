import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { makePatient } from '../local/processes/patience.ts'
import { childEnvironment } from './config.ts'

/** Between the polite signal and the one that cannot be refused. */
const KILL_GRACE_MS = 10_000
/** Runners report what broke outside their tests as the last thing, with a stack. */
const LAST_LINES_MAX = 60

/** One program to run for a stage. */
export interface Command {
  /** What stands before each line of its output. */
  readonly label: string
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The whole run, from start to exit. */
  readonly timeoutMs: number
  /** Whether it takes only what others leave of the processor: what they measure must not depend on it. */
  readonly isPatient?: boolean
  /** `live` prints lines as they come, `on-failure` keeps them until the program has failed. */
  readonly output: 'live' | 'on-failure'
}

export interface Outcome {
  readonly ok: boolean
  /** Why it is not ok, in a few words; empty when it is. */
  readonly reason: string
  /** How its output ended. */
  readonly lastLines: readonly string[]
  readonly durationMs: number
}

const running = new Set<ChildProcess>()
let stopping = false
/** What a stage waits for once everything is being stopped: so none begins or reports anything any more. */
const never = new Promise<never>(() => {})

/** Runs a program in a process group of its own, to its end or to its timeout; never rejects. */
export async function run(command: Command): Promise<Outcome> {
  if (stopping) return await never
  const startedAtMs = performance.now()
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: childEnvironment(command.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group, so that one signal reaches the servers and browsers that it started in turn.
    detached: process.platform !== 'win32',
  })
  running.add(child)
  // Before it has started anything, so that all it starts is as patient.
  if (command.isPatient && child.pid !== undefined) makePatient(child.pid)

  let timedOut = false
  let gaveUp: NodeJS.Timeout | undefined
  const timeout = setTimeout(() => {
    timedOut = true
    signalGroup(child, 'SIGTERM')
    gaveUp = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_GRACE_MS)
  }, command.timeoutMs)

  const kept: string[] = []
  const lastLines: string[] = []
  const take = (line: string) => {
    lastLines.push(line)
    if (lastLines.length > LAST_LINES_MAX) lastLines.shift()
    if (command.output === 'live') printLine(command.label, line)
    else kept.push(line)
  }
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take)

  const ending = await new Promise<string>((resolve) => {
    let exit = ''
    child.once('error', (error) => resolve(`could not start: ${error.message}`))
    child.once('exit', (code, signal) => {
      exit = code === 0 ? '' : signal === null ? `exit code ${code}` : `ended by ${signal}`
      // Whatever it left behind holds the pipes open and would keep us waiting for 'close'.
      signalGroup(child, 'SIGKILL')
    })
    child.once('close', () => resolve(exit))
  })
  clearTimeout(timeout)
  clearTimeout(gaveUp)
  running.delete(child)
  if (stopping) return await never

  const reason = timedOut ? `stopped after its limit of ${command.timeoutMs / 1000} s` : ending
  if (reason !== '') for (const line of kept) printLine(command.label, line)
  return { ok: reason === '', reason, lastLines, durationMs: performance.now() - startedAtMs }
}

/** Ends every program that still runs, gently and then not, and starts no more; resolves when all are gone. */
export async function stopAll(): Promise<void> {
  stopping = true
  const children = [...running]
  const gone = children.map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of children) signalGroup(child, 'SIGTERM')
  const gaveUp = setTimeout(() => {
    for (const child of children) signalGroup(child, 'SIGKILL')
  }, KILL_GRACE_MS)
  await Promise.all(gone)
  clearTimeout(gaveUp)
}

/** Prints a line of one stage so that it can be told from the others'. */
export function printLine(label: string, line: string): void {
  process.stdout.write(`${label.padEnd(8)}| ${line}\n`)
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    // The group is gone already, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
