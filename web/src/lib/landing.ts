/** What came in the address of a page that a mail or another provider led to. */
export interface Landing {
  readonly hash: URLSearchParams
  readonly query: URLSearchParams
}

const landingPaths = ['/auth-callback', '/verify-email', '/auth-verify', '/auth/verify', '/reset-password'] as const
const nothing: Landing = { hash: new URLSearchParams(), query: new URLSearchParams() }

let landed: { readonly path: string; readonly landing: Landing } | null = null

/**
 * Takes what lets somebody in out of the address, before the router, analytics or a link to another site could pass it on.
 * Called once, when the app begins.
 */
export function takeLanding(address: URL, replaceAddress: (path: string) => void): void {
  landed = null
  const landing = { hash: new URLSearchParams(address.hash.slice(1)), query: address.searchParams }
  const path = landingPaths.find((each) => each === address.pathname.replace(/\/$/, '')) ?? strayPath(address, landing)
  if (!path) return
  landed = { path, landing }
  if (address.search || address.hash || path !== address.pathname) replaceAddress(path)
}

/** What the page at `path` was opened with: nothing when it was reached from within the app. */
export function landingAt(path: string): Landing {
  return landed?.path === path.replace(/\/$/, '') ? landed.landing : nothing
}

/** When it has been used, so that coming back does not use it again. */
export function forgetLanding(): void {
  landed = null
}

/** The provider leads to the home page when it does not know where somebody came from. */
function strayPath({ pathname }: URL, { hash }: Landing): string | null {
  if (pathname !== '/') return null
  if (hash.has('error')) return '/auth-callback'
  if (!hash.has('access_token')) return null
  const type = hash.get('type')
  return type === 'recovery' ? '/reset-password' : type ? '/auth/verify' : '/auth-callback'
}
