import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { listenToToasts, showToast } from './toast-store.ts'

let shown: string[]
let stop = () => {}
const listen = () => {
  stop = listenToToasts((message) => shown.push(message.title))
}
beforeEach(() => {
  vi.useFakeTimers()
  shown = []
  listen()
  showToast({ title: 'clean' })
  shown = []
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

it('shows each at once', () => {
  showToast({ title: 'one' })
  showToast({ title: 'two' })
  expect(shown).toEqual(['one', 'two'])
})

it('keeps the last one for a toaster that comes later', () => {
  stop()
  showToast({ title: 'one' })
  showToast({ title: 'two' })
  listen()
  expect(shown).toEqual(['two'])
})

it('lets an error be read before news take its place, and shows only the newest news', () => {
  showToast({ title: 'error', tone: 'destructive' })
  showToast({ title: 'news 1', yields: true })
  showToast({ title: 'news 2', yields: true })
  expect(shown).toEqual(['error'])
  vi.advanceTimersByTime(2_500)
  expect(shown).toEqual(['error', 'news 2'])
  showToast({ title: 'news 3', yields: true })
  expect(shown).toEqual(['error', 'news 2', 'news 3'])
})

it('forgets news that waited when something else is said', () => {
  showToast({ title: 'error', tone: 'destructive' })
  showToast({ title: 'news', yields: true })
  showToast({ title: 'placed' })
  vi.advanceTimersByTime(10_000)
  expect(shown).toEqual(['error', 'placed'])
})
