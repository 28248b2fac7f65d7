import { setTimeout as delay } from 'node:timers/promises'

const TIMEOUT_MS = 10_000
const INTERVAL_MS = 20

/**
 * Waits until `check` neither throws nor returns false, looking every 20 ms.
 * @returns what `check` returned at last
 * @throws what `check` threw at last, when `timeoutMs` have passed
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS } = {},
): Promise<Exclude<T, false>> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    try {
      const result = await check()
      if (result !== false) return result as Exclude<T, false>
      if (performance.now() > deadlineMs) throw new Error(`still false after ${timeoutMs} ms: ${check}`)
    } catch (error) {
      if (performance.now() > deadlineMs) throw error
    }
    await delay(INTERVAL_MS)
  }
}
