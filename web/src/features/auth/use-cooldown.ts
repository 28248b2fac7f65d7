import { useEffect, useState } from 'react'

/** Counts down to when something may be done again. @returns the seconds left, what starts it anew, and what ends it */
export function useCooldown(
  seconds: number,
  startsNow: boolean,
): readonly [secondsLeft: number, restart: () => void, end: () => void] {
  const [endsAtMs, setEndsAtMs] = useState(() => (startsNow ? Date.now() + seconds * 1000 : 0))
  const [nowMs, setNowMs] = useState(Date.now)
  const isOver = nowMs >= endsAtMs
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isOver])
  const restart = () => {
    setNowMs(Date.now())
    setEndsAtMs(Date.now() + seconds * 1000)
  }
  return [Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000)), restart, () => setEndsAtMs(0)]
}
