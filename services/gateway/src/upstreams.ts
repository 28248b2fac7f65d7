import type { Route } from '@wangian/contracts/route.ts'

/** How many segments of a path decide which service it belongs to: `/api/auctions`, `/api/v1`. */
const PREFIX_SEGMENTS = 2

/**
 * Which service serves which path prefix, read off the contracts.
 * @throws when two services share a prefix, which would make routing depend on the order
 */
export function prefixesOf(
  routesByService: Readonly<Record<string, Readonly<Record<string, Route>>>>,
): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>()
  for (const [service, routes] of Object.entries(routesByService)) {
    for (const { path } of Object.values(routes)) {
      const prefix = path
        .split('/')
        .slice(0, PREFIX_SEGMENTS + 1)
        .join('/')
      const other = prefixes.get(prefix)
      if (other !== undefined && other !== service) throw new Error(`${prefix} belongs to both ${other} and ${service}`)
      prefixes.set(prefix, service)
    }
  }
  return prefixes
}

/** The copies of one service in turn. */
export function inTurn(urls: readonly string[]): () => string {
  let next = 0
  return () => {
    const url = urls[next++ % urls.length]
    if (url === undefined) throw new Error('a service has at least one address')
    return url
  }
}
