import type { Route } from '@wangian/contracts/route.ts'

/** How many segments of a path decide which service it belongs to: `/api/auctions`, `/api/v1`. */
const PREFIX_SEGMENTS = 2
/** How long a copy that could not be reached is passed over. */
const AVOID_MS = 1000

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

/** The copies of one service in turn; one that was out of reach a moment ago only when all were. */
export class Copies {
  readonly #urls: readonly string[]
  readonly #avoidedUntilMs = new Map<string, number>()
  #next = 0

  constructor(urls: readonly string[]) {
    if (urls.length === 0) throw new Error('a service has at least one address')
    this.#urls = urls
  }

  get count(): number {
    return this.#urls.length
  }

  take(nowMs: number): string {
    const inTurn = this.#urls.map((_, offset) => this.#urls[(this.#next + offset) % this.count] ?? '')
    const url = inTurn.find((url) => nowMs >= (this.#avoidedUntilMs.get(url) ?? 0)) ?? inTurn[0] ?? ''
    this.#next = (this.#urls.indexOf(url) + 1) % this.count
    return url
  }

  avoid(url: string, nowMs: number): void {
    this.#avoidedUntilMs.set(url, nowMs + AVOID_MS)
  }
}
