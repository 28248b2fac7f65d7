import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { CryptoKey, JSONWebKeySet, JWK, JWTVerifyGetKey } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { createLocalJWKSet } from 'jose/jwks/local'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import { findSigningKey, insertSigningKey, type SigningPurpose } from './key-store.ts'

export const SIGNING_ALGORITHM = 'ES256'

export interface SigningKey {
  /** The thumbprint of the public key (RFC 7638). */
  readonly kid: string
  readonly privateKey: CryptoKey
  /** What everybody may know. */
  readonly jwks: JSONWebKeySet
  /** For jose's `jwtVerify`. */
  readonly verificationKeys: JWTVerifyGetKey
}

export type SigningKeys = Readonly<Record<SigningPurpose, SigningKey>>

/** The two keys of this installation, which all instances share; made at the first start. */
export async function loadSigningKeys(pool: DatabasePool): Promise<SigningKeys> {
  return { application: await loadKey(pool, 'application'), provider: await loadKey(pool, 'provider') }
}

async function loadKey(pool: DatabasePool, purpose: SigningPurpose): Promise<SigningKey> {
  const known = await findSigningKey(pool, purpose)
  if (known !== null) return signingKey(known)
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true })
  await insertSigningKey(pool, purpose, await exportJWK(privateKey))
  const stored = await findSigningKey(pool, purpose)
  invariant(stored !== null, `the ${purpose} key was stored`)
  return signingKey(stored)
}

async function signingKey(privateJwk: JWK): Promise<SigningKey> {
  const privateKey = await importJWK(privateJwk, SIGNING_ALGORITHM)
  invariant(!(privateKey instanceof Uint8Array), 'a signing key is a key pair')
  const { kty, crv, x, y } = privateJwk
  const point = { kty, crv, x, y } as JWK
  const kid = await calculateJwkThumbprint(point)
  const jwks = { keys: [{ ...point, kid, alg: SIGNING_ALGORITHM, use: 'sig', key_ops: ['verify'] }] }
  return { kid, privateKey, jwks, verificationKeys: createLocalJWKSet(jwks) }
}
