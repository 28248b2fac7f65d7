import type { Logger } from './logger.ts'

/** How long nothing is said of what was said. */
const QUIET_MS = 1000

/**
 * Logs errors that somebody can bring about as often as they like: each message once a second, with how often it was kept back since. To write each
 * of them down would be felt by others, and fill the disk.
 */
export class Seldom {
  readonly #log: Logger
  /** By message: since when nothing was said, and how often it was kept back. */
  readonly #said = new Map<string, { readonly atMs: number; keptBack: number }>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** @param message one of a few that stand in the code */
  error(message: string, error: unknown, nowMs = performance.now()): void {
    const before = this.#said.get(message)
    if (before !== undefined && nowMs - before.atMs < QUIET_MS) {
      before.keptBack += 1
      return
    }
    this.#said.set(message, { atMs: nowMs, keptBack: 0 })
    const keptBack = before?.keptBack ?? 0
    this.#log.error({ err: error, ...(keptBack > 0 && { keptBack }) }, message)
  }
}
