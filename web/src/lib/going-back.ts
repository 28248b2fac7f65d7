type Interceptor = (event: PopStateEvent) => void

/** The last one hears of it. */
let interceptors: readonly Interceptor[] = []

/**
 * Lets `interceptBack` work. Call it before the router begins to listen: listeners of the window are called in the order in
 * which they came, and after the router's the page is gone.
 */
export function listenForBack(): void {
  window.addEventListener('popstate', onPop)
}

/** Hears of going back (or forward) before the router does, which does not hear of it when the event is stopped. */
export function interceptBack(interceptor: Interceptor): () => void {
  interceptors = [...interceptors, interceptor]
  return () => {
    interceptors = interceptors.filter((other) => other !== interceptor)
  }
}

function onPop(event: PopStateEvent): void {
  interceptors.at(-1)?.(event)
}
