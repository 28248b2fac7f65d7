import { setTimeout as wait } from 'node:timers/promises'
import { EXIT_CODE_CONFIG } from '@wangian/kit/service/config.ts'
import { failuresInARow, restartDelayMs } from './back-off.ts'
import type { Exit } from './guarded-process.ts'

/** A process just started. */
export interface Launched {
  readonly pid: number
  /** Resolves when it can be used; rejects when it ends before, or never can be. */
  readonly ready: Promise<void>
  readonly exited: Promise<Exit>
  kill(signal: NodeJS.Signals): void
  stop(): Promise<unknown>
}

export interface SupervisedOptions {
  readonly name: string
  launch(): Promise<Launched>
  readonly log: (line: string) => void
}

export interface SupervisedProcess {
  readonly name: string
  /** Undefined while it is down. */
  readonly pid: number | undefined
  /** How often it was started again after it had ended by itself. */
  readonly restarts: number
  /** Resolves when the process that runs now, or else the next one, has ended. */
  readonly exited: Promise<Exit>
  /** Resolves when it is ready: at once when it is, else after its start. Rejects when it is stopped or cannot start. */
  whenReady(): Promise<void>
  /** Starts it, or cuts a wait before the next start short; resolves when it is ready. */
  start(): Promise<void>
  /** Stops it gently and keeps it down until `start`. */
  stop(): Promise<void>
  /** Stops it gently and starts it again; resolves when it is ready. */
  restart(): Promise<void>
  /** Ends the process from outside, as a crash would; it is then started again. SIGKILL when no signal is given. */
  kill(signal?: NodeJS.Signals): Promise<Exit>
  pause(): void
  resume(): void
}

/** A first start that fails this often in a row is given up: it would not do better later. */
const startFailuresMax = 3

/** An auction process that finds itself fenced ends with this code and is wanted back at once. */
const fencedExitCode = 3

/** Keeps one process running from `start` to `stop`: whenever it ends by itself, it is started again. */
export function supervise({ name, launch, log }: SupervisedOptions): SupervisedProcess {
  let isWanted = false
  let wasEverReady = false
  let current: Launched | undefined
  let running: Promise<void> | undefined
  let failures = 0
  let restarts = 0
  let cutWait = new AbortController()
  let readiness = unhandled<void>()
  let ending = unhandled<Exit>()

  async function keepRunning(): Promise<void> {
    while (isWanted) {
      const { readyForMs, exit, problem } = await runOnce()
      if (!isWanted) return
      failures = failuresInARow(failures, readyForMs)
      if (!wasEverReady && (failures >= startFailuresMax || exit?.code === EXIT_CODE_CONFIG)) {
        isWanted = false
        readiness.reject(new Error(`${name} does not start: ${problem}`))
        return
      }
      const delayMs = exit?.code === fencedExitCode ? 0 : restartDelayMs(failures)
      log(`${exit ? describe(exit) : problem}; starting again${delayMs > 0 ? ` in ${delayMs} ms` : ''}`)
      cutWait = new AbortController()
      await wait(delayMs, undefined, { signal: cutWait.signal }).catch(() => {})
      restarts++
    }
  }

  async function runOnce(): Promise<{ readyForMs: number; exit?: Exit; problem: string }> {
    let launched: Launched
    try {
      launched = await launch()
    } catch (error) {
      return { readyForMs: 0, problem: (error as Error).message }
    }
    current = launched
    const awaited = readiness
    // Somebody asked to stop while it was being launched.
    if (!isWanted) void launched.stop()
    let readyAt: number | undefined
    const problem = launched.ready.then(
      () => {
        readyAt = Date.now()
        if (current === launched) {
          wasEverReady = true
          awaited.resolve()
        }
        return ''
      },
      (error: Error) => {
        // It may still run, and could yet never be used.
        void launched.stop()
        return error.message
      },
    )
    const exit = await launched.exited
    const readyForMs = readyAt === undefined ? 0 : Date.now() - readyAt
    current = undefined
    // Unless stop or start has replaced it meanwhile, who asks from now on waits for the next process.
    if (readyAt !== undefined && readiness === awaited) readiness = unhandled()
    const ended = ending
    ending = unhandled()
    ended.resolve(exit)
    return { readyForMs, exit, problem: await problem }
  }

  const supervised: SupervisedProcess = {
    name,
    get pid() {
      return current?.pid
    },
    get restarts() {
      return restarts
    },
    get exited() {
      return ending.promise
    },
    whenReady: () => readiness.promise,
    start() {
      cutWait.abort()
      if (!isWanted) {
        isWanted = true
        wasEverReady = false
        failures = 0
        readiness = unhandled()
        running = (running ?? Promise.resolve()).then(keepRunning)
      }
      return readiness.promise
    },
    async stop() {
      if (isWanted) {
        isWanted = false
        readiness.reject(new Error(`${name} was stopped.`))
        readiness = unhandled()
        readiness.reject(new Error(`${name} is stopped.`))
      }
      cutWait.abort()
      await current?.stop()
      await running
    },
    async restart() {
      await supervised.stop()
      await supervised.start()
    },
    async kill(signal = 'SIGKILL') {
      const exited = ending.promise
      if (!current) throw new Error(`${name} is not running.`)
      current.kill(signal)
      return exited
    },
    pause: () => current?.kill('SIGSTOP'),
    resume: () => current?.kill('SIGCONT'),
  }
  return supervised
}

function describe({ code, signal }: Exit): string {
  return signal ? `was ended by ${signal}` : `ended with code ${code}`
}

/** A promise whose rejection is no error while nobody waits for it. */
function unhandled<T>(): PromiseWithResolvers<T> {
  const resolvers = Promise.withResolvers<T>()
  resolvers.promise.catch(() => {})
  return resolvers
}
