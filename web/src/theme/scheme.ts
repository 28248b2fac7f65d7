import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../lib/browser-storage.ts'

/** What a person chose: a scheme, or to follow the device. */
export type SchemeChoice = 'system' | 'light' | 'dark'

const storageKey = 'wangian-scheme'
const listeners = new Set<() => void>()

/** Puts the stored choice on the page. Call it before the first render. */
export function applyStoredScheme(): void {
  apply(storedChoice())
  // Another tab changed it.
  window.addEventListener('storage', (event) => {
    if (event.key === storageKey) apply(storedChoice())
  })
}

/** The choice in force and the way to change it. */
export function useSchemeChoice(): readonly [SchemeChoice, (choice: SchemeChoice) => void] {
  const choice = useSyncExternalStore<SchemeChoice>(subscribe, storedChoice, () => 'system')
  return [choice, choose]
}

function choose(choice: SchemeChoice): void {
  writeStored('localStorage', storageKey, choice === 'system' ? null : choice)
  apply(choice)
}

function storedChoice(): SchemeChoice {
  const stored = readStored('localStorage', storageKey)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function apply(choice: SchemeChoice): void {
  if (choice === 'system') delete document.documentElement.dataset['scheme']
  else document.documentElement.dataset['scheme'] = choice
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
