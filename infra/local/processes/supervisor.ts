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
export function supervise(options: SupervisedOptions): SupervisedProcess {
  return new Supervised(options)
}

/**
 * Starts a process and resolves when it is ready; says once that this takes long.
 * @throws when it cannot start, or still is not ready after `timeoutMs`
 */
export async function startWithin(
  supervised: Pick<SupervisedProcess, 'name' | 'start'>,
  limits: { readonly noticeMs: number; readonly timeoutMs: number; readonly log: (line: string) => void },
): Promise<void> {
  const { name } = supervised
  const { noticeMs, timeoutMs, log } = limits
  const notice = setTimeout(
    () =>
      log(
        `${name} runs and is not ready yet. After an upgrade it may be bringing its tables up to date: let it finish.`,
      ),
    noticeMs,
  )
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timeout = setTimeout(
    () => reject(new Error(`${name} runs but was not ready within ${timeoutMs / 1000} s.`)),
    timeoutMs,
  )
  try {
    await Promise.race([supervised.start(), tooLate])
  } finally {
    clearTimeout(notice)
    clearTimeout(timeout)
  }
}

class Supervised implements SupervisedProcess {
  readonly #options: SupervisedOptions
  #isWanted = false
  #wasEverReady = false
  #current: Launched | undefined
  #running: Promise<void> | undefined
  #failures = 0
  #restarts = 0
  #cutWait = new AbortController()
  #readiness = unhandled<void>()
  #ending = unhandled<Exit>()

  constructor(options: SupervisedOptions) {
    this.#options = options
  }

  get name() {
    return this.#options.name
  }

  get pid() {
    return this.#current?.pid
  }

  get restarts() {
    return this.#restarts
  }

  get exited() {
    return this.#ending.promise
  }

  whenReady() {
    return this.#readiness.promise
  }

  start() {
    this.#cutWait.abort()
    if (!this.#isWanted) {
      this.#isWanted = true
      this.#wasEverReady = false
      this.#failures = 0
      this.#readiness = unhandled()
      this.#running = (this.#running ?? Promise.resolve()).then(() => this.#keepRunning())
    }
    return this.#readiness.promise
  }

  async stop() {
    if (this.#isWanted) {
      this.#isWanted = false
      this.#readiness.reject(new Error(`${this.name} was stopped.`))
      this.#readiness = unhandled()
      this.#readiness.reject(new Error(`${this.name} is stopped.`))
    }
    this.#cutWait.abort()
    await this.#current?.stop()
    await this.#running
  }

  async restart() {
    await this.stop()
    await this.start()
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL') {
    const exited = this.#ending.promise
    if (!this.#current) throw new Error(`${this.name} is not running.`)
    this.#current.kill(signal)
    return exited
  }

  pause() {
    this.#current?.kill('SIGSTOP')
  }

  resume() {
    this.#current?.kill('SIGCONT')
  }

  async #keepRunning(): Promise<void> {
    while (this.#isWanted) {
      const { readyForMs, exit, problem } = await this.#runOnce()
      if (!this.#isWanted) return
      this.#failures = failuresInARow(this.#failures, readyForMs)
      if (!this.#wasEverReady && (this.#failures >= startFailuresMax || exit?.code === EXIT_CODE_CONFIG)) {
        this.#isWanted = false
        this.#readiness.reject(new Error(`${this.name} does not start: ${problem}`))
        return
      }
      const delayMs = exit?.code === fencedExitCode ? 0 : restartDelayMs(this.#failures)
      const when = delayMs > 0 ? ` in ${delayMs} ms` : ''
      this.#options.log(`${exit ? describe(exit) : problem}; starting again${when}`)
      this.#cutWait = new AbortController()
      await wait(delayMs, undefined, { signal: this.#cutWait.signal }).catch(() => {})
      this.#restarts++
    }
  }

  async #runOnce(): Promise<{ readyForMs: number; exit?: Exit; problem: string }> {
    let launched: Launched
    try {
      launched = await this.#options.launch()
    } catch (error) {
      return { readyForMs: 0, problem: (error as Error).message }
    }
    this.#current = launched
    const awaited = this.#readiness
    // Somebody asked to stop while it was being launched.
    if (!this.#isWanted) void launched.stop()
    let readyAt: number | undefined
    const problem = launched.ready.then(
      () => {
        readyAt = Date.now()
        if (this.#current === launched) {
          this.#wasEverReady = true
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
    this.#current = undefined
    // Unless stop or start has replaced it meanwhile, who asks from now on waits for the next process.
    if (readyAt !== undefined && this.#readiness === awaited) this.#readiness = unhandled()
    const ended = this.#ending
    this.#ending = unhandled()
    ended.resolve(exit)
    return { readyForMs, exit, problem: await problem }
  }
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
