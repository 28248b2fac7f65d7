import { track } from './analytics.ts'

let listening: AbortController | undefined

/** Tells analytics, where there is any, how long the page took to load and of what nobody caught, until it is told to stop. */
export function reportPage(): () => void {
  // Whoever agrees once more is not to be told of everything twice.
  listening?.abort()
  const current = new AbortController()
  listening = current
  const { signal } = current
  if (document.readyState === 'complete') reportLoad()
  // Loading has not ended before its listeners have.
  else window.addEventListener('load', () => setTimeout(reportLoad), { once: true, signal })
  window.addEventListener('error', ({ message }) => report('javascript_error', message || 'Unknown error'), { signal })
  window.addEventListener(
    'unhandledrejection',
    (event) => {
      report('promise_rejection', messageOf(event.reason) || 'Unhandled promise rejection')
      // Whoever is told need not be told again by the console.
      if (window.gtag) event.preventDefault()
    },
    { signal },
  )
  return () => current.abort()
}

function reportLoad(): void {
  const [page] = performance.getEntriesByType('navigation')
  if (page)
    track('timing_complete', { name: 'page_load', value: Math.round(page.duration), event_category: 'Performance' })
}

function report(errorType: 'javascript_error' | 'promise_rejection', description: string): void {
  track('exception', { description, fatal: false, error_type: errorType, page: window.location.pathname })
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : ''
}
