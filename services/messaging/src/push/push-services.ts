import { isIP } from 'node:net'
import { Rejection } from '@wangian/kit/errors.ts'

/** The push services of the browsers that there are; all of the last two are hosts of one service. */
const knownServices: readonly { readonly name: string; readonly host: RegExp }[] = [
  { name: 'fcm', host: /^fcm\.googleapis\.com$/ },
  { name: 'mozilla', host: /^updates\.push\.services\.mozilla\.com$/ },
  { name: 'apple', host: /^[a-z0-9-]+\.push\.apple\.com$/ },
  { name: 'windows', host: /^([a-z0-9-]+\.){1,3}notify\.windows\.com$/ },
]

/**
 * Which push service an endpoint is of. We send a request to whatever a browser says, so it must be one that is known.
 * @param further origins of others
 * @throws Rejection('unknown-push-service')
 */
export function pushServiceOf(endpoint: string, further: readonly string[]): string {
  if (!URL.canParse(endpoint)) throw new Rejection('unknown-push-service')
  const { protocol, hostname, port, origin, username, password } = new URL(endpoint)
  if (username !== '' || password !== '') throw new Rejection('unknown-push-service')
  if (further.includes(origin)) return origin
  const known = knownServices.find(({ host }) => host.test(hostname))
  if (known === undefined || protocol !== 'https:' || port !== '') throw new Rejection('unknown-push-service')
  return known.name
}

/** Whether an address is one of the internet, and not of a network of our own; a name might be made to lead anywhere. */
export function isPublicAddress(address: string): boolean {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined) {
    const [first = 0, second = 0] = v4.split('.').map(Number)
    if (first === 0 || first === 10 || first === 127 || first >= 224) return false
    if (first === 100 && second >= 64 && second < 128) return false
    if (first === 172 && second >= 16 && second < 32) return false
    return !(first === 169 && second === 254) && !(first === 192 && second === 168)
  }
  // What is given out to the internet begins with 2 or 3.
  return isIP(address) === 6 && /^[23]/.test(address)
}
