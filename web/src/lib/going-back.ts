type Interceptor = (event: PopStateEvent) => void

let intercept: Interceptor | undefined

/**
 * Lets `interceptBack` work. Call it before the router begins to listen: listeners of the window are called in the order in
 * which they came, and after the router's the page is gone.
 */
export function listenForBack(): void {
  window.addEventListener('popstate', onPop)
}

/** Hears of going back (or forward) before the router does, which does not hear of it when the event is stopped. */
export function interceptBack(interceptor: Interceptor): () => void {
  intercept = interceptor
  return () => {
    if (intercept === interceptor) intercept = undefined
  }
}

function onPop(event: PopStateEvent): void {
  intercept?.(event)
}
