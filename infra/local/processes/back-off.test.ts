import { describe, expect, it } from 'vitest'
import { failuresInARow, healthyAfterMs, restartDelayMs } from './back-off.ts'

describe('a process that keeps crashing', () => {
  it('is started again at once, then ever later, at most every ten seconds', () => {
    const delaysMs = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map(restartDelayMs)
    expect(delaysMs).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000])
  })

  it('counts on while it is never healthy for long', () => {
    expect(failuresInARow(4, 0)).toBe(5)
    expect(failuresInARow(4, healthyAfterMs - 1)).toBe(5)
  })
})

describe('a process that was healthy for a while', () => {
  it('is started again at once', () => {
    expect(restartDelayMs(failuresInARow(7, healthyAfterMs))).toBe(0)
  })
})
