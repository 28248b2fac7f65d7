import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { reportPage } from './page-reports.ts'

const events: unknown[][] = []
let stop: () => void
beforeEach(() => {
  events.length = 0
  window.gtag = (...event) => void events.push(event)
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ duration: 812.4 } as PerformanceEntry])
  vi.spyOn(document, 'readyState', 'get').mockReturnValue('interactive')
  stop = reportPage()
})
afterEach(() => {
  stop()
  delete window.gtag
  vi.restoreAllMocks()
})

/** As browsers tell of a promise that failed and that nobody listens to. */
function rejection(reason: unknown): Event {
  return Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason })
}
const problem = (description: string, errorType: string) => [
  'event',
  'exception',
  { description, fatal: false, error_type: errorType, page: '/' },
]

it('tells analytics of errors that nobody caught', () => {
  window.dispatchEvent(new ErrorEvent('error', { message: 'Uncaught TypeError: bottle is empty' }))
  window.dispatchEvent(new ErrorEvent('error'))
  expect(events).toEqual([
    problem('Uncaught TypeError: bottle is empty', 'javascript_error'),
    problem('Unknown error', 'javascript_error'),
  ])
})

it('tells analytics of promises that nobody waited for, and keeps them out of the console', () => {
  const failed = rejection(new Error('No answer'))
  window.dispatchEvent(failed)
  window.dispatchEvent(rejection(undefined))
  expect(events).toEqual([
    problem('No answer', 'promise_rejection'),
    problem('Unhandled promise rejection', 'promise_rejection'),
  ])
  expect(failed.defaultPrevented).toBe(true)
})

const loaded = ['event', 'timing_complete', { name: 'page_load', value: 812, event_category: 'Performance' }]

it('says once how long the page took to load', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  window.dispatchEvent(new Event('load'))
  window.dispatchEvent(new Event('load'))
  vi.runAllTimers()
  vi.useRealTimers()
  expect(events).toEqual([loaded])
})

it('says so at once when it comes late', () => {
  stop()
  vi.spyOn(document, 'readyState', 'get').mockReturnValue('complete')
  stop = reportPage()
  window.dispatchEvent(new Event('load'))
  expect(events).toEqual([loaded])
})
