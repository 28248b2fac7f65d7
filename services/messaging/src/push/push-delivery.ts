import { createECDH, createHash } from 'node:crypto'
import { lookup } from 'node:dns'
import type { RequestOptions } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { Failure } from '@wangian/kit/errors.ts'
import { http } from '@wangian/kit/http/node-http.ts'
import { isPublicAddress, pushServiceOf } from './push-services.ts'

/** Who we are to push services (VAPID, RFC 8292). */
export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
  /** Whom they may ask about us: `https:` or `mailto:`. */
  readonly subject: string
}

/** Both keys, of the private one: 32 bytes as base64url. */
export function vapidKeysOf(privateKey: string, subject: string): VapidKeys {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(privateKey, 'base64url')
  return { publicKey: curve.getPublicKey('base64url'), privateKey, subject }
}

export interface Delivery {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly payload: string
  /** What is still on its way and of the same thing is replaced by it. */
  readonly key: string
  readonly isUrgent: boolean
}

/** What the push service says: it has it, or this browser is gone for good. */
export type Delivered = 'taken' | 'gone'

/** What nobody could be told for so long is in the panel, and news no more. */
const TTL_S = 24 * 60 * 60
const TIMEOUT_MS = 10_000

/**
 * Seals a message for one browser (RFC 8291) and hands it to the push service of its maker.
 * @param further origins of push services beyond the known, which may be anywhere
 * @throws Failure when the service does not take it now
 */
export function createDelivery(keys: VapidKeys, further: readonly string[]) {
  return async ({ endpoint, p256dh, auth, payload, key, isUrgent }: Delivery): Promise<Delivered> => {
    const isFurther = pushServiceOf(endpoint, further) === new URL(endpoint).origin
    // Loaded with the first message: until then it would only hold memory.
    const { default: webPush } = await import('web-push')
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { ...keys },
      TTL: TTL_S,
      urgency: isUrgent ? 'high' : 'normal',
      // The service learns that two are about the same, and not what.
      topic: createHash('sha256').update(endpoint).update(key).digest('base64url').slice(0, 32),
    })
    const status = await post(new URL(endpoint), {
      headers: headers as RequestOptions['headers'],
      body,
      ...(!isFurther && { lookup: publicLookup }),
    })
    if (status === 404 || status === 410) return 'gone'
    if (status < 200 || status >= 300) throw new Failure(`the push service answers ${status}`)
    return 'taken'
  }
}

/** @returns the status; what else the service says is not read, and a redirection not followed */
function post(
  url: URL,
  { headers, body, lookup }: Pick<RequestOptions, 'headers' | 'lookup'> & { readonly body: Buffer },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const request = (url.protocol === 'http:' ? http : https).request(url, {
    method: 'POST',
    headers,
    lookup,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  request.on('response', (response) => {
    resolve(response.statusCode ?? 0)
    response.destroy()
  })
  request.on('error', (cause) => reject(new Failure('the push service cannot be reached', { cause })))
  request.end(body)
  return promise
}

/** Finds a host by its name, and takes no address of a network of our own. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, [])
    const addresses = found.filter(({ address }) => isPublicAddress(address))
    const [first] = addresses
    if (first === undefined) return callback(new Error(`${hostname} is nowhere on the internet`), [])
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
