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

/** Resolves after `ms`, or at once when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await createBell().wait(ms, signal)
}
