import { Rejection } from '../errors.ts'

/** How many keys one limiter remembers; beyond, the ones that were idle longest start afresh. */
export const KEYS_MAX = 50_000

/** At most `limit` attempts in `windowMs`, spent at once or spread, refilled evenly: one after each `windowMs / limit`. */
export interface RateLimit {
  readonly limit: number
  readonly windowMs: number
}

/** What one key may still do (the generic cell rate algorithm): one number, however large the limit. */
export class Allowance {
  readonly #windowMs: number
  readonly #intervalMs: number
  /** An attempt moves it one interval further. */
  #forgottenAtMs = 0

  constructor({ limit, windowMs }: RateLimit) {
    this.#windowMs = windowMs
    this.#intervalMs = windowMs / limit
  }

  /** Counts one attempt. @returns 0, or after how many ms one is allowed again: then this one was not counted */
  take(nowMs: number): number {
    const nextMs = Math.max(this.#forgottenAtMs, nowMs) + this.#intervalMs
    const excessMs = nextMs - nowMs - this.#windowMs
    // A little tolerance: sums of fractions must not cost the last attempt.
    if (excessMs > this.#intervalMs / 100) return excessMs
    this.#forgottenAtMs = nextMs
    return 0
  }
}

export interface RateLimiter {
  /** Counts one attempt of `key` (an address, a user id), unless there were too many. */
  allows(key: string | number): boolean
  /**
   * The same for a request.
   * @throws Rejection('rate-limited') with `retryAfterS` in its details when there were too many; that one is not counted
   */
  take(key: string | number): void
  /** Gives back all attempts of `key`, where only failed ones are to count. */
  forget(key: string | number): void
}

/**
 * A limit per key. Counts in this process's memory: a copy of the service has a count of its own. The app's
 * `rateLimitFactor` raises the limit.
 */
export function createRateLimiter(
  app: { readonly rateLimitFactor: number },
  rule: RateLimit & { readonly now?: () => number },
): RateLimiter {
  const now = rule.now ?? (() => performance.now())
  const raised = { limit: rule.limit * app.rateLimitFactor, windowMs: rule.windowMs }
  // In the order of their last attempt that was counted.
  const allowances = new Map<string | number, Allowance>()

  function waitMs(key: string | number): number {
    const allowance = allowances.get(key) ?? new Allowance(raised)
    const excessMs = allowance.take(now())
    if (excessMs > 0) return excessMs
    allowances.delete(key)
    allowances.set(key, allowance)
    if (allowances.size > KEYS_MAX) {
      const [oldest] = allowances.keys()
      if (oldest !== undefined) allowances.delete(oldest)
    }
    return 0
  }

  return {
    allows: (key) => waitMs(key) === 0,
    take(key) {
      const excessMs = waitMs(key)
      if (excessMs > 0) throw new Rejection('rate-limited', undefined, { retryAfterS: Math.ceil(excessMs / 1000) })
    },
    forget: (key) => void allowances.delete(key),
  }
}
