import { setTimeout as delay } from 'node:timers/promises'

/** Ends what never comes, half of what a test has; on a machine that others use what takes a second may take ten. */
const TIMEOUT_MS = 30_000
const INTERVAL_MS = 20
const INTERVAL_MAX_MS = 200
/** Of what it has waited already: to look costs the processor's time, and of a long wait this much more is not felt. */
const INTERVAL_SHARE = 0.05

/**
 * Waits until `check` neither throws nor returns false, looking every 20 ms, and less often when it takes seconds.
 * @returns what `check` returned at last
 * @throws what `check` threw at last, when `timeoutMs` have passed
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS } = {},
): Promise<Exclude<T, false>> {
  const startedAtMs = performance.now()
  const deadlineMs = startedAtMs + timeoutMs
  for (;;) {
    try {
      const result = await check()
      if (result !== false) return result as Exclude<T, false>
      if (performance.now() > deadlineMs) throw new Error(`still false after ${timeoutMs} ms: ${check}`)
    } catch (error) {
      if (performance.now() > deadlineMs) throw error
    }
    const waitedMs = performance.now() - startedAtMs
    await delay(Math.min(Math.max(INTERVAL_MS, waitedMs * INTERVAL_SHARE), INTERVAL_MAX_MS))
  }
}
