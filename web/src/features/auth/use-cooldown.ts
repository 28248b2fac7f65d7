import { useEffect, useState } from 'react'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

/**
 * Counts down to when something may be done again, beyond a reload of the page. `of` is what it is about.
 * @returns the seconds left, what starts it anew, and what ends it
 */
export function useCooldown(
  seconds: number,
  startsNow: boolean,
  of: string,
): readonly [secondsLeft: number, restart: () => void, end: () => void] {
  const key = `wangian-cooldown ${of}`
  const keep = (endMs: number) => {
    writeStored('sessionStorage', key, String(endMs))
    return endMs
  }
  const afterNowMs = () => Date.now() + seconds * 1000
  const [endsAtMs, setEndsAtMs] = useState(() => {
    const kept = readStored('sessionStorage', key)
    // The clock may have been set back since.
    if (kept !== null) return Math.min(Number(kept), afterNowMs())
    return startsNow ? keep(afterNowMs()) : 0
  })
  const [nowMs, setNowMs] = useState(Date.now)
  const isOver = nowMs >= endsAtMs
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isOver])
  const restart = () => {
    setNowMs(Date.now())
    setEndsAtMs(keep(afterNowMs()))
  }
  return [Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000)), restart, () => setEndsAtMs(keep(0))]
}
