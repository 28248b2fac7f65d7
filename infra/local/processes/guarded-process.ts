import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { passPatienceOn } from './patience.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface GuardedProcess {
  readonly pid: number
  /** Resolves, and never rejects, when the process has ended. */
  readonly exited: Promise<Exit>
  /** The newest output, for an error message. */
  recentOutput(): string
  kill(signal: NodeJS.Signals): void
  /** Sends the stop signal, and SIGKILL to the whole process group when that takes longer than `timeoutMs`. */
  stop(options?: { signal?: NodeJS.Signals; timeoutMs?: number }): Promise<Exit>
}

export interface GuardedProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly workingDirectory?: string
  /** The user to run as, when this process is root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly stopSignal: NodeJS.Signals
  /** Opens an IPC channel, through which a Node process notices at once that this one is gone. */
  readonly ipc?: boolean
  readonly onLine: (line: string) => void
}

const living = new Set<number>()
const stopTimeoutMs = 10_000
const recentLinesMax = 40

/*
 * A watcher beside the program. It reads from a pipe that only we hold open: a line says that the program has ended, the
 * end of the file that we have died, by kill -9 too. A zombie still answers kill -0, hence the look into /proc.
 */
const watcherScript = `
read -r _ && exit 0
kill -CONT $1; kill -s $2 $1 || exit 0
tenths=0
while kill -0 $1 && ! grep -q ') Z ' /proc/$1/stat && [ $tenths -lt 100 ]; do sleep 0.1; tenths=$((tenths + 1)); done
kill -KILL $1
`

/*
 * Starts the watcher and becomes the program, which so has the process id that we know. The watcher is started from a
 * subshell, so that it is no child of the program and disturbs no wait() there.
 */
const launcherScript = `
watcher=$1 stop=$2; shift 2
( exec /bin/sh -c "$watcher" guard $$ "$stop" <&3 3<&- 4<&- >/dev/null 2>&1 & )
exec "$@" 3<&-
`

/**
 * Starts a program that cannot outlive this process: it is stopped when this process ends in any way.
 * It gets a process group of its own, so that Ctrl-C in the terminal reaches only us and the order of stopping is ours.
 */
export function spawnGuarded(options: GuardedProcessOptions): GuardedProcess {
  const child = spawn(
    '/bin/sh',
    ['-c', launcherScript, 'launcher', watcherScript, options.stopSignal.slice(3), options.command, ...options.args],
    {
      cwd: options.workingDirectory,
      env: options.environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
      ...options.user,
    },
  )
  const recentLines: string[] = []
  const onLine = (line: string) => {
    recentLines.push(line)
    if (recentLines.length > recentLinesMax) recentLines.shift()
    options.onLine(line)
  }
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', onLine)
  }

  const lifeline = child.stdio[3] as Writable
  lifeline.on('error', () => {})
  let ended = false
  const pid = child.pid ?? -1
  if (child.pid !== undefined) {
    living.add(pid)
    passPatienceOn(pid)
  }
  const exited = new Promise<Exit>((resolve) => {
    const end = (exit: Exit) => {
      ended = true
      living.delete(pid)
      lifeline.end('ended\n')
      resolve(exit)
    }
    child.once('exit', (code, signal) => end({ code, signal }))
    child.once('error', (error) => {
      onLine(`${options.command} could not be started: ${error.message}`)
      end({ code: 127, signal: null })
    })
  })

  return {
    pid,
    exited,
    recentOutput: () => recentLines.join('\n'),
    kill(signal) {
      if (!ended) child.kill(signal)
    },
    async stop({ signal = options.stopSignal, timeoutMs = stopTimeoutMs } = {}) {
      if (ended) return exited
      child.kill('SIGCONT')
      child.kill(signal)
      const timer = setTimeout(() => killGroup(pid), timeoutMs)
      const exit = await exited
      clearTimeout(timer)
      return exit
    },
  }
}

/** Ends every guarded process at once, without giving it a chance to finish anything. */
export function killAllGuarded(): void {
  for (const pid of living) killGroup(pid)
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself just now.
  }
}
