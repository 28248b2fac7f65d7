/** What a toast says. There is at most one; a new one takes the place of the old. */
export interface ToastMessage {
  readonly title: string
  readonly description?: string | undefined
  readonly tone?: 'default' | 'destructive'
  readonly action?: { readonly label: string; readonly onAct: () => void }
  /** News that may wait a moment, so that it does not wipe out an error before anybody could read it. */
  readonly yields?: boolean
}

type Listener = (message: ToastMessage) => void

const readingTimeMs = 2500
let listener: Listener | undefined
let waiting: ToastMessage | undefined
let waitingTimer: ReturnType<typeof setTimeout> | undefined
let errorShownAt = Number.NEGATIVE_INFINITY

/** Shows a toast, from anywhere. */
export function showToast(message: ToastMessage): void {
  clearTimeout(waitingTimer)
  const readingLeftMs = errorShownAt + readingTimeMs - Date.now()
  if (message.yields && readingLeftMs > 0) {
    waitingTimer = setTimeout(() => showToast(message), readingLeftMs)
    return
  }
  errorShownAt = message.tone === 'destructive' ? Date.now() : Number.NEGATIVE_INFINITY
  // The toaster is loaded after the first paint; what comes before it waits.
  if (listener) listener(message)
  else waiting = message
}

/** For the toaster alone. */
export function listenToToasts(next: Listener): () => void {
  listener = next
  if (waiting) next(waiting)
  waiting = undefined
  return () => {
    listener = undefined
  }
}
