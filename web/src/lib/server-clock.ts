import { useSyncExternalStore } from 'react'

/** A device whose clock is set while the page is open. */
const clockJumpMs = 1_500
/** The `Date` of an answer has no milliseconds. */
const dateStepMs = 1_000

let offsetMs = 0
let isKnown = false
const listeners = new Set<() => void>()

/** The server's time in milliseconds, as far as this tab knows it. */
export function serverNow(): number {
  return Date.now() + offsetMs
}

/** What to add to this device's clock to get the server's, in milliseconds; 0 while a page that was rendered elsewhere is taken over. */
export function useClockOffset(): number {
  return useSyncExternalStore(
    subscribe,
    () => offsetMs,
    () => 0,
  )
}

/**
 * Every message was on its way for a while, so the largest difference heard is the truest. An answer to a question may also correct it
 * downwards, when the device's clock was set in the meantime: the server has said it later than it was asked, however late the answer is here.
 * @param askedAtMs when it was asked, by this device's clock; `null` for what nobody has asked for, or not at a known time
 */
export function hearServerTime(serverTime: string, askedAtMs: number | null): void {
  const serverMs = Date.parse(serverTime)
  const heardMs = serverMs - Date.now()
  const isWrong = askedAtMs !== null && offsetMs - (serverMs - askedAtMs) > clockJumpMs
  if (!isKnown || heardMs > offsetMs || isWrong) setClockOffset(heardMs)
}

/** Takes the rough time of an answer, which counts only where this tab's idea of the server's cannot be right. */
export function hearAnswerDate(date: string | null, askedAtMs: number): void {
  const dateMs = Date.parse(date ?? '')
  const isTooLow = dateMs - Date.now() > offsetMs + clockJumpMs
  const isTooHigh = dateMs + dateStepMs - askedAtMs < offsetMs - clockJumpMs
  if (isTooLow || isTooHigh) setClockOffset(dateMs - Date.now())
}

function setClockOffset(ms: number): void {
  offsetMs = ms
  isKnown = true
  for (const listener of listeners) listener()
}

/** As in a tab that has heard nothing yet. */
export function forgetServerClock(): void {
  setClockOffset(0)
  isKnown = false
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
