// Loaded by k6 as well as by Node: it may import types only.

/** How often each whole number of ms was measured. Those of several processes add up without losing anything. */
export type Histogram = Record<string, number>

/** Times in ms. k6 measures whole milliseconds, so 0 means less than one. All of them are 0 of nothing. */
export interface Times {
  readonly count: number
  readonly median: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Counts one time. A clock that goes backwards for a moment makes none negative. */
export function record(histogram: Histogram, ms: number): void {
  const whole = Math.max(0, Math.round(ms))
  histogram[whole] = (histogram[whole] ?? 0) + 1
}

/** All of them together. */
export function merged(histograms: readonly Histogram[]): Histogram {
  const sum: Histogram = {}
  for (const histogram of histograms) {
    for (const [ms, count] of Object.entries(histogram)) sum[ms] = (sum[ms] ?? 0) + count
  }
  return sum
}

export function timesOf(histogram: Histogram): Times {
  // Keys that are whole numbers come in their order.
  const entries = Object.entries(histogram).map(([ms, count]) => ({ ms: Number(ms), count }))
  const count = entries.reduce((sum, entry) => sum + entry.count, 0)
  const upTo = (share: number) => {
    const rank = Math.max(1, Math.ceil(count * share))
    let seen = 0
    for (const entry of entries) {
      seen += entry.count
      if (seen >= rank) return entry.ms
    }
    return 0
  }
  return { count, median: upTo(0.5), p95: upTo(0.95), p99: upTo(0.99), max: entries.at(-1)?.ms ?? 0 }
}
