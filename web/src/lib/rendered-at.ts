import { useSyncExternalStore } from 'react'

let renderedAtMs: number | null = null

/** Says when the page was rendered that is about to be taken over, or that is rendered here for somebody else. */
export function setRenderedAt(ms: number): void {
  renderedAtMs = ms
}

/**
 * While a page is rendered for somebody else, and while it is taken over: when that was, in milliseconds. Both have to show the same, also what depends
 * on the time. `null` from then on, and everywhere else.
 */
export function useRenderedAt(): number | null {
  return useSyncExternalStore(never, whereItIsShown, () => renderedAtMs)
}

const never = () => () => {}
const whereItIsShown = () => null
