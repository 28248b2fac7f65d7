import { isUnavailability } from '../errors.ts'
import type { Logger } from './logger.ts'

/** Processes that are started together wait so long for each other without a word. */
const WARN_AFTER_MS = 3000

/**
 * A time in which something fails at each try: how long it lasts, and whether it was logged. Each outage is one line in the log: at once for
 * a failure of our own, and after 3 s where another process merely does not answer.
 */
export class Outage {
  readonly #log: Logger
  readonly #what: string
  #failures = 0
  #sinceMs = 0
  #hasWarned = false

  /** @param what the line in the log, such as 'cannot ask which sessions have ended' */
  constructor(log: Logger, what: string) {
    this.#log = log
    this.#what = what
  }

  /** How many tries have failed in a row. */
  get failures(): number {
    return this.#failures
  }

  note(error: unknown, nowMs = performance.now()): void {
    if (this.#failures === 0) this.#sinceMs = nowMs
    this.#failures += 1
    if (this.#hasWarned || (isUnavailability(error) && nowMs - this.#sinceMs < WARN_AFTER_MS)) return
    this.#hasWarned = true
    this.#log.warn({ err: error }, this.#what)
  }

  end(): void {
    this.#failures = 0
    this.#hasWarned = false
  }
}
