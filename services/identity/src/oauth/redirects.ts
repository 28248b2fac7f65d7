/** Where the provider may send browsers: `redirect_to` or, without one that is allowed, the page that asked, or the site. */
export type Redirects = (redirectTo: unknown, referer?: string) => string

const URL_LENGTH_MAX = 2000

/**
 * Makes the check that keeps `redirect_to` from sending people, and the codes in the address, to a stranger. Allowed is
 * the site's own origin (on a loopback host with any port, for development servers) and what matches the list.
 * @param rule.allowList patterns in which `*` stands for anything but `.` and `/`, `**` for anything at all
 */
export function createRedirects(rule: { readonly siteUrl: string; readonly allowList: readonly string[] }): Redirects {
  const site = new URL(rule.siteUrl)
  const patterns = rule.allowList.map(globPattern)

  function allowed(given: unknown): string | null {
    if (typeof given !== 'string' || given.length > URL_LENGTH_MAX || !URL.canParse(given)) return null
    // What is checked and what is answered is the same text, however strangely it was written.
    const url = new URL(given)
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
    return isOfSite(url) || patterns.some((pattern) => pattern.test(withoutFragment(url))) ? url.href : null
  }

  function isOfSite(url: URL): boolean {
    if (url.protocol !== site.protocol || url.hostname !== site.hostname) return false
    return url.port === site.port || isLoopback(site.hostname)
  }

  return (redirectTo, referer) => allowed(redirectTo) ?? allowed(referer) ?? rule.siteUrl
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function withoutFragment({ href, hash }: URL): string {
  return href.slice(0, href.length - hash.length)
}

function globPattern(glob: string): RegExp {
  const source = glob
    .split(/(\*\*|\*)/)
    .map((part) => {
      if (part === '**') return '.*'
      return part === '*' ? '[^./]*' : part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
    })
    .join('')
  // A pattern without a path means the first page too, which URLs write with a slash.
  return new RegExp(`^${source}${/^https?:\/\/[^/]+$/.test(glob) ? '/?' : ''}$`)
}
