import { useEffect, useState } from 'react'
import { useRenderedAt } from './rendered-at.ts'
import { useClockOffset } from './server-clock.ts'

/** The server's time in milliseconds, read again at every interval. */
export function useNow(everyMs: number): number {
  const renderedAtMs = useRenderedAt()
  const clockOffsetMs = useClockOffset()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return renderedAtMs ?? now + clockOffsetMs
}
