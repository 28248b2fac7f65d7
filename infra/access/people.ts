import { createHmac, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { Client } from 'pg'
import { accountsAt } from './accounts.ts'

/** Who calls, as the matrix has them. The defects are all of a token that would otherwise be that of an administrator who is the owner. */
export const people = ['guest', 'buyer', 'other seller', 'owner', 'admin', 'admin without second factor'] as const
export const defects = [
  'banned',
  'revoked session',
  'expired token',
  'alg none',
  'HS256 with the public key',
  'wrong audience',
  'provider token',
] as const
export type Person = (typeof people)[number]
export type Defect = (typeof defects)[number]

export interface Cast {
  /** The header's token; a guest has none. */
  readonly tokens: Readonly<Record<Person | Defect, string | null>>
  readonly ids: Readonly<Record<'buyer' | 'other seller' | 'owner' | 'admin', number>>
}

/** Signs the demo accounts in, and makes of the owner's tokens what must be refused. */
export async function gatherCast(options: {
  readonly url: string
  readonly nats: NatsConnection
  readonly identityDatabaseUrl: string
}): Promise<Cast> {
  const { url, nats, identityDatabaseUrl } = options
  const { signIn, signOut } = accountsAt(url)
  const [buyer, other, admin, withoutFactor] = [
    await signIn('bala@wangian.test', 'demo-buyer'),
    await signIn('hafiz@wangian.test', 'demo-seller'),
    await signIn('admin@wangian.test', 'demo-admin'),
    await signIn('mei@wangian.test', 'demo-buyer'),
  ]
  const asOwner = () => signIn('sarah@wangian.test', 'demo-seller')
  const banned = await asOwner()
  const command = { userId: banned.id, actorId: admin.id, reason: 'Access matrix', requestId: 'access-matrix' }
  await request(nats, 'identity', identityRequests.setBanned, { ...command, isBanned: true })
  await request(nats, 'identity', identityRequests.setBanned, { ...command, isBanned: false })
  const revoked = await asOwner()
  await signOut(revoked.token)
  const owner = await asOwner()
  const privateJwk = await signingKey(identityDatabaseUrl)
  const forge = (token: string) => forgery(privateJwk, token)
  const forged = forge(owner.token)
  return {
    tokens: {
      guest: null,
      buyer: buyer.token,
      'other seller': other.token,
      owner: owner.token,
      admin: admin.token,
      // As identity makes it where a factor is needed, which it is not with demo data.
      'admin without second factor': forge(withoutFactor.token).resigned({ needsSecondFactor: true }),
      banned: forge(banned.token).resigned({ isAdmin: true }),
      'revoked session': forge(revoked.token).resigned({ isAdmin: true }),
      'expired token': forged.expired(),
      'alg none': forged.unsigned(),
      'HS256 with the public key': forged.signedWithPublicKey(),
      'wrong audience': forged.forAnotherAudience(),
      'provider token': owner.providerToken,
    },
    ids: { buyer: buyer.id, 'other seller': other.id, owner: owner.id, admin: admin.id },
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Variations of a good token; those that need it are signed with the key that signed the good one. */
function forgery(privateJwk: JsonWebKey, good: string) {
  const privateKey = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const [head, body] = good
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims)
  const asAdmin = { ...body, isAdmin: true }
  const nowS = Math.floor(Date.now() / 1000)
  const resigned = (claims: Claims) => assemble(head, { ...body, ...claims }, (text) => es256(text, privateKey))
  return {
    resigned,
    expired: () => resigned({ isAdmin: true, iat: nowS - 1000, exp: nowS - 100 }),
    forAnotherAudience: () => resigned({ isAdmin: true, aud: 'wangian-internal' }),
    unsigned: () => assemble({ ...head, alg: 'none' }, asAdmin, () => Buffer.alloc(0)),
    signedWithPublicKey: () => {
      const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
      return assemble({ ...head, alg: 'HS256' }, asAdmin, (text) => createHmac('sha256', pem).update(text).digest())
    },
  }
}

async function signingKey(databaseUrl: string): Promise<JsonWebKey> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ key: JsonWebKey }>(
      `select private_jwk as key from signing_keys where purpose = 'application'`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('identity has no signing key')
    return row.key
  } finally {
    await client.end()
  }
}

function es256(text: string, key: KeyObject): Buffer {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
}

function assemble(head: Claims | undefined, body: Claims | undefined, signatureOf: (text: string) => Buffer): string {
  const text = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${signatureOf(text).toString('base64url')}`
}
