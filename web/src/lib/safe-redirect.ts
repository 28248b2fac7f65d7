/**
 * The place of this site that `?redirect=` names, or `null`. Only a path of our own counts: whatever a browser would read
 * as another origin (`//host`, `/\host`, a scheme, control characters that it drops) does not.
 */
export function safeRedirect(redirect: string | null, origin: string): string | null {
  if (!redirect?.startsWith('/') || /[\p{Cc}\\]/u.test(redirect)) return null
  if (!URL.canParse(redirect, origin)) return null
  const url = new URL(redirect, origin)
  if (url.origin !== origin) return null
  const path = `${url.pathname}${url.search}${url.hash}`
  // `/.//host` is ours as a URL and another's once its dots are gone.
  return path.startsWith('//') ? null : path
}
