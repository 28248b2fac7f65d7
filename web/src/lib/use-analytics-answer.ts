import { useSyncExternalStore } from 'react'
import { trackPageView } from './analytics.ts'
import { analyticsId, answerKey, storedAnswer } from './analytics-answer.ts'
import { withdraw } from './analytics-tag.ts'
import { beginAnalytics } from './begin-analytics.ts'
import { writeStored } from './browser-storage.ts'

const listeners = new Set<() => void>()

/** What the visitor answered, here or in another tab, and the way to answer; `null` where nobody is asked. */
export function useAnalyticsAnswer(): readonly ['yes' | 'no' | null, (answer: 'yes' | 'no') => void] | null {
  const stored = useSyncExternalStore(subscribe, storedAnswer)
  return analyticsId() ? [stored, answer] : null
}

function answer(given: 'yes' | 'no'): void {
  if (given === storedAnswer()) return
  const id = analyticsId()
  if (given === 'yes') {
    writeStored('localStorage', answerKey, given)
    beginAnalytics()
    trackPageView()
  } else if (id) withdraw(id)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
