import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Copies } from './upstreams.ts'

const LOOK_EVERY_MS = 500
const READY_WITHIN_MS = 1000

/** The addresses that a name leads to. @throws when it leads nowhere, or nobody says where */
export type Lookup = (host: string) => Promise<readonly string[]>

/**
 * Keeps copies to where the names of their addresses lead: among containers one name is that of all copies of a service, which come and go. One
 * that is new, or was out of reach, is asked whether it is ready first, so that nobody else has to find out. Addresses without a name stay
 * as they are, and so do those with `https:`, whose certificates are of a name.
 */
export function followNames(
  copies: Copies,
  urls: readonly string[],
  lookUp: Lookup = addressesOf,
): { readonly stop: () => void } {
  const stopping = new AbortController()
  if (urls.some(hasName)) void follow()
  return { stop: () => stopping.abort() }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look()
      await wait(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  async function look(): Promise<void> {
    try {
      copies.replace((await Promise.all(urls.map((url) => copiesAt(url, lookUp)))).flat())
    } catch {
      // The names of a service that is just starting, or a name server that is away: what was known goes on.
    }
    const avoided = copies.avoided(performance.now())
    await Promise.all(avoided.map(async (url) => copies.judge(url, await isReady(url, stopping.signal))))
  }
}

function hasName(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  // An address of IPv6 is in brackets.
  return protocol === 'http:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0
}

async function copiesAt(url: string, lookUp: Lookup): Promise<string[]> {
  if (!hasName(url)) return [url]
  const { protocol, hostname, port, pathname } = new URL(url)
  const addresses = await lookUp(hostname)
  const path = pathname === '/' ? '' : pathname
  return addresses.map(
    (address) => `${protocol}//${isIP(address) === 6 ? `[${address}]` : address}${port && `:${port}`}${path}`,
  )
}

/** In an order of their own: name servers change theirs with each answer. A copy that has addresses of both kinds is one copy. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  const kind = found.some(({ family }) => family === 4) ? 4 : 6
  const addresses = found.filter(({ family }) => family === kind).map(({ address }) => address)
  return [...new Set(addresses)].sort()
}

async function isReady(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      // One that stops waits until nobody is connected.
      headers: { connection: 'close' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]),
    })
    await answer.body?.cancel()
    return answer.status === 200
  } catch {
    return false
  }
}
