import type { Redirects } from '../oauth/redirects.ts'
import type { TokenKind } from './one-time-token-store.ts'

/** The pages that redeem tokens, for requests that name none. */
const pages: Readonly<Record<TokenKind, string>> = {
  signup: '/auth/verify',
  recovery: '/reset-password',
  email_change: '/verify-email',
}

/** Where a mailed link leads: where the request wanted it, if that is allowed, or our own page for it. */
export function landingPage(
  links: { readonly publicUrl: string; readonly redirects: Redirects },
  kind: TokenKind,
  redirectTo?: unknown,
): string {
  const target = links.redirects(redirectTo)
  return target === links.publicUrl ? `${links.publicUrl}${pages[kind]}` : target
}

/** The link itself. The page redeems the token by a POST: programs that look into mails follow links, and do not post. */
export function mailedLink(page: string, kind: TokenKind, token: string): string {
  const url = new URL(page)
  url.hash = ''
  url.searchParams.set('token_hash', token)
  url.searchParams.set('type', kind)
  return url.href
}
