/** Above this rate bids come first and their way to the other services waits. */
const BUSY_EVENTS_PER_S = 2000
const BUSY_WAIT_MS = 400
/** Above this rate the relay gathers: a batch per bid would keep Postgres and NATS as busy as the bids themselves do. */
const BRISK_EVENTS_PER_S = 100
const BRISK_WAIT_MS = 40
const WINDOW_MS = 250

/**
 * Slows the relay while a burst lasts: what it publishes is already durable and nobody waits for it, while on few cores every event it
 * moves is a bid that is answered later. The backlog drains as soon as the burst is over.
 */
export class RelayPace {
  #windowStartMs = 0
  #events = 0
  #ratePerS = 0
  readonly #monotonicMs: () => number

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
  }

  note(events: number): void {
    this.#roll()
    this.#events += events
  }

  /** How long the relay should wait before its next batch, in ms. */
  waitMs(): number {
    this.#roll()
    if (this.#ratePerS > BUSY_EVENTS_PER_S) return BUSY_WAIT_MS
    return this.#ratePerS > BRISK_EVENTS_PER_S ? BRISK_WAIT_MS : 0
  }

  #roll(): void {
    const nowMs = this.#monotonicMs()
    const elapsedMs = nowMs - this.#windowStartMs
    if (elapsedMs < WINDOW_MS) return
    this.#ratePerS = (this.#events / elapsedMs) * 1000
    this.#events = 0
    this.#windowStartMs = nowMs
  }
}
