import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hearServerTime } from '../../lib/server-clock.ts'
import { later, nowMs } from '../../testing/fixtures.ts'
import { useCountdown, useIsPast } from './use-countdown.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (durationMs: number) => act(() => vi.advanceTimersByTime(durationMs))

describe('a countdown', () => {
  it('changes with each whole second that is left', () => {
    const { result } = renderHook(() => useCountdown(nowMs + 2_400))
    expect(result.current).toBe(2_400)
    pass(400)
    expect(result.current).toBe(2_000)
    pass(999)
    expect(result.current).toBe(2_000)
    pass(1)
    expect(result.current).toBe(1_000)
    pass(5_000)
    expect(result.current).toBe(0)
  })

  it("runs on the server's clock", () => {
    const { result } = renderHook(() => useCountdown(nowMs + 10_000))
    act(() => hearServerTime(later(4_000), nowMs))
    expect(result.current).toBe(6_000)
  })
})

describe('the end', () => {
  it('comes on time, also when it is further away than a timer can wait', () => {
    const days = 60 * 24 * 60 * 60_000
    const { result } = renderHook(() => useIsPast(nowMs + days))
    pass(days - 1)
    expect(result.current).toBe(false)
    pass(1)
    expect(result.current).toBe(true)
  })

  it('is noticed when a device wakes up', () => {
    const { result } = renderHook(() => useIsPast(nowMs + 60_000))
    vi.setSystemTime(nowMs + 61_000)
    act(() => document.dispatchEvent(new Event('visibilitychange')))
    expect(result.current).toBe(true)
  })

  it('never comes where there is none', () => {
    expect(renderHook(() => useIsPast(null)).result.current).toBe(false)
  })
})
