import { forgetLanding, type Landing, landingAt } from '../../lib/landing.ts'

/** What the page at `path` was opened with. It stays beside the address, where a reload finds it and nobody else does, until it has been used. */
export function keptLandingAt(path: string): Landing {
  const { hash, query } = landingAt(path)
  if (hash.size + query.size > 0) keep(`?${query}#${hash}`)
  const kept: unknown = window.history.state?.landed
  const address = new URL(typeof kept === 'string' ? kept : '', window.location.origin)
  return { hash: new URLSearchParams(address.hash.slice(1)), query: address.searchParams }
}

/** When it has been used, so that neither coming back nor a reload uses it again. */
export function forgetKeptLanding(): void {
  forgetLanding()
  keep(undefined)
}

/** Together with what the router keeps there. */
function keep(landed: string | undefined): void {
  window.history.replaceState({ ...window.history.state, landed }, '')
}
