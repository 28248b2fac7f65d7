import { describe, expect, it } from 'vitest'
import { inEvenTime } from './even-time.ts'

const DURATION_MS = 50
/** Timers may come a little early. */
const TOLERANCE_MS = 2

async function timed(work: () => Promise<string>): Promise<{ outcome: string; durationMs: number }> {
  const startMs = performance.now()
  const outcome = await inEvenTime(DURATION_MS, work).catch((error: Error) => error.message)
  return { outcome, durationMs: performance.now() - startMs }
}

describe('work in even time', () => {
  it.each([
    ['done', async () => 'done'],
    [
      'refused',
      async () => {
        throw new Error('refused')
      },
    ],
  ])('is %s, and not sooner', async (expected, work) => {
    const { outcome, durationMs } = await timed(work)
    expect(outcome).toBe(expected)
    expect(durationMs).toBeGreaterThanOrEqual(DURATION_MS - TOLERANCE_MS)
  })
})
