import type { Route } from '@wangian/contracts/route.ts'

/** How long a copy that could not be reached is passed over. */
const AVOID_MS = 1000

type RoutesByService = Readonly<Record<string, Readonly<Record<string, Route>>>>

/**
 * Which service serves which path prefix, read off the contracts: the first two segments of a path (`/api/auctions`), and where several services
 * share those, three of them (`/api/admin/orders`). The longest prefix counts.
 * @throws when two services share a prefix, which would make routing depend on the order
 */
export function prefixesOf(routesByService: RoutesByService): ReadonlyMap<string, string> {
  const paths = Object.entries(routesByService).flatMap(([service, routes]) =>
    Object.values(routes).map(({ path }) => ({ service, segments: path.split('/').slice(1) })),
  )
  const prefixes = new Map<string, string>()
  for (const { service, segments } of paths) {
    const start = segmentsOf(segments, 2)
    const isShared = paths.some((other) => other.service !== service && segmentsOf(other.segments, 2) === start)
    const prefix = isShared && segments[2]?.startsWith(':') === false ? segmentsOf(segments, 3) : start
    const other = prefixes.get(prefix)
    if (other !== undefined && other !== service) throw new Error(`${prefix} belongs to both ${other} and ${service}`)
    prefixes.set(prefix, service)
  }
  return prefixes
}

const segmentsOf = (segments: readonly string[], count: number) => `/${segments.slice(0, count).join('/')}`

/** The copies of one service in turn; one that was out of reach a moment ago only when all were. */
export class Copies {
  #urls: readonly string[]
  readonly #avoidedUntilMs = new Map<string, number>()
  #next = 0

  constructor(urls: readonly string[]) {
    if (urls.length === 0) throw new Error('a service has at least one address')
    this.#urls = urls
  }

  get count(): number {
    return this.#urls.length
  }

  /** @param but who is not to be asked, if somebody else can be */
  take(nowMs: number, but?: string): string {
    const inTurn = this.#urls.map((_, offset) => this.#urls[(this.#next + offset) % this.count] ?? '')
    const url = inTurn.find((url) => url !== but && this.#isThere(url, nowMs)) ?? inTurn[0] ?? ''
    this.#next = (this.#urls.indexOf(url) + 1) % this.count
    return url
  }

  /** Whether another one than this can be asked. */
  hasOther(than: string, nowMs: number): boolean {
    return this.#urls.some((url) => url !== than && this.#isThere(url, nowMs))
  }

  #isThere(url: string, nowMs: number): boolean {
    return nowMs >= (this.#avoidedUntilMs.get(url) ?? 0)
  }

  avoid(url: string, nowMs: number): void {
    this.#avoidedUntilMs.set(url, nowMs + AVOID_MS)
  }

  /** From now on these are the copies. One that is new may still be starting: it is passed over until it is {@link judge}d. */
  replace(urls: readonly string[]): void {
    if (urls.length === 0) return
    for (const url of urls) if (!this.#urls.includes(url)) this.#avoidedUntilMs.set(url, Number.POSITIVE_INFINITY)
    for (const url of this.#urls) if (!urls.includes(url)) this.#avoidedUntilMs.delete(url)
    this.#urls = urls
    this.#next %= urls.length
  }

  /** Those that are passed over now. */
  avoided(nowMs: number): string[] {
    return this.#urls.filter((url) => !this.#isThere(url, nowMs))
  }

  /** Takes a copy up again, or passes it over until it is judged anew. */
  judge(url: string, isReady: boolean): void {
    if (!this.#urls.includes(url)) return
    if (isReady) this.#avoidedUntilMs.delete(url)
    else this.#avoidedUntilMs.set(url, Number.POSITIVE_INFINITY)
  }
}

/** Whether nobody was there to ask: nothing has happened at the service then. */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOutOfReach)
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return true
  return 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')
}
