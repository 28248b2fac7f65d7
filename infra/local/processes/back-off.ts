/** A process that has been ready for this long counts as healthy: its next crash is a first one again. */
export const healthyAfterMs = 30_000

const delaysMs = [0, 250, 500, 1000, 2000, 4000, 8000, 10_000]

/** How long to wait before the next start, in ms, after so many failures in a row (1 or more). */
export function restartDelayMs(failuresInARow: number): number {
  return delaysMs[Math.min(failuresInARow, delaysMs.length) - 1] ?? 0
}

/** The failures in a row when a process has just ended that had been ready for `readyForMs` (0 when it never was). */
export function failuresInARow(before: number, readyForMs: number): number {
  return readyForMs >= healthyAfterMs ? 1 : before + 1
}
