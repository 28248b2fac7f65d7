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
  const remembered = new Map<string | number, Remembered>()
  // All of them in the order of their last attempt that was counted, as a ring: a map would have to be searched for the oldest.
  const ring = new Remembered('', new Allowance(raised))

  function waitMs(key: string | number): number {
    const known = remembered.get(key) ?? new Remembered(key, new Allowance(raised))
    const excessMs = known.allowance.take(now())
    if (excessMs > 0) return excessMs
    if (known.next === known) remembered.set(key, known)
    known.moveBefore(ring)
    if (remembered.size > KEYS_MAX) forget(ring.next.key)
    return 0
  }

  function forget(key: string | number): void {
    remembered.get(key)?.leave()
    remembered.delete(key)
  }

  return {
    allows: (key) => waitMs(key) === 0,
    take(key) {
      const excessMs = waitMs(key)
      if (excessMs > 0) throw new Rejection('rate-limited', undefined, { retryAfterS: Math.ceil(excessMs / 1000) })
    },
    forget,
  }
}

/** What a limiter remembers of a key, and its place in a ring; alone it is a ring of one. */
class Remembered {
  readonly key: string | number
  readonly allowance: Allowance
  #previous: Remembered = this
  #next: Remembered = this

  constructor(key: string | number, allowance: Allowance) {
    this.key = key
    this.allowance = allowance
  }

  get next(): Remembered {
    return this.#next
  }

  leave(): void {
    this.#previous.#next = this.#next
    this.#next.#previous = this.#previous
    this.#previous = this
    this.#next = this
  }

  moveBefore(other: Remembered): void {
    this.leave()
    this.#previous = other.#previous
    this.#next = other
    other.#previous.#next = this
    other.#previous = this
  }
}
