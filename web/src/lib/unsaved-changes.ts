import { interceptBack } from './going-back.ts'

/** What somebody was about to do when it was held up: doing it again goes through. */
export type Departure = () => void

/** Of what is unsaved at the same time the last one asks first. */
let holders: readonly ((departure: Departure) => void)[] = []

/** Goes to another page by a button, which is held up as a link is. */
export function depart(departure: Departure): void {
  const hold = holders.at(-1)
  // The others are asked after it.
  if (hold) hold(() => depart(departure))
  else departure()
}

/**
 * Holds up whatever would take a person away from something unsaved: a link, a button that departs, a search, going back,
 * closing the tab. The last is asked about by the browser itself; of the others `onHeld` is told. @returns a function that stops that
 */
export function holdDepartures(onHeld: (departure: Departure) => void): () => void {
  const here = { state: window.history.state as unknown, address: window.location.href }
  let isOver = false
  const stop = () => {
    isOver = true
    window.removeEventListener('beforeunload', onUnload)
    document.removeEventListener('click', onClick, true)
    document.removeEventListener('submit', onSubmit, true)
    stopIntercepting()
    holders = holders.filter((other) => other !== ask)
  }
  const ask = (departure: Departure) =>
    onHeld(() => {
      stop()
      departure()
    })
  const hold = (event: Event, departure: Departure) => {
    if (holders.at(-1) !== ask) return
    event.preventDefault()
    event.stopPropagation()
    ask(departure)
  }
  const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link && leavesPage(link, event)) hold(event, () => link.click())
  }
  // The site's search is the one form that leads to another page.
  const onSubmit = (event: SubmitEvent) => {
    const form = event.target
    if (form instanceof HTMLFormElement && form.role === 'search') hold(event, () => form.requestSubmit())
  }
  const onPop = (event: PopStateEvent) => {
    if (isOver || isSamePage(window.location, new URL(here.address))) return
    event.stopImmediatePropagation()
    window.history.pushState(here.state, '', here.address)
    onHeld(() => {
      stop()
      window.history.back()
    })
  }
  window.addEventListener('beforeunload', onUnload)
  document.addEventListener('click', onClick, true)
  document.addEventListener('submit', onSubmit, true)
  const stopIntercepting = interceptBack(onPop)
  holders = [...holders, ask]
  return stop
}

/** A click that opens another page in this tab: no other tab, no download, no place on this page. */
function leavesPage(link: HTMLAnchorElement, event: MouseEvent): boolean {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false
  if (!link.href || (link.target && link.target !== '_self') || link.hasAttribute('download')) return false
  const { protocol, pathname, search } = new URL(link.href)
  return protocol.startsWith('http') && !isSamePage(window.location, { pathname, search })
}

function isSamePage(one: Page, other: Page): boolean {
  return one.pathname === other.pathname && one.search === other.search
}

interface Page {
  readonly pathname: string
  readonly search: string
}
