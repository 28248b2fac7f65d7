/** Wakes one waiter up. A ring while nobody waits is kept for the next wait. */
export interface Bell {
  ring(): void
  /** Resolves when it rings, or after `ms`, or when the signal is aborted. @returns whether it rang */
  wait(ms: number, signal: AbortSignal): Promise<boolean>
}

export function createBell(): Bell {
  let hasRung = false
  let wake = () => {}
  return {
    ring() {
      hasRung = true
      wake()
    },
    async wait(ms, signal) {
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = () => {
            clearTimeout(timer)
            signal.removeEventListener('abort', wake)
            resolve()
          }
          const timer = setTimeout(wake, ms)
          signal.addEventListener('abort', wake)
        })
      }
      const rang = hasRung
      hasRung = false
      return rang
    },
  }
}

/** What is looked at less often than this has a moment of its own: all at once would need a connection to the database each. */
const TICK_MAX_MS = 5_000
/** So much early a timer may go off, and no more than this part of the time between two ticks. */
const EARLY_MAX_MS = 50
const EARLY_MAX = 0.1

/**
 * The tick at which to look again at what is looked at every `ms`, for what is looked at every few seconds or more often. All that is looked at as often has
 * the same ticks in a process, so that it does at once what it does now and then: to wake up costs it more than most of what it wakes up for (ADR 37). Not for
 * pauses that grow, as between tries.
 * @returns monotonic, in ms. The first tick may come at once, the others follow every `ms`; none is more than 0.05 s late
 */
export function tickIn(ms: number, nowMs = performance.now()): number {
  if (ms > TICK_MAX_MS) return nowMs + ms
  const tickMs = Math.max(1, ms)
  const earlyMs = Math.min(EARLY_MAX_MS, tickMs * EARLY_MAX)
  return Math.floor((nowMs + ms + earlyMs) / tickMs) * tickMs
}

/** How long it is until {@link tickIn}. */
export function untilTick(ms: number, nowMs = performance.now()): number {
  return Math.ceil(tickIn(ms, nowMs) - nowMs)
}

/** Resolves after `ms`, or at once when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await createBell().wait(ms, signal)
}
