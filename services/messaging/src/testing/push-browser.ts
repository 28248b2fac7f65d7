import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A browser as a push service knows it: it opens what is sealed for it (RFC 8291, with the content coding of RFC 8188). */
export function testBrowser(endpoint: string) {
  const curve = createECDH('prime256v1')
  const publicKey = curve.generateKeys()
  const secret = randomBytes(16)
  return {
    endpoint,
    keys: { p256dh: publicKey.toString('base64url'), auth: secret.toString('base64url') },
    /** What a message says. @throws when it is sealed for somebody else, or was changed */
    open(body: Buffer): unknown {
      const salt = body.subarray(0, 16)
      const keyLength = body.readUInt8(20)
      const senderKey = body.subarray(21, 21 + keyLength)
      const sealed = body.subarray(21 + keyLength)
      const derive = (key: Buffer, from: Buffer, info: Buffer, length: number) =>
        Buffer.from(hkdfSync('sha256', key, from, info, length))
      const about = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey])
      const shared = derive(curve.computeSecret(senderKey), secret, about, 32)
      const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
      const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      // The last record ends with a 2, and zeros after it.
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString())
    },
  }
}

/** Who sent a message, as its header says (VAPID, RFC 8292). @throws when that was not signed with the key that it names */
export function senderOf({ authorization = '' }: IncomingHttpHeaders): {
  readonly key: string
  readonly claims: object
} {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url'))) {
    throw new Error('the signature is not that of the key')
  }
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as object }
}
