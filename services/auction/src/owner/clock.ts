/** Samples older than this are replaced by any newer one, in ms. */
const SAMPLE_AGE_MAX_MS = 10_000
/** What the two clocks may gain on each other between readings, in ms. */
const DRIFT_MAX_MS = 50

/**
 * The database's clock, estimated between readings by this machine's monotonic clock: a jump of the system time, here or on another
 * owner, moves no auction's end (promise P6, fault F19). It never runs backwards.
 */
export class DatabaseClock {
  #offsetMs: number | null = null
  #roundTripMs = Number.POSITIVE_INFINITY
  #sampledAtMs = 0
  /** The last reading cannot be of the clock that is estimated. */
  #isDoubted = false
  #latestMs = 0
  readonly #monotonicMs: () => number

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
  }

  /** Epoch ms, whole. Throws before the first {@link sample}. */
  nowMs(): number {
    this.#latestMs = Math.max(this.#latestMs, this.#estimateMs())
    return this.#latestMs
  }

  /** How far {@link nowMs} is ahead of the database's clock since that was set back, in ms. */
  aheadMs(): number {
    return this.nowMs() - this.#estimateMs()
  }

  /**
   * Takes a reading of the database's clock (epoch ms) that was asked for and received at these monotonic times. The reading with the
   * shortest round trip of the last seconds wins, because half the round trip bounds its error (Cristian's algorithm). Two in a row that
   * are farther off than that say that the clock was set, or that this machine was asleep.
   */
  sample(databaseMs: number, askedAtMs: number, receivedAtMs: number): void {
    const roundTripMs = receivedAtMs - askedAtMs
    const isStale = receivedAtMs - this.#sampledAtMs > SAMPLE_AGE_MAX_MS
    const offsetMs = databaseMs - (askedAtMs + receivedAtMs) / 2
    if (this.#offsetMs !== null && !isStale && roundTripMs > this.#roundTripMs) {
      const errorMaxMs = (roundTripMs + this.#roundTripMs) / 2 + DRIFT_MAX_MS
      const wasDoubted = this.#isDoubted
      this.#isDoubted = Math.abs(offsetMs - this.#offsetMs) > errorMaxMs
      if (!wasDoubted || !this.#isDoubted) return
    }
    this.#isDoubted = false
    this.#offsetMs = offsetMs
    this.#roundTripMs = roundTripMs
    this.#sampledAtMs = receivedAtMs
  }

  #estimateMs(): number {
    if (this.#offsetMs === null) throw new Error('the clock was not set yet')
    return Math.floor(this.#monotonicMs() + this.#offsetMs)
  }
}
