const STEPS_PER_DOUBLING = 64
const SMALLEST_MS = 0.001
const DOUBLINGS = 27

/**
 * Latencies in buckets that grow by 1.1 %, from 1 µs to two minutes: any number of them in constant space, quantiles exact to
 * about 1 %.
 */
export class Histogram {
  readonly #counts = new Uint32Array(STEPS_PER_DOUBLING * DOUBLINGS)
  #count = 0
  #maxMs = 0

  get count(): number {
    return this.#count
  }

  get maxMs(): number {
    return this.#maxMs
  }

  record(ms: number): void {
    const index = Math.round(Math.log2(Math.max(ms, SMALLEST_MS) / SMALLEST_MS) * STEPS_PER_DOUBLING)
    const bucket = Math.min(index, this.#counts.length - 1)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count++
    if (ms > this.#maxMs) this.#maxMs = ms
  }

  add(other: Histogram): void {
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (other.#counts[bucket] ?? 0)
    }
    this.#count += other.#count
    this.#maxMs = Math.max(this.#maxMs, other.#maxMs)
  }

  /** The latency in ms that this share (0 to 1) of all does not exceed; `NaN` when there are none. */
  quantileMs(share: number): number {
    if (this.#count === 0) return Number.NaN
    const wanted = Math.max(1, Math.ceil(share * this.#count))
    let seen = 0
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket] ?? 0
      if (seen >= wanted) return Math.min(SMALLEST_MS * 2 ** (bucket / STEPS_PER_DOUBLING), this.#maxMs)
    }
    return this.#maxMs
  }
}
