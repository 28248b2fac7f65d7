import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'

const HEXTETS = 8
const NETWORK_HEXTETS = 4

/** Who is asking: the client that trusted proxies say they have, as Fastify's `request.ip`. */
export function clientAddressBehind(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile([...trustedProxies])
  return (request) => proxyAddress(request, isTrusted)
}

/**
 * What a limit per address counts by: an IPv4 address, or the /64 network of an IPv6 one, for a household has 2^64 of
 * those. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is an IPv4 address.
 */
export function addressKey(ip: string): string {
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [address = ''] = ip.split('%')
  if (!isIPv6(address)) return ip
  const [head = '', tail = ''] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, HEXTETS - first.length - last.length) }, () => '0')
  const hextets = address.includes('::') ? [...first, ...zeros, ...last] : first
  return hextets
    .slice(0, NETWORK_HEXTETS)
    .map((hextet) => Number.parseInt(hextet, 16).toString(16))
    .join(':')
}
