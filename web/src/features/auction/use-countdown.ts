import { useEffect, useState } from 'react'
import { useRenderedAt } from '../../lib/rendered-at.ts'
import { useClockOffset } from '../../lib/server-clock.ts'

const longestTimerMs = 24 * 60 * 60 * 1000

/** Milliseconds until an instant of the server's clock, not below 0; changes with every whole second that is left. */
export function useCountdown(untilMs: number): number {
  return Math.max(0, useTimeLeft(untilMs, 'every-second'))
}

/** Whether an instant of the server's clock has passed; `null` is never. */
export function useIsPast(instantMs: number | null): boolean {
  return useTimeLeft(instantMs ?? Number.POSITIVE_INFINITY, 'at-the-end') <= 0
}

/** Milliseconds until an instant of the server's clock, read again as often as asked and whenever the page is looked at. */
function useTimeLeft(serverUntilMs: number, pace: 'every-second' | 'at-the-end'): number {
  const renderedAtMs = useRenderedAt()
  const untilMs = serverUntilMs - useClockOffset()
  const [, setTick] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const schedule = () => {
      const leftMs = untilMs - Date.now()
      if (leftMs <= 0) return
      const pauseMs = pace === 'every-second' ? leftMs % 1000 || 1000 : leftMs
      timer = setTimeout(tick, Math.min(pauseMs, longestTimerMs))
    }
    const tick = () => {
      clearTimeout(timer)
      setTick((count) => count + 1)
      schedule()
    }
    schedule()
    // A device that slept has missed its timers.
    document.addEventListener('visibilitychange', tick)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', tick)
    }
  }, [untilMs, pace])
  return untilMs - (renderedAtMs ?? Date.now())
}
