import { Rejection } from '../errors.ts'

/** How many keys one limiter remembers; beyond, the ones that were idle longest start afresh. */
const KEYS_MAX = 50_000

export interface RateLimiter {
  /**
   * Counts one attempt of `key` (an address, a user id).
   * @throws Rejection('rate-limited') with `retryAfterS` in its details when there were too many; that one is not counted
   */
  take(key: string | number): void
  /** Gives back all attempts of `key`, where only failed ones are to count. */
  forget(key: string | number): void
}

/**
 * At most `limit` attempts per key in `windowMs`, spent at once or spread, refilled evenly. Counts in this process's
 * memory: a copy of the service has a count of its own. The app's `rateLimitFactor` raises the limit.
 */
export function createRateLimiter(
  app: { readonly rateLimitFactor: number },
  rule: { readonly limit: number; readonly windowMs: number; readonly now?: () => number },
): RateLimiter {
  const now = rule.now ?? (() => performance.now())
  const intervalMs = rule.windowMs / (rule.limit * app.rateLimitFactor)
  // Per key the moment at which all its attempts are forgotten; an attempt moves it one interval further.
  const forgottenAtMs = new Map<string | number, number>()
  return {
    take(key) {
      const nowMs = now()
      const nextMs = Math.max(forgottenAtMs.get(key) ?? nowMs, nowMs) + intervalMs
      const excessMs = nextMs - nowMs - rule.windowMs
      // Half an interval of tolerance: sums of fractions must not cost the last attempt.
      if (excessMs > intervalMs / 2) {
        throw new Rejection('rate-limited', undefined, { retryAfterS: Math.ceil(excessMs / 1000) })
      }
      forgottenAtMs.delete(key)
      forgottenAtMs.set(key, nextMs)
      if (forgottenAtMs.size > KEYS_MAX) {
        const [oldest] = forgottenAtMs.keys()
        if (oldest !== undefined) forgottenAtMs.delete(oldest)
      }
    },
    forget(key) {
      forgottenAtMs.delete(key)
    },
  }
}
