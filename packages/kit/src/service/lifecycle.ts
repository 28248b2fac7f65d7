import { StartError } from '../errors.ts'
import { EXIT_CODE_CONFIG } from './config.ts'
import { yieldHelperThreads } from './helper-threads.ts'
import { createLogger, type Logger } from './logger.ts'
import { collectOnceQuiet } from './quiet-memory.ts'

/** A step of stopping; `name` is for the log. Steps run in the reverse order of their registration, one after the other. */
export type OnStop = (step: () => unknown, name?: string) => void

const STOP_DEADLINE_MS = 10_000
/** A terminal and a supervisor may both tell us to stop: a signal so soon after the first is the same wish. */
const ECHO_MS = 500

/**
 * Runs a service until it is told to stop: by SIGTERM, SIGINT, or the end of the process that started it (its IPC
 * channel closes). Then the stop steps run and the process ends with 0; with 1 when the start, a step or anything
 * else fails or stopping takes longer than 10 s; with 78 after a `StartError`. A second signal ends it at once.
 * @param service.start opens what the service needs; registers right after each opening how to close it
 */
export function runService(service: {
  readonly name: string
  readonly start: (onStop: OnStop) => Promise<void>
  readonly log?: Logger
  readonly stopDeadlineMs?: number
}): void {
  const log = service.log ?? createLogger({ name: service.name })
  const steps = new StopSteps(log)
  let stoppingSinceMs: number | null = null
  let exitCode = 0

  async function stop(reason: string, code: number): Promise<void> {
    if (stoppingSinceMs !== null) {
      exitCode = Math.max(exitCode, code)
      return
    }
    stoppingSinceMs = performance.now()
    exitCode = code
    log.info({ reason }, 'stopping')
    const deadlineMs = service.stopDeadlineMs ?? STOP_DEADLINE_MS
    setTimeout(() => {
      log.error({ deadlineMs }, 'stopping took too long')
      process.exit(1)
    }, deadlineMs).unref()
    await steps.drain()
    log.info({ durationMs: Math.round(performance.now() - stoppingSinceMs) }, 'stopped')
    process.exit(exitCode === 0 && steps.hasFailed ? 1 : exitCode)
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stoppingSinceMs !== null && performance.now() - stoppingSinceMs > ECHO_MS) {
        log.warn({ signal }, 'a second signal, ending at once')
        process.exit(1)
      }
      void stop(signal, 0)
    })
  }
  const parentEnded = () => void stop('the parent process has ended', 0)
  process.on('disconnect', parentEnded)
  if (process.connected === false) parentEnded()
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'an error that nobody handled')
    void stop(origin, 1)
  })

  const onStop: OnStop = (run, name) => steps.add(run, name)
  service.start(onStop).then(
    () => {
      if (stoppingSinceMs !== null) return
      log.info('started')
      yieldHelperThreads()
      collectOnceQuiet()
    },
    (error: unknown) => {
      if (stoppingSinceMs !== null) return
      if (error instanceof StartError) log.fatal(error.message)
      else log.fatal({ err: error }, 'could not start')
      void stop('could not start', error instanceof StartError ? EXIT_CODE_CONFIG : 1)
    },
  )
}

/** The steps of stopping, the last one first. */
class StopSteps {
  hasFailed = false
  readonly #log: Logger
  readonly #steps: { readonly run: () => unknown; readonly name: string }[] = []
  #isDrained = false

  constructor(log: Logger) {
    this.#log = log
  }

  add(run: () => unknown, name = 'a step'): void {
    this.#steps.push({ run, name })
    // The start went on while we were stopping already: what it has opened since must be closed too.
    if (this.#isDrained) void this.drain()
  }

  async drain(): Promise<void> {
    this.#isDrained = false
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step.run()
      } catch (error) {
        this.hasFailed = true
        this.#log.error({ err: error, step: step.name }, 'a stop step failed')
      }
    }
    this.#isDrained = true
  }
}
