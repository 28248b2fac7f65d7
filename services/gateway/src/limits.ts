/** Tokens that refill evenly: `burst` at once, `perSecond` in the long run (the token bucket of RFC 2697, one colour). */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #tokens: number
  #filledAtMs: number

  constructor(limit: { perSecond: number; burst: number }, nowMs: number) {
    this.#perMs = limit.perSecond / 1000
    this.#burst = limit.burst
    this.#tokens = limit.burst
    this.#filledAtMs = nowMs
  }

  take(nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledAtMs) * this.#perMs)
    this.#filledAtMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** Nothing would be lost by forgetting this bucket. */
  isFull(nowMs: number): boolean {
    return this.#tokens + (nowMs - this.#filledAtMs) * this.#perMs >= this.#burst
  }
}

/** How many keys are remembered at once. */
export const KEYS_MAX = 100_000

/** A token bucket per key, made on first use. Full ones are forgotten when there are many. */
export class KeyedBuckets {
  readonly #limit: { perSecond: number; burst: number }
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: { perSecond: number; burst: number }) {
    this.#limit = limit
  }

  get size(): number {
    return this.#buckets.size
  }

  take(key: string, nowMs: number): boolean {
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      if (this.#buckets.size >= KEYS_MAX) this.#forgetFull(nowMs)
      bucket = new TokenBucket(this.#limit, nowMs)
      this.#buckets.set(key, bucket)
    }
    return bucket.take(nowMs)
  }

  #forgetFull(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isFull(nowMs)) this.#buckets.delete(key)
    // Nearly everybody is busy: the oldest start afresh, so many that the next ones need not look through all of them again.
    let excess = this.#buckets.size - KEYS_MAX / 2
    for (const key of this.#buckets.keys()) {
      if (excess-- <= 0) return
      this.#buckets.delete(key)
    }
  }
}

/** Counts what is held at the same time per key, e.g. sockets per address. */
export class KeyedCounts {
  readonly #max: number
  readonly #counts = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#counts.size
  }

  /** `false` when the key holds as many as it may. */
  acquire(key: string): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#max) return false
    this.#counts.set(key, count + 1)
    return true
  }

  release(key: string): void {
    const count = this.#counts.get(key) ?? 0
    if (count <= 1) this.#counts.delete(key)
    else this.#counts.set(key, count - 1)
  }
}
